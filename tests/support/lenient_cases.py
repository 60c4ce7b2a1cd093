r"""The lenient dialect as a table: texts that are not RFC 8259, their values and the codes of their repairs.

The groups follow the rules: strings (S1 to S8), bare tokens (B1 to B6), structure (P1 to P11), and the root.
Values and codes are written out, not computed. The codes stand in text order: one for each string with other
quotes, one for each inner quote, escape, comma and comment. What the rules leave alone is in `lenient_edges`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["REPAIRED", "Repaired"]


@dataclass(frozen=True)
class Repaired:
    """A text, its value, and the codes of its repairs in text order."""

    name: str
    text: str
    value: Any
    codes: tuple[str, ...]

    @property
    def rule(self) -> str:
        """The rule that the case belongs to, such as ``"S1"``."""
        return self.name.partition(" ")[0]


def fix(name: str, text: str, value: Any, *codes: str) -> Repaired:
    return Repaired(name, text, value, codes)


# S1: a quote that closes, or one that is content

INNER_QUOTES = [
    fix(
        "S1 a word in quotes",
        '{"a": "he said "hi" to me"}',
        {"a": 'he said "hi" to me'},
        *["inner_quote"] * 2,
    ),
    fix("S1 one quote", '{"a": "6" tall"}', {"a": '6" tall'}, "inner_quote"),
    fix("S1 quotes at the end", '{"a": "he said "hi""}', {"a": 'he said "hi"'}, *["inner_quote"] * 2),
    fix(
        "S1 quotes at the end, then a member",
        '{"a": "he said "hi"", "b": 1}',
        {"a": 'he said "hi"', "b": 1},
        *["inner_quote"] * 2,
    ),
    fix("S1 inches", '{"a": "5\'10"", "b": 2}', {"a": "5'10\"", "b": 2}, "inner_quote"),
    fix("S1 quotes at the end of an item", '["the "end"", "b"]', ['the "end"', "b"], *["inner_quote"] * 2),
    fix("S1 quotes first", '{"a": "One" is a number"}', {"a": 'One" is a number'}, "inner_quote"),
    fix("S1 a comma and a word", '{"a": "one", two", "b": 1}', {"a": 'one", two', "b": 1}, "inner_quote"),
    fix(
        "S1 a comma within a sentence",
        '{"a": "say "hi", then go"}',
        {"a": 'say "hi", then go'},
        *["inner_quote"] * 2,
    ),
    fix(
        "S1 a colon",
        '{"a": "the "key": of it", "b": 1}',
        {"a": 'the "key": of it', "b": 1},
        *["inner_quote"] * 2,
    ),
    fix("S1 a bracket of another kind", '{"a": "x"] y"}', {"a": 'x"] y'}, "inner_quote"),
    fix("S1 a bracket of an open array", '[[{"a": "x"]]', [[{"a": "x"}]], "wrong_closer"),
    fix("S1 a brace of no object", '["x"} y"]', ['x"} y'], "inner_quote"),
    fix("S1 a line ends", '{"a": "b"\n"c": 1}', {"a": "b", "c": 1}, "missing_comma"),
    fix("S1 a semicolon", '{"a": "b"; "c": 1}', {"a": "b", "c": 1}, "semicolon"),
    fix("S1 a comment", '{"a": "b" // one\n}', {"a": "b"}, "comment"),
    fix("S1 a comma and a comment", '{"a": "b", // one\n"c": 1}', {"a": "b", "c": 1}, "comment"),
    fix("S1 a comma and a name", '{"a": "b", c: 1}', {"a": "b", "c": 1}, "unquoted_key"),
    fix(
        "S1 a comma and a name with signs", '{"a": "b", _c-d.e$: 1}', {"a": "b", "_c-d.e$": 1}, "unquoted_key"
    ),
    fix(
        "S1 a comma and a name after much text",
        '{"a": "%s", bcd: 1}' % ("x" * 70),
        {"a": "x" * 70, "bcd": 1},
        "unquoted_key",
    ),
    fix("S1 a comma and a closer", '{"a": "b",}', {"a": "b"}, "trailing_comma"),
    fix("S1 a comma and a new line", '{"a": "b",\nc: 1}', {"a": "b", "c": 1}, "unquoted_key"),
    fix("S1 within an array", '["a "b" c", "d"]', ['a "b" c', "d"], *["inner_quote"] * 2),
    fix("S1 an item and a word", '["a", trueish", "c"]', ['a", trueish', "c"], "inner_quote"),
    fix(
        "S1 items in a tuple",
        "{'a': ('b',), 'c': {}}",
        {"a": ["b"], "c": {}},
        *["single_quotes", "tuple", "single_quotes", "trailing_comma", "single_quotes"],
    ),
    fix(
        "S1 a comma and another quote",
        "{'a': \"it's\", 'b': 1}",
        {"a": "it's", "b": 1},
        *["single_quotes"] * 2,
    ),
    fix("S1 a comma and guillemets", "[«a», «b»]", ["a", "b"], *["odd_quotes"] * 2),
    fix("S1 members of an array", '["a": "x", "b": true]', ["a", "x", "b", True], *["missing_comma"] * 2),
    fix("S1 a colon within an item", '["the "key": of it"]', ['the "key": of it'], *["inner_quote"] * 2),
    fix("S1 within a key", '{"a"b": 1}', {'a"b': 1}, "inner_quote"),
    fix("S1 a key and a sign", '{"a" -1}', {"a": -1}, "missing_colon"),
    fix(
        "S1 with raw newlines",
        '{"a": "x "y"\nz"}',
        {"a": 'x "y"\nz'},
        "inner_quote",
        "inner_quote",
        "raw_control",
    ),
    fix("S1 a URL in quotes", '{"a": "<a href="x">y</a>"}', {"a": '<a href="x">y</a>'}, *["inner_quote"] * 2),
    fix("S1 a quote and a bracket", '{"a": "f("x") = 1"}', {"a": 'f("x") = 1'}, *["inner_quote"] * 2),
]

# S2: control characters are content

RAW_CONTROLS = [
    fix("S2 a newline", '{"a": "x\ny"}', {"a": "x\ny"}, "raw_control"),
    fix("S2 newlines count once", '{"a": "x\n\n\ty\n"}', {"a": "x\n\n\ty\n"}, "raw_control"),
    fix("S2 in two strings", '["x\ty", "z\n"]', ["x\ty", "z\n"], *["raw_control"] * 2),
    fix("S2 a carriage return", '["x\r\ny"]', ["x\r\ny"], "raw_control"),
    fix("S2 other control characters", '["x\x00\x1fy"]', ["x\x00\x1fy"], "raw_control"),
    fix("S2 in a key", '{"a\nb": 1}', {"a\nb": 1}, "raw_control"),
    fix("S2 a fence in a string", '{"a": "x\n```\ny"}', {"a": "x\n```\ny"}, "raw_control"),
    fix("S2 a string of nothing else", '["\n"]', ["\n"], "raw_control"),
]

# S3: other quotes

QUOTES = [
    fix("S3 single quotes", "{'a': 'b'}", {"a": "b"}, *["single_quotes"] * 2),
    fix("S3 an apostrophe in double quotes", "{'a': \"it's\"}", {"a": "it's"}, "single_quotes"),
    fix("S3 double quotes in single ones", '{"a": \'say "hi"\'}', {"a": 'say "hi"'}, "single_quotes"),
    fix("S3 an apostrophe in single quotes", "['it's ok']", ["it's ok"], "single_quotes", "inner_quote"),
    fix("S3 an escaped apostrophe", r"['it\'s']", ["it's"], "single_quotes", "invalid_escape"),
    fix("S3 an empty string", "['', 1]", ["", 1], "single_quotes"),
    fix("S3 a comma in single quotes", "['a, b', 'c']", ["a, b", "c"], *["single_quotes"] * 2),
    fix("S3 typographic quotes", "{“a”: “b”}", {"a": "b"}, *["odd_quotes"] * 2),
    fix("S3 typographic single quotes", "{‘a’: ‘b’}", {"a": "b"}, *["odd_quotes"] * 2),
    fix("S3 backticks", "{`a`: `b`}", {"a": "b"}, *["odd_quotes"] * 2),
    fix("S3 guillemets", "{«a»: «b»}", {"a": "b"}, *["odd_quotes"] * 2),
    fix("S3 low quotes", "{„a“: „b”}", {"a": "b"}, *["odd_quotes"] * 2),
    fix("S3 double quotes in typographic ones", '{"a": “say "hi"”}', {"a": 'say "hi"'}, "odd_quotes"),
    fix("S3 the root", "'abc'", "abc", "single_quotes"),
]

# S4: triple quotes

TRIPLE_QUOTES = [
    fix("S4 three double quotes", '{"a": """b"""}', {"a": "b"}, "triple_quotes"),
    fix("S4 quotes within", '{"a": """say "hi" now"""}', {"a": 'say "hi" now'}, "triple_quotes"),
    fix("S4 two quotes within", '{"a": """x "" y"""}', {"a": 'x "" y'}, "triple_quotes"),
    fix("S4 three single quotes", "{\"a\": '''it's'''}", {"a": "it's"}, "triple_quotes"),
    fix("S4 lines", '["""x\ny"""]', ["x\ny"], "triple_quotes", "raw_control"),
    fix("S4 a member within", '{"a": """x", "y": 1"""}', {"a": 'x", "y": 1'}, "triple_quotes"),
    fix("S4 a bracket within", '["""x"] y"""]', ['x"] y'], "triple_quotes"),
    fix("S4 a key", '{"""a": 1, "b""": 2}', {'a": 1, "b': 2}, "triple_quotes"),
    fix("S4 nothing", '["""""", 1]', ["", 1], "triple_quotes"),
]

