"""One-liners: iterators over a stream, which feed it to the parts below and close it when they are left.

``text``          over the fragments of a text: ``updates``, ``values`` and ``parse_partial``; with
                  ``extract=True`` over the documents in a model's answer (compiled where possible)
``select``        over the values at selected paths: ``select`` and ``first``
``select_async``  the same over asynchronous iterables
``provider``      over the stream of a provider: ``messages``, ``tool_calls`` and ``text_deltas``, and the
                  detection of its format
``arguments``     over the argument text of one tool call: ``argument_deltas``

Each iterator is a loop over a state that can be fed (``ValueStream``, ``ProviderStream``, ``CallStream``), so
that `midstream.aio` has the same iterators over asynchronous streams with the same states. The one-liners of
other folders (``chunks``, ``patches``, ``typed_values``) stand beside the class that they feed,
because they need nothing else.

Invariants: what precedes an error is yielded before the error is raised; an iterator that is left early
closes its source, unless ``close`` is false; an error of the source is never one of the text.
"""
