"""Stored text made fit for a terminal: nothing in it can move the cursor, turn the direction, or hide.

A pure translation, one visible stand-in a character, so that columns and offsets stay. Whatever draws or prints text
from outside goes through here; `--json` does not need to, its escapes are safe as they are.
"""

import unicodedata

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CONTROL_PICTURES = 0x2400
_DELETE_PICTURE = "\N{SYMBOL FOR DELETE}"
_JOINERS = "\u200c\u200d"
# Invisible though no format characters: combining grapheme joiner, Hangul fillers, Khmer and Mongolian ones.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0")
# Format characters that draw a sign of their own: Arabic and Kaithi number and verse marks.
_DRAWN = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
_HIDING_CATEGORIES = ("Cf", "Cs", "Zl", "Zp")


def visible(text: str) -> str:
    """`text` with every control, bidi, zero-width, tag and surrogate character replaced; tab and newline stay.

    Joiners stay where writing needs them: between emoji, after an Indic virama, in Arabic script.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(text, at, character) for at, character in enumerate(text))


def visible_line(text: str) -> str:
    """As `visible`, on one line: tab, newline and carriage return are replaced as well."""
    return visible(text).replace("\t", "\N{SYMBOL FOR HORIZONTAL TABULATION}").replace("\n", "\N{SYMBOL FOR NEWLINE}")


def spelled(text: str) -> str:
    """`text` on one line as it can be typed, and told from any other: an escape such as `\\u200b` for what is hidden.

    Where the text is not in composed form (NFC) everything beyond ASCII is an escape.
    """
    is_composed = unicodedata.is_normalized("NFC", text)
    pairs = zip(text, visible_line(text), strict=True)
    return "".join(
        mine if mine == shown != REPLACEMENT and (is_composed or mine.isascii()) else escape(mine)
        for mine, shown in pairs
    )


def escape(character: str) -> str:
    """A character as a Python literal spells it where it is not printable ASCII."""
    return ascii(character)[1:-1]


def count_replaced(text: str) -> int:
    """How many characters of `text` the function `visible` replaces."""
    return sum(mine != shown for mine, shown in zip(text, visible(text), strict=True))


def _shown(text: str, at: int, character: str) -> str:
    if character in "\t\n" or " " <= character <= "~":
        return character
    if character < " ":
        return chr(_CONTROL_PICTURES + ord(character))
    if character == "\x7f":
        return _DELETE_PICTURE
    return REPLACEMENT if _hides(text, at, character) else character


def _hides(text: str, at: int, character: str) -> bool:
    if character in _JOINERS:
        return at == 0 or not _joins_after(text[at - 1])
    if character in _FILLERS or character <= "\x9f" or "\U000e0000" <= character <= "\U000e0fff":
        return True
    return unicodedata.category(character) in _HIDING_CATEGORIES and character not in _DRAWN


def _joins_after(before: str) -> bool:
    is_emoji = before == "\ufe0f" or unicodedata.category(before) in ("So", "Sk")
    is_virama = unicodedata.combining(before) == 9
    return (is_emoji and not before.isascii()) or is_virama or unicodedata.bidirectional(before) == "AL"