# S5: escapes

ESCAPES = [
    fix("S5 a path", r'{"a": "C:\Users\me"}', {"a": r"C:\Users\me"}, *["invalid_escape"] * 2),
    fix("S5 a regular expression", r'["\d+\.\w"]', [r"\d+\.\w"], *["invalid_escape"] * 3),
    fix("S5 a formula", r'["$\alpha \cdot x$"]', [r"$\alpha \cdot x$"], *["invalid_escape"] * 2),
    fix("S5 an apostrophe", r'["it\'s"]', ["it's"], "invalid_escape"),
    fix("S5 a backtick", r'["\`x\`"]', ["`x`"], *["invalid_escape"] * 2),
    fix("S5 an underscore", r'["a\_b"]', ["a_b"], "invalid_escape"),
    fix("S5 a typographic quote", '["\\“x\\”"]', ["“x”"], *["invalid_escape"] * 2),
    fix("S5 two hexadecimal digits", r'["\x41"]', ["A"], "invalid_escape"),
    fix("S5 two digits that are none", r'["\xyz"]', [r"\xyz"], "invalid_escape"),
    fix("S5 braces", r'["\u{1F600}!"]', ["\U0001f600!"], "invalid_escape"),
    fix("S5 eight digits", r'["\U0001F600!"]', ["\U0001f600!"], "invalid_escape"),
    fix("S5 the last character", r'["\u{10FFFF}\U0010FFFF"]', ["\U0010ffff" * 2], *["invalid_escape"] * 2),
    fix("S5 four digits that are none", r'["\users"]', [r"\users"], "invalid_escape"),
    fix("S5 in a key", r'{"a\_b": 1}', {"a_b": 1}, "invalid_escape"),
    fix("S5 next to a valid one", r'["\n\d\t"]', ["\n\\d\t"], "invalid_escape"),
]

