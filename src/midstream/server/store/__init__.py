"""Stores: the logs of streams, which workers share.

A store keeps the provider's raw events of each stream, numbered from 1, and how the stream ended. Everything
that viewers receive is derived from this log. Read the files in this order:

``base``    what every store does, and what its answers mean
``memory``  for one process
``sqlite``  for the workers of one machine. Its parts: ``sqlite_file`` has the tables, ``sqlite_thread`` runs
            the statements, ``doorbell`` wakes the other workers, ``lease_files`` says which workers live
``redis``   for several machines (Redis or Valkey). Its parts: ``redis_keys`` names the keys,
            ``redis_scripts`` run in Redis, ``redis_batches`` has the form in which events are kept
``urls``    from ``--store URL`` to a store

Invariants, for every store and tested by one set of tests: a log has no gaps and no repetitions; it only
grows, until exactly one end; only the worker whose epoch is the latest can append; a stream is dropped when
nothing was appended for the time to live.
"""
