"""Text fragments in, updates or values out (compiled where possible).

Read the files in this order:

``update``         one update, and ``Emitter``, which creates updates; paths are computed when they are read
``base``           what all accumulators share: options, error policies, checkpoints
``fragments``      ``JsonFragmentAccumulator``: fragments in, updates out
``value_visitor``  the visitor that builds the value, with copy-on-write snapshots
``values``         ``JsonValueAccumulator``: fragments in, the value so far out
``automaton``      path patterns as an automaton, which says what a place in the document matches
``selection``      the visitor that builds only the values at selected paths
``match``          ``Match``: what a selection yields
``select``         ``JsonSelectAccumulator``: fragments in, the values at selected paths out
``validation``     converts complete values to typed ones with pydantic or msgspec
``reentrancy``     the guard that refuses concurrent and reentrant use
``value_text``     writes a value as JSON text, without recursion

Invariants: a published update or snapshot never changes; a subtree that did not change is the same object
in the next snapshot; a snapshot that is not read costs nothing.
"""