# S6: a closing quote is missing

MISSING_QUOTES = [
    fix("S6 before a member", '{"a": "b, "c": 1}', {"a": "b", "c": 1}, "missing_quote"),
    fix("S6 before a member on a line", '{"a": "b,\n "c": 1}', {"a": "b", "c": 1}, "missing_quote"),
    fix("S6 only a word in quotes", '{"a": "b, "c" d"}', {"a": 'b, "c" d'}, *["inner_quote"] * 2),
]

# S7: concatenation

CONCATENATIONS = [
    fix(
        "S7 an empty string and three quotes",
        '{"a": "" + """b"}',
        {"a": '""b'},
        *["concatenation", "inner_quote", "inner_quote"],
    ),
    fix("S7 two strings", '{"a": "b" + "c"}', {"a": "bc"}, "concatenation"),
    fix("S7 three strings", '["a" + "b" + "c"]', ["abc"], *["concatenation"] * 2),
    fix("S7 on two lines", '{"a": "b " +\n  "c", "d": 1}', {"a": "b c", "d": 1}, "concatenation"),
    fix("S7 without spaces", '["a"+"b"]', ["ab"], "concatenation"),
    fix("S7 a sign instead", '{"a": "x" + !y"}', {"a": 'x" + !y'}, "inner_quote"),
    fix("S7 a word instead", '{"a": "x" + y"}', {"a": 'x" + y'}, "inner_quote"),
]

