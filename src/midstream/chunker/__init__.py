"""Snapshots in, text out: the way back.

Read the files in this order:

``snapshot``  reads a snapshot, which is JSON text or an already parsed value
``compare``   finds where two snapshots differ
``spine``     the open containers, from the root to the value that can still grow
``text``      writes values as JSON text
``chunker``   ``JsonStreamChunker`` and ``PlainTextStreamChunker``

Invariants: all chunks joined are one valid JSON text that equals the last snapshot; only evidence closes
a value; a conflicting snapshot leaves the chunker as it was.
"""
