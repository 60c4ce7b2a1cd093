# cython: boundscheck=False
"""The lenient dialect: what a look-ahead finds.

Each function reads text[i:n] and returns a verdict: YES, NO, or MORE if it depends on text that is still to
come. With ``is_final`` nothing follows text[n - 1], and the verdict is never MORE.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import cython_shim as cython

if not TYPE_CHECKING and cython.compiled:
    import cython  # the name that the compiler looks for

if not cython.compiled:
    from .modes import AFTER_ITEM, AFTER_ROOT, JOIN, LENIENT_KEY, MORE, NO, YES
    from .numbers import _step, is_part
    from .repairs import is_wrapped

    # the longest name that a look-ahead reads
    NAME = 64

if TYPE_CHECKING:
    from .machine import Machine

__all__ = [
    "CLOSERS",
    "WORDS",
    "begins_word",
    "comment_at",
    "is_name_char",
    "is_name_start",
    "is_odd_space",
    "is_quote",
    "names_member",
    "names_quoted_member",
    "quote_verdict",
    "separates_members",
    "skip_space",
    "strict_stop",
]

# for every opening quote the quotes that close it
CLOSERS = {
    '"': '"', "'": "'", "`": "`", "´": "´", "“": "”“", "”": "”", "„": "“”", "‘": "’", "’": "’", "‚": "‘’",
    "«": "»", "»": "«", "‹": "›", "\uff02": "\uff02",
}  # fmt: skip

# words for literals, with the value that each stands for
WORDS: dict[str, bool | None] = {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
    "null": None, "Null": None, "NULL": None, "None": None, "undefined": None, "NaN": None, "Infinity": None,
    "nan": None, "inf": None,
}  # fmt: skip


def is_quote(c: str) -> bool:
    """Report whether a character is a quote of any kind."""
    if c < "\x80":
        return c == '"' or c == "'" or c == "`"
    return c in "´“”„‘’‚«»‹\uff02"


def is_odd_space(c: str) -> bool:
    """Report whether a character is white space, or has no width, but is no white space in JSON."""
    if c < "\x80":
        return c == "\x0b" or c == "\x0c"
    return (
        c == "\x85" or c == "\xa0" or c == "\u1680" or "\u2000" <= c <= "\u200f" or c == "\u2028"
        or c == "\u2029" or c == "\u202f" or c == "\u205f" or c == "\u2060" or c == "\u3000" or c == "\ufeff"
    )  # fmt: skip


def is_name_start(c: str) -> bool:
    """Report whether a name may begin with a character."""
    if c < "\x80":
        return "a" <= c <= "z" or "A" <= c <= "Z" or c == "_" or c == "$"
    return c.isalpha()


def is_name_char(c: str) -> bool:
    """Report whether a character may be part of a name."""
    if c < "\x80":
        return "a" <= c <= "z" or "A" <= c <= "Z" or "0" <= c <= "9" or c == "_" or c == "$"
    return c.isalnum()


def begins_word(word: str) -> bool:
    """Report whether a word for a literal begins like this."""
    return any(other.startswith(word) for other in WORDS)


def skip_space(text: str, i: int, n: int) -> int:
    """Return the index of the first character of text[i:n] that is not white space, or n."""
    while i < n:
        c = text[i]
        if c > " " if c < "\x80" else not is_odd_space(c):
            break
        if c < " " and c != "\n" and c != "\t" and c != "\r":
            break
        i += 1
    return i


def skip_json_space(text: str, i: int, n: int) -> int:
    """Return the index of the first character of text[i:n] that is not white space in JSON, or n."""
    while i < n and (text[i] == " " or text[i] == "\n" or text[i] == "\t" or text[i] == "\r"):
        i += 1
    return i


def comment_at(text: str, i: int, n: int, is_spaced: bool, is_final: bool) -> int:
    """Report whether a comment begins at text[i]; a hash begins one only after white space."""
    c = text[i]
    if c == "#":
        return YES if is_spaced else NO
    if c == "/":
        if i + 1 == n:
            return NO if is_final else MORE
        return YES if text[i + 1] == "/" or text[i + 1] == "*" else NO
    return NO


def ellipsis_at(text: str, i: int, n: int, is_final: bool) -> int:
    """Report whether an ellipsis begins at text[i]."""
    c = text[i]
    if c == "…":
        return YES
    j = i
    while j < n and j < i + 3 and text[j] == ".":
        j += 1
    if j == i + 3:
        return YES
    return MORE if j == n and j > i and not is_final else NO


def names_member(text: str, i: int, n: int, is_final: bool) -> int:
    """Report whether a name and a colon begin at text[i]."""
    if not is_name_start(text[i]):
        return NO
    j = i + 1
    while j < n and j - i <= NAME and (is_name_char(text[j]) or text[j] == "-" or text[j] == "."):
        j += 1
    if j - i > NAME:
        return NO
    k = skip_space(text, j, n)
    if k < n and text[k] == ":":
        if k + 1 < n and k == j and text[k + 1] == "/":
            # the scheme of a URL
            if k + 2 < n:
                return NO if text[k + 2] == "/" else YES
        elif k + 1 < n or k > j:
            return YES
    elif k < n:
        return NO
    return NO if is_final else MORE


def names_quoted_member(text: str, i: int, n: int, quotes: str, is_final: bool) -> int:
    """Report whether the rest of a quoted name and a colon begin at text[i], right after its quote."""
    j = i
    while j < n and j - i <= NAME:
        c = text[j]
        if c in quotes:
            break
        if c < " " or c in '\\{}[],:"' or (j == i and c == " "):
            return NO
        j += 1
    if j - i > NAME or j == i < n:
        return NO
    k = j if j == n else skip_space(text, j + 1, n)
    if k == n:
        return NO if is_final else MORE
    return YES if text[k] == ":" else NO


def separates_members(text: str, i: int, n: int, is_final: bool) -> int:
    """Report whether the comma at text[i] ends the value of a member: whether another one may follow."""
    k = skip_space(text, i + 1, n)
    if text.find("\n", i, k) >= 0:
        return YES
    if k == n:
        return YES if is_final else MORE
    c = text[k]
    if c == '"' or c == "}" or c == "]" or c == "," or c == "…" or (is_quote(c) and c != "`"):
        return YES
    if c == "/" or c == "#":
        return comment_at(text, k, n, True, is_final)
    if c == ".":
        return ellipsis_at(text, k, n, is_final)
    if c == "\\":
        if k + 1 == n:
            return YES if is_final else MORE
        return YES if text[k + 1] == '"' or text[k + 1] == "n" else NO
    return names_member(text, k, n, is_final)


def _separates_items(text: str, i: int, n: int, is_final: bool) -> int:
    """Report whether the comma at text[i] ends an item, because a value may begin after it."""
    verdict = separates_members(text, i, n, is_final)
    if verdict == YES:
        return YES
    found = _begins_value(text, i + 1, n, is_final)
    return verdict if found == NO else found


def _begins_value(text: str, i: int, n: int, is_final: bool) -> int:
    """Report whether a value begins after white space at text[i]: of words, only one for a literal."""
    k = skip_space(text, i, n)
    if k == n:
        return YES if is_final else MORE
    c = text[k]
    if "0" <= c <= "9" or c == "-" or c == "{" or c == "[" or is_quote(c):
        return YES
    if not is_name_start(c):
        return NO
    j = k + 1
    while j < n and j - k <= NAME and is_name_char(text[j]):
        j += 1
    if j - k > NAME:
        return NO
    if j == n and not is_final:
        return MORE
    return YES if text[k:j] in WORDS or (j == n and begins_word(text[k:j])) else NO


def strict_stop(text: str, i: int, n: int) -> int:
    """Return where strict parsing reports an error for the value at text[i]."""
    c = text[i]
    j = i
    if "0" <= c <= "9" or c == "-":
        state = 0
        while j < n:
            step = _step(state, text[j])
            if step < 0:
                break
            state = step
            j += 1
        return skip_json_space(text, j, n) if state >= 5 and j < n and not is_part(text[j]) else j
    if c == "t" or c == "f" or c == "n":
        word = "true" if c == "t" else "false" if c == "f" else "null"
        while j < n and j - i < len(word) and text[j] == word[j - i]:
            j += 1
        return skip_json_space(text, j, n) if j - i == len(word) else j
    return i


def quote_verdict(machine: Machine, text: str, i: int, n: int, is_final: bool) -> int:
    """Report whether the quote text[i] closes the open string, or joins it with another one.

    ``machine.seen`` is the next character that is not white space; ``machine.seen_quote`` the quote of the
    string that is joined. The order of the questions is the order of precedence, so they are in one function.
    """
    machine.seen = skip_json_space(text, i + 1, n)
    k = skip_space(text, machine.seen, n)
    if k == n:
        return YES if is_final else MORE
    c = text[k]
    if machine.mode == LENIENT_KEY:
        return _key_verdict(machine, text, i, k, n, is_final)
    if machine.after == AFTER_ROOT:
        return YES
    if c == "," or c == "}" or c == "]":
        if c == ",":
            if machine.after == AFTER_ITEM:
                verdict = _separates_items(text, k, n, is_final)
            else:
                verdict = separates_members(text, k, n, is_final)
            if verdict == NO:
                k = skip_space(text, k + 1, n)
                if k < n and (text[k] in machine.quotes or (text[k] == ")" and is_wrapped(machine))):
                    return YES
                if machine.seen == text.find(",", i, k):
                    k = skip_json_space(text, machine.seen + 1, n)
                    machine.seen = strict_stop(text, k, n) if machine.after == AFTER_ITEM else k
            return verdict
        if c == "}":
            return YES if machine.objects > 0 else NO
        return YES if len(machine.stack) > machine.objects else NO
    if c == ";":
        return YES
    if c == ")":
        return YES if is_wrapped(machine) else NO
    if c == "/" or c == "#":
        return comment_at(text, k, n, k > i + 1, is_final)
    if c == "+":
        return _joins(machine, text, k, n, is_final)
    if c == ":" and machine.after == AFTER_ITEM:
        # a member of an array
        return _begins_value(text, k + 1, n, is_final)
    if c == "\\":
        # white space that was escaped, before a closing bracket
        if k + 1 < n and text[k + 1] != "n":
            return NO
        k = skip_space(text, k + 2, n)
        if k >= n:
            return NO if is_final else MORE
        return YES if text[k] == "}" or text[k] == "]" else NO
    is_next_line = text.find("\n", i, k) >= 0
    if c == '"' or c in machine.quotes:
        if is_next_line:
            return YES
        if k == i + 1:
            # of two quotes the second one closes, if a separator follows it
            return NO
        if machine.after == AFTER_ITEM:
            return YES
        return names_quoted_member(text, k + 1, n, machine.quotes, is_final)
    if is_next_line:
        if _may_close_fence(machine, c):
            return YES
        if machine.after != AFTER_ITEM:
            return names_member(text, k, n, is_final)
    return NO


def _key_verdict(machine: Machine, text: str, i: int, k: int, n: int, is_final: bool) -> int:
    """Report whether the quote text[i] closes the open key; text[k] is the next character."""
    c = text[k]
    if c == ":" or c == "=" or c == "," or c == "}" or c == "{" or c == "[" or c == "-" or "0" <= c <= "9":
        return YES
    if c == '"' or c in machine.quotes:
        if k > i + 1:
            return YES
        j = skip_space(text, k + 1, n)
        if j == n:
            return YES if is_final else MORE
        return NO if text[j] == ":" or text[j] == "=" else YES
    if _may_close_fence(machine, c) and text.find("\n", i, k) >= 0:
        return YES
    return comment_at(text, k, n, k > i + 1, is_final)


def _may_close_fence(machine: Machine, c: str) -> bool:
    """Report whether the fence around the document is made of this character."""
    return machine.fence != 0 and c == ("`" if machine.fence > 0 else "~")


def _joins(machine: Machine, text: str, k: int, n: int, is_final: bool) -> int:
    """Report whether another string follows after the plus sign at text[k]."""
    j = skip_space(text, k + 1, n)
    if j == n:
        return NO if is_final else MORE
    c = text[j]
    if c == '"' or c == "'" or c in machine.quotes:
        machine.seen_quote = j
        return JOIN
    return NO
