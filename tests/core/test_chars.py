"""Characters of every width, at every offset of the words and vectors that the compiled core looks at."""

from __future__ import annotations

import json

import pytest

from builds import BUILDS

# the last of one byte, of what packs into one, of two bytes with and without the sign, of all
WIDE = [
    "\x7f",
    "\x80",
    "\xff",
    "\u0100",
    "\u0122",
    "\u225c",
    "\u7fff",
    "\u8000",
    "\uffff",
    "\U00010000",
    "\U0010ffff",
]
LENGTH = 40


def read(build: str, text: str) -> object:
    accumulator = BUILDS[build].JsonValueAccumulator()
    accumulator.add_fragment(text)
    accumulator.finish()
    return accumulator.value


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("wide", WIDE, ids=ascii)
@pytest.mark.parametrize("mark", ["", r"\"", r"\\", r"\n", r"\u00e9"], ids=ascii)
def test_invariant_6_at_every_offset(build: str, wide: str, mark: str) -> None:
    for at in range(LENGTH):
        inside = "a" * at + wide + "b" * (LENGTH - at) + mark + "c"
        for text in (
            f'["{inside}", 12.5, "{inside}"]',
            f'[{" " * at}"{mark}{wide}", true, {{"{inside}": "{wide}"}}]',
        ):
            assert read(build, text) == json.loads(text), at


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("wide", ["", *WIDE], ids=ascii)
@pytest.mark.parametrize("control", ["\x00", "\x01", "\n", "\x1f"], ids=ascii)
def test_control_characters_are_found_at_every_offset(build: str, wide: str, control: str) -> None:
    library = BUILDS[build]
    for at in range(LENGTH):
        text = '["' + wide + "a" * at + control + "b" * (LENGTH - at) + '"]'
        with pytest.raises(library.JsonStreamError) as caught:
            read(build, text)
        assert (caught.value.code, caught.value.index) == ("control_character", text.index(control))


@pytest.mark.parametrize("build", BUILDS)
def test_equal_keys_of_other_widths_are_distinguished(build: str) -> None:
    # all of these have the same bytes where wide characters are looked at as one byte
    text = json.dumps(
        [{"k\xffy": 1, "k\u0100y": 2, "k\u20acy": 3, "k\U0001f600y": 4}] * 3, ensure_ascii=False
    )
    assert read(build, text) == json.loads(text)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("mark", ['"', "\\", "\x00", "\x1f", " ", "\x7f", "\x80", "\xff"], ids=ascii)
def test_every_character_of_a_short_fragment_counts(build: str, mark: str) -> None:
    library = BUILDS[build]
    for length in range(1, 18):
        for at in range(length):
            fragment = "a" * at + mark + "b" * (length - at - 1)
            by_fragment, at_once = (library.JsonFragmentAccumulator(on_error="event") for _ in range(2))
            at_once_updates = at_once.add_fragment(f'["{fragment}')
            updates = [by_fragment.add_fragment(part) for part in ('["', fragment)]
            assert [*updates[0], *updates[1]] == at_once_updates


@pytest.mark.parametrize("build", BUILDS)
def test_keys_that_differ_in_one_character_are_distinguished(build: str) -> None:
    for length in range(1, 18):
        keys = ["a" * at + other + "a" * (length - at - 1) for at in range(length) for other in "ab"]
        text = json.dumps([{key: number} for number, key in enumerate(keys)])
        assert read(build, text) == json.loads(text)


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("wide", ["", "\xe9", "\u20ac", "\U0001f600"], ids=ascii)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 9, 17, 64, 127, 128, 129])
def test_a_string_in_pieces_is_complete_in_the_end(build: str, wide: str, size: int) -> None:
    library = BUILDS[build]
    for length in (3, 127, 128, 129, 255, 257, 400):
        for at in (0, 1, length // 2, length):
            inside = "".join(chr(97 + k % 26) for k in range(length))
            inside = inside[:at] + wide + inside[at:]
            text = json.dumps({"k": inside, inside: 1}, ensure_ascii=False)
            parts = [text[k : k + size] for k in range(0, len(text), size)]
            updates, values, state = (
                library.JsonFragmentAccumulator(),
                library.JsonValueAccumulator(),
                library.create_parser_state(),
            )
            complete = []
            for number, part in enumerate(parts):
                complete += [u.value for u in updates.add_fragment(part) if u.kind == "CompleteString"]
                values.add_fragment(part)
                state = library.parse_chunk(state, part)
                if number % 7 == 3:
                    # reading, saving and continuing elsewhere must not lose what is pending
                    values.value  # noqa: B018
                    updates = type(updates).restore(json.loads(json.dumps(updates.checkpoint())))
            assert complete == [inside]
            assert values.value == library.get_resolved_value(state) == json.loads(text)


ORDERS = [
    ["a", "ab", "abc", "abcd", "abcde"],
    ["abcde", "abcd", "abc", "ab", "a"],
    ["ab", "a", 'ab"', "ab\\", "ab"],
    ["key", "k\xe9y", "key", "k\u20acy", "key"],
    ["first", "second"] * 5,
    ["", "x", "", "xx", ""],
]


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("keys", ORDERS, ids=ascii)
def test_a_key_is_what_it_is_not_what_is_expected(build: str, keys: list[str]) -> None:
    rows = [{key: at} for at, key in enumerate([*keys, *keys, *reversed(keys), *keys[::2], *keys])]
    for ensure_ascii in (False, True):
        text = json.dumps(rows, ensure_ascii=ensure_ascii)
        assert read(build, text) == rows
        for cut in range(len(text)):
            accumulator = BUILDS[build].JsonValueAccumulator()
            accumulator.add_fragment(text[:cut])
            accumulator.add_fragment(text[cut:])
            assert accumulator.value == rows, cut


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("wide", ["", *WIDE], ids=ascii)
def test_short_values_that_differ_in_one_character_are_distinguished(build: str, wide: str) -> None:
    # all lengths in one fragment, and each of them twice
    values = [""]
    for length in range(1, 20):
        for at in range(length):
            values += ["a" * at + other + "a" * (length - at - 1) for other in ("a", "b", wide)]
    values += [*values, *reversed(values)]
    text = json.dumps(values, ensure_ascii=False)
    assert read(build, text) == values
    assert read(build, text.replace("[", "[" + " " * 5)) == values
    cut = BUILDS[build].JsonValueAccumulator()
    for k in range(0, len(text), 1009):
        cut.add_fragment(text[k : k + 1009])
    assert cut.value == values