# S8: JSON that was written as the content of a string

ESCAPED = [
    fix("S8 quotes", r"{\"a\": \"b\"}", {"a": "b"}, *["escaped_quote"] * 2),
    fix("S8 a path", r"[\"C:\\\\Users\\\\me\"]", [r"C:\Users\me"], "escaped_quote"),
    fix("S8 a path in a member", r"{\"a\": \"C:\\\\me\"}", {"a": r"C:\me"}, *["escaped_quote"] * 2),
    fix("S8 a pattern", r"[\"a\\d\"]", [r"a\d"], "escaped_quote"),
    fix("S8 a key only", r"{\"a\": 1}", {"a": 1}, "escaped_quote"),
    fix("S8 an array", r"[\"a\", \"b\"]", ["a", "b"], *["escaped_quote"] * 2),
    fix("S8 a new line", r'{\n"a": 1}', {"a": 1}, "escaped_space"),
    fix(
        "S8 quotes and new lines",
        r"{\n  \"a\": 1,\n  \"b\": 2\n}",
        {"a": 1, "b": 2},
        *("escaped_space", "escaped_quote", "escaped_space", "escaped_quote", "escaped_space"),
    ),
    fix("S8 a tab", r"[\t1]", [1], "escaped_space"),
]

# B1: keys without quotes

KEYS = [
    fix("B1 a name", "{a: 1}", {"a": 1}, "unquoted_key"),
    fix("B1 names", "{a_1: 1, $b: 2, c-d: 3}", {"a_1": 1, "$b": 2, "c-d": 3}, *["unquoted_key"] * 3),
    fix("B1 other letters", "{größe: 1}", {"größe": 1}, "unquoted_key"),
    fix("B1 a number", "{1: 2}", {"1": 2}, "unquoted_key"),
    fix("B1 a literal", "{true: 1, null: 2}", {"true": 1, "null": 2}, *["unquoted_key"] * 2),
    fix("B1 a space after it", '{a : 1, "b": 2}', {"a": 1, "b": 2}, "unquoted_key"),
    fix("B1 half of its quotes", '{a": 1}', {"a": 1}, "missing_quote"),
    fix("B1 a long name and another", "{%s y: 1}" % ("x" * 70), {"x" * 70 + " y": 1}, "unquoted_key"),
    fix("B1 a quote after a long name", '{%s"y: 1}' % ("x" * 70), {"x" * 70 + '"y': 1}, "unquoted_key"),
    fix("B1 within an object", '{"a": {b: 1}}', {"a": {"b": 1}}, "unquoted_key"),
]

# B2: values without quotes

