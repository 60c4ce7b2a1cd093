"""Text fragments in, updates or values out (compiled where possible).

Read the files in this order:

``update``      one update and the visitor that creates updates; paths are computed when they are read
``base``        what all accumulators share: options, error policies, checkpoints
``fragments``   ``JsonFragmentAccumulator``: fragments in, updates out
``values``      ``JsonValueAccumulator``: fragments in, the value so far out, with copy-on-write snapshots
``reentrancy``  the guard that refuses concurrent and reentrant use
``value_text``  a value as JSON text, without recursion

Invariants: a published update or snapshot never changes; a subtree that did not change is the same object
in the next snapshot; feeding costs nothing for snapshots that nobody reads.
"""
