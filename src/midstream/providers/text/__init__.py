"""Tool calls that open models write as text: text deltas in, the messages of every provider out.

A server that does not parse the calls of its model returns them inside the text. There is one adapter for
each of these formats; an event is a `str` (or `bytes` in UTF-8). Read the files in this order:

``_formats``     the table: one row for each format, with its markers
``_markers``     finds markers in text that may be cut anywhere
``_output``      collects what was read as messages; numbers the calls
``_adapter``     reads the text around the calls: text, reasoning, headers, ends
``_json_text``   reads a JSON text up to its end, which the grammar finds
``_objects``     engine E1: an object with the name and the arguments of a call
``_documents``   engine E2: a header with the name, then the arguments
``_parameters``  engine E3: the arguments as XML parameters, which become JSON
``_schema``      the types of parameters, from the JSON Schema of their tool
``_harmony``     the messages of gpt-oss, whose calls are read by E2
``_new``         creates the adapter of a format by its name
``_within``      the same for the text inside another provider's messages

A new format of one of the engines is a row in ``_formats`` and its streams in the tests.

Invariants: text is held back only while it may still become a marker; a prefix that does not become one is
text, also at the end; the end of a JSON body is found by the grammar, so markers inside its strings are
content; no call without its marker; any split of the text gives the same messages; the time is linear.
"""
