"""Updates as plain data, and values rebuilt from updates.

Read the files in this order:

``form``       ``to_wire`` and ``from_wire``: one update as a dict, and back
``frames``     the open containers of a stream of updates
``cursor``     checks a batch of updates against what came before, and lists the visitor calls it implies
``rebuilder``  ``JsonFragmentRebuilder``: applies updates to a value

Invariants: a rebuilder makes the same value of updates and of their wire form; a batch that contradicts
what came before is refused as one, and changes nothing.
"""
