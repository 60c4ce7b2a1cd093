"""Text in, calls on a visitor out: the JSON grammar and everything it needs (compiled where possible).

Read the files in this order:

``modes``      what the grammar allows next: the states of the machine
``visitor``    the interface that the grammar calls; whatever is built from a text implements it
``options``    the limits, and what is accepted
``machine``    the state between two characters: plain data that is cloned, saved and loaded
``grammar``    RFC 8259 in one loop over the modes; ``feed`` and ``finish`` are the entry points
``structure``  the rules for containers, values and the root
``tokens``     the rules for strings, numbers and literals, which a fragment may cut anywhere
``strings``    the inside of a string: escapes, surrogate pairs, UTF-16 code units
``numbers``    the inside of a number, and its conversion
``recovery``   what happens after an error: stop, or skip to the next structural token
``lenient_structure``  the lenient dialect, entered where strict parsing reports an error, and where a token
               begins: ``lenient_strings`` and ``lenient_escapes`` read strings, ``bare_tokens`` what has no
               quotes; ``look_ahead`` has what decisions depend on, ``repairs`` reports them
``saved``      helpers for saved states
``text``       a buffer for text that arrives in pieces
``surrogates`` joins surrogate pairs that a sender has split
``chars``      access to the characters of a str, in plain Python and (``chars.pxd``) in C
``cython_shim`` stands in for the ``cython`` module when the files run uncompiled

The ``.pxd`` file beside a module has its C types and its helpers in C.

Invariants: the grammar reads a text once, from left to right, holds only the open token and one entry per
open container, and calls the visitor as soon as the text determines something. The state does not depend on
how the text was cut into fragments.
"""
