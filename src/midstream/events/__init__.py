"""Messages as Server-Sent Events, and back: the road from a server to its clients, without I/O.

Messages go in as `ToolCallUpdate`, `TextDelta` and so on, and bytes come out; at the other end of the
connection the same messages come out of the bytes. ``docs/wire.md`` describes both forms of the events.

Read the files in this order:

``updates``  pieces of calls and texts as the form ``full`` has them: nothing is said twice
``numbers``  what the form ``compact`` numbers: calls and texts
``writer``   ``EventWriter``: messages in, bytes out
``items``    the items of the form ``compact`` in, messages out
``reader``   ``EventReader``: bytes in either form in, messages out

Invariants: what a reader returns gives a handler the same calls as the messages that were written; a lost
piece of a call or a text is detected, a repeated one changes nothing; a stream that was cut off is not
complete.
"""
