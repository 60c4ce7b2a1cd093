"""Where a document may begin: a table, and what later text can change about a decision."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from midstream.extract.openings import (
    ARRAY,
    ARRAY_IN_FENCE,
    MAX_FENCE,
    MAX_HELD,
    MAX_NAME,
    MAX_SPACE,
    MORE,
    NO,
    OBJECT,
    YES,
    Fence,
    begins_document,
    fence_at,
)

# the text, and the decision with nothing after it: anywhere, at the start of a line, first of all
TABLE: list[tuple[str, int, int, int]] = [
    ('{"a"', YES, YES, YES),
    ("{'a'", YES, YES, YES),
    ("{}", YES, YES, YES),
    ("{ \n}", YES, YES, YES),
    ('{\\"a', YES, YES, YES),
    ('{\\n  \\"a', YES, YES, YES),
    ('{\\n\\t "a', YES, YES, YES),
    ("{\\normal x}", NO, NO, NO),
    ("{\\n x", NO, NO, NO),
    ("{\\n", NO, NO, NO),
    ('{\u00a0\u200b"a"', YES, YES, YES),
    ("{// c", YES, YES, YES),
    ("{# c", YES, YES, YES),
    ("{#id}", NO, NO, NO),
    ("{a: 1", YES, YES, YES),
    ("{$a-b :", YES, YES, YES),
    ("{a}", NO, NO, NO),
    ("{0}", NO, NO, NO),
    ("{", NO, NO, NO),
    ("{a", NO, NO, NO),
    ("{" + "a" * (MAX_NAME + 1) + ":", NO, NO, NO),
    ("{" + " " * (MAX_SPACE + 1) + "}", NO, NO, NO),
    ('[{"a"', YES, YES, YES),
    ("[ {x}", NO, NO, NO),
    ('["a"', NO, YES, YES),
    ("[1, 2]", NO, YES, YES),
    ("[1]", NO, YES, YES),
    ("[1] a source", NO, NO, YES),
    ("[]", NO, YES, YES),
    ("[ ] a box", NO, NO, YES),
    ("[true]", NO, YES, YES),
    ("[true] x", NO, NO, YES),
    ("[truest, 1]", NO, NO, NO),
    ("[a](b)", NO, NO, NO),
    ("[[1]", NO, YES, YES),
    ("[('a', 1)", NO, YES, YES),
    ("[(1, 2)", NO, NO, YES),
    ("[[Page]]", NO, NO, NO),
    ("[[null]", NO, YES, YES),
    ("[2024-01-01] x", NO, NO, YES),
    ("[ -5 apples]", NO, NO, YES),
    ("[  .5 litres]", NO, NO, YES),
    ("[ +5 litres]", NO, NO, YES),
    ("[ - item]", NO, NO, NO),
]
PLACES = [(False, False), (True, False), (True, True)]

texts = st.text(st.sampled_from("{}[](\"':,/#\\ \n01.-+antrue$«x\u00a0"), max_size=12)
places = st.sampled_from(PLACES)


@pytest.mark.parametrize("case", TABLE, ids=lambda case: case[0][:16])
def test_table(case: tuple[str, int, int, int]) -> None:
    text, *expected = case
    assert [begins_document(text, 0, True, *place) for place in PLACES] == expected


@given(st.sampled_from("{["), texts, places)
def test_a_decision_is_final(bracket: str, rest: str, place: tuple[bool, bool]) -> None:
    text = bracket + rest
    expected = begins_document(text, 0, True, *place)
    answers = [begins_document(text[:n], 0, False, *place) for n in range(1, len(text) + 1)]
    decided = [answer for answer in answers if answer != MORE]
    assert len(set(decided)) <= 1
    if decided:
        assert decided[0] == expected
        assert answers.index(decided[0]) == len(answers) - len(decided)


@pytest.mark.parametrize(
    "text", ["[[nul", "[[null", "[(tru", "[(true", "[nul", "[-", "{na", "{na ", "{\\", "{/"]
)
def test_a_word_that_is_cut_is_undecided(text: str) -> None:
    assert begins_document(text, 0, False, True, True) == MORE


@given(texts, places)
def test_the_search_finds_every_document(text: str, place: tuple[bool, bool]) -> None:
    for i, c in enumerate(text):
        if c in "{[" and begins_document(text, i, False, *place) != NO:
            searches = [OBJECT] if c == "{" else [ARRAY_IN_FENCE]
            if c == "[" and (not place[0] or not text[:i].rpartition("\n")[2].strip(" ")):
                searches.append(ARRAY)
            for search in searches:
                found = search(text, i)
                assert found is not None
                assert found.start() == i


@pytest.mark.parametrize("space", [" ", "\n"])
@pytest.mark.parametrize("begin", ["{", "[{", "[[", "{a"])
def test_what_waits_is_bounded(begin: str, space: str) -> None:
    text = begin
    while begins_document(text, 0, False, True, False) == MORE:
        text += space
    assert len(text) <= MAX_HELD


@pytest.mark.parametrize(
    ("text", "final", "open_end"),
    [
        ("```json\n", Fence(3, 3, "json", 7), Fence(3, 3, "json", 7)),
        ("~~~~ JSON5 \n", Fence(4, 4, "json5", 10), Fence(4, 4, "json5", 10)),
        ("```", Fence(3, 3, "", 3), MORE),
        ("```js", Fence(3, 3, "js", 5), MORE),
        ("```code```", NO, NO),
        ("``", NO, MORE),
        ("``x", NO, NO),
        ("~", NO, MORE),
        ("`)", NO, NO),
        ("~a", NO, NO),
        ("`" * MAX_FENCE, NO, NO),
    ],
)
def test_fences(text: str, final: Fence | int, open_end: Fence | int) -> None:
    assert fence_at(text, 0, True) == final
    assert fence_at(text, 0, False) == open_end