BARE = [
    fix("B2 a word", '{"a": hello}', {"a": "hello"}, "unquoted_value"),
    fix("B2 words", '{"a": hello you there, "b": 1}', {"a": "hello you there", "b": 1}, "unquoted_value"),
    fix(
        "B2 a comma within", '{"a": Paris, France, "b": 1}', {"a": "Paris, France", "b": 1}, "unquoted_value"
    ),
    fix("B2 a comma within, at the end", '{"a": Paris, France}', {"a": "Paris, France"}, "unquoted_value"),
    fix("B2 a comma and a name", '{"a": x, b: 1}', {"a": "x", "b": 1}, "unquoted_value", "unquoted_key"),
    fix("B2 a comma and a new line", '{"a": x,\n "b": 1}', {"a": "x", "b": 1}, "unquoted_value"),
    fix("B2 a comma and a closer", '{"a": x,}', {"a": "x"}, "unquoted_value", "trailing_comma"),
    fix("B2 a new line", '{"a": x\n "b": 1}', {"a": "x", "b": 1}, "unquoted_value", "missing_comma"),
    fix("B2 a new line and a brace", '{"a": x\n}', {"a": "x"}, "unquoted_value"),
    fix("B2 items", "[red, green]", ["red", "green"], *["unquoted_value"] * 2),
    fix("B2 spaces around", "[ red one , green ]", ["red one", "green"], *["unquoted_value"] * 2),
    fix("B2 a URL", '{"a": http://x.org/y?z=1}', {"a": "http://x.org/y?z=1"}, "unquoted_value"),
    fix("B2 a comma and a URL", '{"a": x, http://y, "b": 1}', {"a": "x, http://y", "b": 1}, "unquoted_value"),
    fix(
        "B2 a comma and a name before a slash",
        '{"a": x, y:/z, "b": 1}',
        {"a": "x", "y": "/z", "b": 1},
        *["unquoted_value", "unquoted_key", "unquoted_value"],
    ),
    fix(
        "B2 words that end like literals",
        "[bull, xull, rue, zalse, xrue]",
        ["bull", "xull", "rue", "zalse", "xrue"],
        *["unquoted_value"] * 5,
    ),
    fix("B2 an address", '{"a": me@x.org, "b": 1}', {"a": "me@x.org", "b": 1}, "unquoted_value"),
]

# B3: words for literals

