"""Read the same streams with midstream and with the libraries that it may replace, if they are installed.

python examples/replacing.py

pip install jiter partial-json-parser ijson langchain-core
"""

from importlib.util import find_spec

from midstream import JsonStreamError, JsonValueAccumulator, parse_partial, select, updates, values

FRAGMENTS = [
    '{"city": "Zür',
    'ich", "days": 1',
    '2, "stops": [{"name": "La',
    'ke"}, {"name": "Uetli',
    'berg"}]}',
]
BUFFERS = ["".join(FRAGMENTS[: count + 1]) for count in range(len(FRAGMENTS))]
CUT = '{"city": "Zürich", "days": 1'
ODD = "[1 2"


def show(library, *values):
    """Print the name of a library and its result."""
    print(f"{library:19}", *values)


def attempt(function, text):
    """Return the result of a function for a text, or the error that it raises."""
    try:
        return function(text)
    except ValueError as error:
        return type(error).__name__


def the_value_so_far():
    """Show the value after every fragment: midstream resumes, the others parse the buffer again."""
    for value in values(FRAGMENTS):
        show("midstream", value)
    if find_spec("jiter"):
        import jiter

        for buffer in BUFFERS:
            show("jiter", jiter.from_json(buffer.encode(), partial_mode="trailing-strings"))
    if find_spec("partial_json_parser"):
        from partial_json_parser import loads

        for buffer in BUFFERS:
            show("partial-json-parser", loads(buffer))
    if find_spec("langchain_core"):
        from langchain_core.output_parsers import JsonOutputParser

        for value in JsonOutputParser().transform(iter(FRAGMENTS)):
            show("langchain-core", value)


def a_text_that_has_arrived():
    """Read a truncated text, and one that is not JSON."""
    show("midstream", parse_partial(CUT), attempt(parse_partial, ODD))
    if find_spec("jiter"):
        import jiter

        def read(text):
            return jiter.from_json(text.encode(), partial_mode="trailing-strings")

        show("jiter", read(CUT), attempt(read, ODD))
    if find_spec("partial_json_parser"):
        from partial_json_parser import Allow, loads

        show("partial-json-parser", loads(CUT), loads(CUT, ~Allow.NUM), attempt(loads, ODD))
    if find_spec("langchain_core"):
        from langchain_core.utils.json import parse_partial_json

        show("langchain-core", parse_partial_json(CUT), attempt(parse_partial_json, ODD))


def was_it_cut_off():
    """End a stream before the text is complete."""
    accumulator = JsonValueAccumulator()
    accumulator.add_fragment(CUT)
    try:
        accumulator.finish()
    except JsonStreamError as error:
        show("midstream", accumulator.value, error.code)
    if find_spec("langchain_core"):
        from langchain_core.output_parsers import JsonOutputParser

        show("langchain-core", list(JsonOutputParser().transform(iter([CUT]))))
    if find_spec("ijson"):
        import ijson

        try:
            list(ijson.parse(iter_file([CUT])))
        except ijson.IncompleteJSONError as error:
            show("ijson", type(error).__name__)


def events():
    """Report new values and their paths: `updates` instead of ijson's `parse`."""
    for update in updates(FRAGMENTS):
        if update.kind.startswith(("Partial", "Complete")):
            show("midstream", update.path, update.kind, update.text_value)
    if find_spec("ijson"):
        import ijson

        for prefix, event, value in ijson.parse(iter_file(FRAGMENTS)):
            if event in ("string", "number"):
                show("ijson", prefix, event, value)


def items():
    """Yield each item of a list as soon as it is complete, as `ijson.items(file, "stops.item")` does."""
    for match in select(FRAGMENTS, "stops[*]"):
        show("midstream", match.value)
    if find_spec("ijson"):
        import ijson

        for item in ijson.items(iter_file(FRAGMENTS), "stops.item"):
            show("ijson", item)


def iter_file(fragments):
    """Return fragments as ijson reads them: a file of bytes."""
    import ijson

    return ijson.from_iter(fragment.encode() for fragment in fragments)


for part in (the_value_so_far, a_text_that_has_arrived, was_it_cut_off, events, items):
    print("#", part.__name__.replace("_", " "))
    part()
