"""The JavaScript library and the gateway's page; there is no Python code here.

The library: ``midstream.js`` exports everything, and its header says in which order to read the modules in
``lib/``. ``react.js`` has hooks, ``sse.js`` reads Server-Sent Events. The types are in the ``.d.ts`` files.

The page: ``index.html`` (and ``docs.html``, how to use it in your own code), whose rules are in ``page.css``,
``messages.css`` and ``tree.css``, and these modules, from the outside in:

``page.js``     choose or paste a stream, start it, stop it
``streams.js``  how the streams of the gateway are requested
``follow.js``   scrolls with the output until the user scrolls away
``calls.js``    the messages of a stream: their text, and a card for each tool call
``card.js``     a tool call or a structured output
``tree.js``     a growing value as a tree
``node.js``     one row of the tree
``raw.js``      the raw text of a value (``spans.js``: where a value is in that text)

Invariants: the library has no dependencies and needs no build step; it behaves as its Python namesakes, which
one table of cases tests; a value that was read never changes.
"""
