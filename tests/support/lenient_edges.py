"""Where the rules of the lenient dialect do not apply.

`VALID` has texts that look broken and are not, `UNTOUCHED` for each rule texts that it has no business with,
`CUT` texts that are cut off after a repair, `REFUSED` texts that remain errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["CUT", "REFUSED", "UNTOUCHED", "VALID", "Cut", "Refused"]


@dataclass(frozen=True)
class Cut:
    """A text that ends too early, what of its value is known, and the codes of its repairs."""

    name: str
    text: str
    value: Any
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Refused:
    """A text that the dialect does not repair, the code of the error and its place."""

    name: str
    text: str
    code: str
    index: int


# JSON that looks as if a rule had something to say about it

VALID = [
    # strings
    r'{"a": "he said \"hi\" to me"}',
    '{"a": "", "b": ""}',
    '["", ""]',
    '{"": ""}',
    r'["\"", "\"\""]',
    r'{"a": "\"\"\"b\"\"\""}',
    '["a,", "b"]',
    '["a, ", "b"]',
    '{"a": "b, ", "c": 1}',
    '{"a":", ","b":": "}',
    '{"a": "b,", "c": "d"}',
    '{"a": ",", "b": ", "}',
    '{"a": "}", "b": "]", "c": "{", "d": "["}',
    '{"a": "x" ,"b":1}',
    '{"a": "x"\n,\n"b": 1}',
    '{"a": "x"\n\n\n}',
    '["a"\n,"b"]',
    '["a", true, "b", null, "c", false, "d", 1, "e", -1, "f", [], "g", {}]',
    '["a",1]',
    '["a",null]',
    '["see [1", "x] y"]',
    '{"a b": 1, "c:d": 2, "e,f": 3, "g}h": 4}',
    '{"a" : 1}',
    '{"a"\n:\n1}',
    '{"x": "\'", "y": "\'\'"}',
    '{"x": "it\'s", "y": "‘a’ “b” «c» `d`"}',
    "[\"'a'\", \"'''\"]",
    '["a + b", "+", "\\" + \\""]',
    r'["C:\\Users", "\frac", "\bar", "\u0041", "\/", "\ud83d\ude00"]',
    r'["\\", "\\\\", "\\\""]',
    r'["\n", "\t", "a\nb"]',
    '"a, b"',
    '"\\"name\\": 1"',
    r'{"a": "b, \"c\": 1"}',
    # bare tokens
    '{"a": "None", "b": "True", "c": "NaN"}',
    '{"true": true, "false": false, "null": null}',
    "[1,234]",
    "[1,234,567]",
    '{"a": 1,"234": 5}',
    '{"a": 1, "b": 234}',
    "[0, -0, 0.5, 1e5, 1E+5, 1e-5, 10.50]",
    '{"a": "10kg", "b": "2024-01-15", "c": "1.2.3"}',
    '{"a": "ObjectId(1)", "b": "(1, 2)"}',
    "[true,false,null]",
    "true",
    "null",
    "-1",
    "0",
    # structure
    '{"url": "http://x.org//y", "c": "#fff", "d": "/* x */", "e": "// y"}',
    '{"a": "1,", "b": ",,", "c": "..."}',
    '["a = b", "a => b", "a; b"]',
    '{"a": "```", "b": "```json\\n{}\\n```"}',
    '{"a": "\u00a0\u200b\ufeff"}',
    '[{"a": [{"b": [1, 2]}]}, [[[]]]]',
    " \t\r\n{ } \t\r\n",
    '{"a": 1, "a": 2}',
    '{"a": {}, "b": [], "c": [{}], "d": {"e": []}}',
    "[[1], [2]]",
    "[[], [], {}]",
    '{"{": "}", "}": "{"}',
    '{"\\"": 1}',
    '{"a": "{\\"b\\": \\"c\\"}"}',
    '\ufeff{"a": 1}',
]

# texts that are cut off: what is written is known and repaired, what is not written is not invented

CUT = [
    Cut("in an object", '{"a": 1,', {"a": 1}, ()),
    Cut("after a trailing comma of an inner array", '{"a": [1,],', {"a": [1]}, ("trailing_comma",)),
    Cut("after a colon", '{"a":', {}, ()),
    Cut("in a string", '{"a": "b', {"a": "b"}, ()),
    Cut("after a string", '{"a": "b"', {"a": "b"}, ()),
    Cut("in single quotes", "{'a': 'b", {"a": "b"}, ("single_quotes", "single_quotes")),
    Cut("after single quotes", "['b'", ["b"], ("single_quotes",)),
    Cut("after an inner quote", '{"a": "x "y', {"a": 'x "y'}, ("inner_quote",)),
    Cut("in triple quotes", '["""b', ["b"], ("triple_quotes",)),
    Cut("in a comment", "[1, // c", [1], ("comment",)),
    Cut("in a block", "[1, /* c", [1], ("comment",)),
    Cut("in a bare value", '{"a": hel', {"a": "hel"}, ("unquoted_value",)),
    Cut("after a closer of the wrong kind", '{"a": [1}', {"a": [1]}, ("wrong_closer",)),
    Cut(
        "after a member of an array",
        '{"a": [1, 2, "b": 3}',
        {"a": [1, 2, "b", 3]},
        ("missing_comma", "wrong_closer"),
    ),
    Cut("in a tuple", "[(1, 2,", [[1, 2]], ("tuple",)),
    Cut("after a backslash for a value", '{"a": \\', {"a": "\\"}, ("unquoted_value",)),
    Cut("after a backslash for an item", "[\\", ["\\"], ("unquoted_value",)),
    Cut("after a backslash for a key", "{\\", {}, ("junk",)),
    Cut("after an ellipsis", "[1, ...", [1], ("ellipsis",)),
    Cut("nothing", "", None, ()),
    Cut("only a comment", "// c", None, ("comment",)),
]

