"""The streams of a worker: filled by producers, kept in a store, and sent to any number of viewers.

A stream is a log of the provider's raw events. What viewers receive is derived from it whenever it is read,
in the same way by every worker, so any of them can continue any stream. Read the files in this order:

``cursor``      positions in a stream, and the ids of its events
``cutter``      a provider's bytes in, raw events out
``derivation``  raw events in, midstream's events out
``prepared``    recordings, derived once for all streams
``snapshot``    everything that a stream has said, as one event
``log``         a worker's copy of a log
``feed``        the derived events of a log, shared by all viewers who want the same form of them
``viewer``      reads a feed at its own speed
``producer``    fills a stream: from the provider into the store, then into the log
``channel``     a stream as a worker sees it: its log, its feeds and its viewers
``hub``         all channels of a worker
``succession``  what becomes of the streams of workers that have died

Invariants: an event is shown only when it is in the store; every viewer of a form receives the same events
in the same order, without gaps and repetitions, whichever worker sends them; memory ahead of the fastest
viewer of a feed is bounded.
"""
