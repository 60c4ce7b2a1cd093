"""The pure parser: ``(state, chunk) -> state`` with immutable nodes.

Read the files in this order:

``nodes``       the nodes of strings, numbers and literals, and their base class
``containers``  the nodes of arrays and objects, and how their values are resolved
``rope``        the text of an open string or number, whose versions share pieces
``vector``      the persistent vector of the closed children of a container
``views``       the keys and children of a node as sequences, without copying
``index``       all nodes by id, and all nodes as rows, which saved states contain
``visitor``     the visitor that builds nodes from the calls of the grammar
``parser``      ``create_parser_state``, ``parse_chunk``, ``finalize``, ``dump_state``, ``load_state``

Invariants: no text raises an exception; a state never changes and can be continued more than once; a chunk
creates new nodes only on the path from what changed to the root.
"""
