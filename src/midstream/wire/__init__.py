"""Updates as plain data, and values rebuilt from updates.

An accumulator's updates are converted to dicts (the wire form), sent as JSON, and applied to a rebuilder in
another process, which then holds the same value.

Read the files in this order:

``form``       ``to_wire`` and ``from_wire``: one update as a dict, and back
``frames``     the open containers of a stream of updates
``cursor``     checks a batch of updates against the position so far, and lists the visitor calls it implies
``reader``     checks batches of updates with a cursor, and returns their visitor calls
``rebuilder``  ``JsonFragmentRebuilder``: applies updates to a value
``patches``    ``JsonPatchWriter`` and ``patches``: updates as JSON Patches; ``patches_async``: its twin
``patching``   ``apply_patch``: applies a JSON Patch to a value; ``pointers``: JSON Pointers

Invariants: a rebuilder builds the same value from updates and from their wire form; a batch with an update
that cannot follow is refused completely and changes nothing.
"""