# what remains an error: the begin of a text that is no JSON, and what follows the root

REFUSED = [
    Refused("a word", "hello", "expected_value", 0),
    Refused("a sentence", 'Here it is: {"a": 1}', "expected_value", 0),
    Refused("a fence", '```json\n{"a": 1}\n```', "expected_value", 0),
    Refused("a tag", "<b>1</b>", "expected_value", 0),
    Refused("a word after the root", '{"a": 1} so', "trailing_text", 9),
    Refused("another document", '{"a": 1} {"b": 2}', "trailing_text", 9),
]

# for each rule the code of its repair, and texts in which it must not occur
UNTOUCHED: dict[str, tuple[str, tuple[str, ...]]] = {
    "S1": (
        "inner_quote",
        (r'{"a": "he said \"hi\""}', '{"a": "x"\n"b": 1}', '{"a": "x"; "b": 1}', '["a" "b"]'),
    ),
    "S2": ("raw_control", ('["a",\n\t"b"\r\n]', r'["a\nb"]')),
    "S3": ("single_quotes", ('["it\'s"]', '{"a": it\'s}')),
    "S4": ("triple_quotes", ('["", ""]', '["","x"]', '{"a":""}', "['', 'x']", "['']")),
    "S5": ("invalid_escape", (r'["\n\/\u0041\ud83d\ude00"]', r'["\\d"]', r"{\"a\": 1}")),
    "S6": (
        "missing_quote",
        ('{"a": "b, ", "c": 1}', '{"a": "b, "c" d"}', '["b, "c": 1]', '{"a": "b" "c": 1}'),
    ),
    "S7": ("concatenation", ('["a + b"]', '{"a": "x" + y", "b": 1}', '["a", +1]')),
    "S8": ("escaped_quote", (r'["\"a\""]', r'{"a\"": 1}')),
    "B1": ("unquoted_key", ('{"a": 1}', "{'a': 1}", '{a": 1}')),
    "B2": ("unquoted_value", ('["a", 1, true]', '{"a": True}', '{"a": +1}', "['a']")),
    "B3": (
        "word",
        ("[true, false, null]", '["None"]', '{"a": None of these}', '{"a": Nonesense}', "{None: 1}"),
    ),
    "B4": ("number", ("[1, -0.5, 1e5]", "[1,234]", '{"a": 1, "234": 5}', '{"a": 02134}', '{"a": 1.2.3}')),
    "B5": ("unquoted_value", ("[10, 1.5]", '["10kg"]', "[1_000, 0x1F]", "[1 // x\n]", '{"a": 1 "b": 2}')),
    "B6": ("call", ('["f(x)"]', "[(1)]", '{"a": x (y)}', '{"a": 1}')),
    "P1": ("comment", ('["// x", "# y"]', '{"a": x#1}', '{"a": http://x}', "[1/2]")),
    "P2": ("trailing_comma", ("[1, 2]", '["a,"]', '{"a": 1,"b": 2}', "[1,,2]")),
    "P3": ("missing_comma", ("[1, 2]", '{"a": 1; "b": 2}', '{"a": 5 apples}', '["a" b"]')),
    "P4": ("equals", ('["a = b"]', '{"a": "="}', '{"a": b = c}')),
    "P5": ("missing_value", ('{"a": null}', '{"a": ""}', "[1,,2]")),
    "P6": ("ellipsis", ('["..."]', "[1.5]", "[.5]", '{"a": wait...}')),
    "P7": ("wrong_closer", ("[[1], {}]", '["}"]', '{"a": 1}]')),
    "P8": ("extra_closer", ("[{}]", '["]"]', '{"a": {}}', '[{"a": 1], 2]')),
    "P10": ("odd_space", ('["\u00a0"]', '{"\ufeff": 1}', "[\n1 ]", '\ufeff{"a": 1}')),
    "P11": ("junk", ("[1, 2]", '["@"]', '{"a": @x}')),
}
