"""Snapshots in, text out: the way back from complete values to a growing JSON text.

A snapshot is the complete value at one moment, as JSON text or as an already parsed value. The chunker
compares each snapshot with the last one and returns the text that has become certain. All chunks joined
are one valid JSON text.

The docstring of ``chunker`` explains the rules: read it first. Then read the files in this order:

``snapshot``  converts a snapshot into a plain value that the chunker owns
``compare``   finds where two snapshots differ
``spine``     the open containers, from the root to the value that can still grow
``text``      writes values as JSON text
``chunker``   ``JsonStreamChunker`` and ``PlainTextStreamChunker``

Invariants: all chunks joined equal the last snapshot; a value is closed only when a later snapshot proves
that it is complete; a conflicting snapshot leaves the chunker unchanged.
"""