WORDS = [
    fix("B3 Python", '{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}, *["word"] * 3),
    fix("B3 JavaScript", "[undefined, NaN, Infinity]", [None, None, None], *["word"] * 3),
    fix("B3 a sign", "[-Infinity]", [None], "word"),
    fix("B3 capitals", "[TRUE, FALSE, NULL]", [True, False, None], *["word"] * 3),
    fix("B3 before a new line", '{"a": True\n}', {"a": True}, "word"),
    fix("B3 Python, not a number", "[nan, inf, -inf]", [None, None, None], *["word"] * 3),
    fix("B3 the root", "True", True, "word"),
    fix("B3 a sentence", '{"a": None of these, "b": 1}', {"a": "None of these", "b": 1}, "unquoted_value"),
    fix("B3 a longer word", '{"a": Trueish}', {"a": "Trueish"}, "unquoted_value"),
    fix("B3 a longer literal", '{"a": truest}', {"a": "truest"}, "unquoted_value"),
    fix("B3 a shorter literal", '{"a": tru}', {"a": "tru"}, "unquoted_value"),
    fix("B3 a literal of a sentence", '{"a": true or not}', {"a": "true or not"}, "unquoted_value"),
]

# B4: numbers of other languages

NUMBERS = [
    fix("B4 a plus sign", '{"a": +3}', {"a": 3}, "number"),
    fix("B4 no digit first", "[.5, -.5]", [0.5, -0.5], *["number"] * 2),
    fix("B4 no digit last", "[5.]", [5.0], "number"),
    fix("B4 hexadecimal", "[0x1F, 0xff]", [31, 255], *["number"] * 2),
    fix("B4 underscores", "[1_000, 1_0_0]", [1000, 100], *["number"] * 2),
    fix("B4 a thousand", '{"a": 1,234}', {"a": 1234}, "number"),
    fix("B4 a thousand and a zero", '{"a": 1,034}', {"a": 1034}, "number"),
    fix("B4 a million", '{"a": 1,234,567, "b": 1}', {"a": 1234567, "b": 1}, "number"),
    fix("B4 a postal code", '{"a": 02134, "b": 1}', {"a": "02134", "b": 1}, "unquoted_value"),
]

# B5: what begins as a number

LIKE_NUMBERS = [
    fix("B5 a unit", '{"a": 10kg}', {"a": "10kg"}, "unquoted_value"),
    fix("B5 a date", '{"a": 2024-01-15, "b": 1}', {"a": "2024-01-15", "b": 1}, "unquoted_value"),
    fix("B5 a time", '{"a": 2024-01-15T10:30:00Z}', {"a": "2024-01-15T10:30:00Z"}, "unquoted_value"),
    fix(
        "B5 a time of day", '{"a": 09:30, "b": 17:00}', {"a": "09:30", "b": "17:00"}, *["unquoted_value"] * 2
    ),
    fix("B5 a ratio", "[16:9, 4:3]", ["16:9", "4:3"], *["unquoted_value"] * 2),
    fix("B5 a version", '{"a": 1.2.3}', {"a": "1.2.3"}, "unquoted_value"),
    fix("B5 per cent", "[10%, 20%]", ["10%", "20%"], *["unquoted_value"] * 2),
    fix("B5 a fraction", '{"a": 3/4}', {"a": "3/4"}, "unquoted_value"),
    fix("B5 a range", "[1-5]", ["1-5"], "unquoted_value"),
    fix("B5 a telephone number", '{"a": 555-1234\n}', {"a": "555-1234"}, "unquoted_value"),
    fix("B5 a word after it", '{"a": 5 apples, "b": 1}', {"a": "5 apples", "b": 1}, "unquoted_value"),
    fix("B5 an exponent without digits", '{"a": 1e}', {"a": "1e"}, "unquoted_value"),
    fix("B5 only a sign", '{"a": -}', {"a": "-"}, "unquoted_value"),
]

# B6: calls and tuples

CALLS = [
    fix("B6 a string", '{"a": ObjectId("507f")}', {"a": "507f"}, "call"),
    fix("B6 a number", '{"a": NumberLong(5), "b": 1}', {"a": 5, "b": 1}, "call"),
    fix("B6 a name with signs", '{"a": _to$date_1("x")}', {"a": "x"}, "call"),
    fix("B6 an object", '[Some({"a": 1})]', [{"a": 1}], "call"),
    fix("B6 a tuple", '{"a": (1, 2)}', {"a": [1, 2]}, "tuple"),
    fix("B6 a tuple of one", "[(1,)]", [[1]], "tuple", "trailing_comma"),
    fix(
        "B6 a member without a value", '[({"a":)]', [[{"a": None}]], "tuple", "missing_value", "wrong_closer"
    ),
    fix("B6 a tuple of none", "[()]", [[]], "tuple"),
    fix("B6 a comma after the argument", "{a: f(1, )}", {"a": 1}, "unquoted_key", "call", "trailing_comma"),
    fix("B6 a bracket closes around a call", "[[f(1], [2), 3]]", [[1], [2, 3]], "call", "junk"),
    fix(
        "B6 a bracket closes around a call in a tuple",
        "[(1, [f(2], 3), 4]",
        [[1, [2], 3], 4],
        "tuple",
        "call",
    ),
    fix(
        "B6 a brace closes a tuple",
        '[{"a": (1}, {"b": )}]',
        [{"a": [1]}, {"b": None}],
        *["tuple", "wrong_closer", "junk", "missing_value"],
    ),
    fix("B6 tuples", "[(1, 2), (3, 4)]", [[1, 2], [3, 4]], *["tuple"] * 2),
]

# P1: comments

COMMENTS = [
    fix("P1 a line", '{"a": 1 // one\n}', {"a": 1}, "comment"),
    fix("P1 a hash", '{"a": 1, # one\n"b": 2}', {"a": 1, "b": 2}, "comment"),
    fix("P1 a block", '{"a": /* one */ 1}', {"a": 1}, "comment"),
    fix("P1 a block of stars", "[1, /**/ 2, /***/ 3, /* * / */ 4]", [1, 2, 3, 4], *["comment"] * 3),
    fix("P1 a block of two lines", "[/* a\nb */ 1,]", [1], "comment", "trailing_comma"),
    fix("P1 before the root", '// one\n{"a": 1}', {"a": 1}, "comment"),
    fix("P1 a block before the root", "/* one */ [1]", [1], "comment"),
    fix("P1 quotes and brackets within", '[1, // "b": [{\n2]', [1, 2], "comment"),
    fix("P1 a member that is commented out", '{"a": 1, // "b": 2,\n"c": 3}', {"a": 1, "c": 3}, "comment"),
    fix("P1 the last comma", "[1, // one\n]", [1], "comment", "trailing_comma"),
    fix("P1 before a colon", '{"a" /* key */ : 1}', {"a": 1}, "comment"),
    fix("P1 an empty object", "{/* none */}", {}, "comment"),
    fix("P1 two in a row", "[ // a\n // b\n 1]", [1], *["comment"] * 2),
    fix("P1 directly after a number", "[1/* one */, 2// two\n]", [1, 2], *["comment"] * 2),
]

# P2: commas

COMMAS = [
    fix("P2 the last one of an object", '{"a": 1,}', {"a": 1}, "trailing_comma"),
    fix("P2 the last one of an array", "[1, 2, ]", [1, 2], "trailing_comma"),
    fix("P2 on a line of its own", '{\n  "a": 1,\n}', {"a": 1}, "trailing_comma"),
    fix("P2 in both", '{"a": [1,],}', {"a": [1]}, *["trailing_comma"] * 2),
    fix("P2 the first one of an array", "[, 1]", [1], "extra_comma"),
    fix("P2 the first one of an object", '{, "a": 1}', {"a": 1}, "extra_comma"),
    fix("P2 two in an array", "[1,, 2]", [1, 2], "extra_comma"),
    fix("P2 two in an object", '{"a": 1, , "b": 2}', {"a": 1, "b": 2}, "extra_comma"),
    fix("P2 three", "[1,,, 2]", [1, 2], *["extra_comma"] * 2),
]

# P3: separators that are missing

SEPARATORS = [
    fix("P3 between members", '{"a": 1 "b": 2}', {"a": 1, "b": 2}, "missing_comma"),
    fix("P3 between members on lines", '{"a": true\n"b": null}', {"a": True, "b": None}, "missing_comma"),
    fix("P3 between items", "[1 2 3]", [1, 2, 3], *["missing_comma"] * 2),
    fix("P3 between words", "[1 true null]", [1, True, None], *["missing_comma"] * 2),
    fix("P3 between a string and a member", '{"a": "b" "c": 1}', {"a": "b", "c": 1}, "missing_comma"),
    fix("P3 between words after much space", f"[{' ' * 60}1 true]", [1, True], "missing_comma"),
    fix("P3 between strings", '["a" "b"]', ["a", "b"], "missing_comma"),
    fix("P3 between strings on lines", '["a"\n"b"]', ["a", "b"], "missing_comma"),
    fix("P3 between objects", "[{} {}]", [{}, {}], "missing_comma"),
    fix(
        "P3 after a container",
        '{"a": [] "b": {}\n"c": 1}',
        {"a": [], "b": {}, "c": 1},
        *["missing_comma"] * 2,
    ),
    fix("P3 a number and a quote", '{"a": 12"b": 1}', {"a": 12, "b": 1}, "missing_comma"),
    fix("P3 a literal and a quote", '{"a": true"b": 1}', {"a": True, "b": 1}, "missing_comma"),
    fix("P3 a colon before a number", '{"a" 1}', {"a": 1}, "missing_colon"),
    fix("P3 a colon before a string", '{"a" "b"}', {"a": "b"}, "missing_colon"),
    fix("P3 a colon before a container", '{"a" {"b" [1]}}', {"a": {"b": [1]}}, *["missing_colon"] * 2),
]

# P4: other separators

OTHER_SEPARATORS = [
    fix("P4 an equals sign", '{"a" = 1}', {"a": 1}, "equals"),
    fix("P4 an arrow", '{"a" => 1}', {"a": 1}, "equals"),
    fix("P4 an arrow without spaces", '{"a"=>1}', {"a": 1}, "equals"),
    fix("P4 after a name", "{a = 1}", {"a": 1}, "unquoted_key", "equals"),
    fix("P4 a semicolon in an object", '{"a": 1; "b": 2}', {"a": 1, "b": 2}, "semicolon"),
    fix("P4 a semicolon in an array", "[1; 2]", [1, 2], "semicolon"),
]

# P5: values that are missing

MISSING_VALUES = [
    fix("P5 before a comma", '{"a": , "b": 1}', {"a": None, "b": 1}, "missing_value"),
    fix("P5 before a brace", '{"a": 1, "b": }', {"a": 1, "b": None}, "missing_value"),
    fix("P5 with its colon", '{"a"}', {"a": None}, "missing_value"),
    fix("P5 with its colon, before a comma", '{"a", "b": 1}', {"a": None, "b": 1}, "missing_value"),
]

# P6: dots for what is left out

ELLIPSES = [
    fix("P6 at the end", "[1, 2, ...]", [1, 2], "ellipsis"),
    fix("P6 in the middle", "[1, ..., 9]", [1, 9], "ellipsis"),
    fix("P6 one character", "[1, …]", [1], "ellipsis"),
    fix("P6 in an object", '{"a": 1, ...}', {"a": 1}, "ellipsis"),
    fix("P6 alone", "[...]", [], "ellipsis"),
]

# P7: the wrong closer

WRONG_CLOSERS = [
    fix("P7 a brace for a bracket", '{"a": [1, 2}, "b": 3}', {"a": [1, 2], "b": 3}, "wrong_closer"),
    fix("P7 a bracket for a brace", '[{"a": 1], 2]', [{"a": 1}, 2], "wrong_closer"),
    fix("P7 a missing brace", '[[{"a": 1], 2]', [[{"a": 1}], 2], "wrong_closer"),
    fix("P7 a missing bracket", '{"a": {"b": [1}, "c": 2}', {"a": {"b": [1]}, "c": 2}, "wrong_closer"),
]

# P8: too many brackets

EXTRA_CLOSERS = [
    fix("P8 a brace", '{"a": 1}}', {"a": 1}, "extra_closer"),
    fix("P8 brackets", "[1]]]", [1], *["extra_closer"] * 2),
    fix("P8 of the other kind", '{"a": 1}]', {"a": 1}, "extra_closer"),
    fix("P8 braces of a template", '{{"a": 1}}', {"a": 1}, "extra_brace", "extra_closer"),
]

# P10: odd white space

ODD_SPACES = [
    fix("P10 no-break spaces", '{\u00a0"a":\u00a01}', {"a": 1}, *["odd_space"] * 2),
    fix("P10 a space without width", "[\u200b1]", [1], "odd_space"),
    fix("P10 a byte order mark", '{"a": 1,\ufeff"b": 2}', {"a": 1, "b": 2}, "odd_space"),
    fix("P10 before the root", "\u00a0[1]", [1], "odd_space"),
    fix("P10 after the root", "[1]\u00a0", [1], "odd_space"),
]

# P11: anything else

JUNK = [
    fix("P11 a sign after an item", "[1 @, 2]", [1, 2], "junk"),
    fix("P11 a sign after a member", '{"a": 1 ), "b": 2}', {"a": 1, "b": 2}, "junk"),
    fix("P11 a parenthesis before a colon", '{"a"/**/): 1}', {"a": 1}, "comment", "junk"),
    fix("P11 a control character before a colon", '{"a"/**/\x01: 1}', {"a": 1}, "comment", "junk"),
    fix("P11 a colon too many", '{"a":: 1}', {"a": 1}, "junk"),
]

REPAIRED = [
    *INNER_QUOTES, *RAW_CONTROLS, *QUOTES, *TRIPLE_QUOTES, *ESCAPES, *MISSING_QUOTES, *CONCATENATIONS,
    *ESCAPED, *KEYS, *BARE, *WORDS, *NUMBERS, *LIKE_NUMBERS, *CALLS, *COMMENTS, *COMMAS, *SEPARATORS,
    *OTHER_SEPARATORS, *MISSING_VALUES, *ELLIPSES, *WRONG_CLOSERS, *EXTRA_CLOSERS, *ODD_SPACES, *JUNK,
]  # fmt: skip
