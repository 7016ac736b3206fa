"""Rules about text that all implementations of the file memory share, because the first one is written in Go.

What is blank, how text is quoted in messages, and how letter case is set aside. Not about files or their names.
"""

from wenchang._types import is_utf8

WHITESPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""Go's `unicode.IsSpace`. Python counts U+001C to U+001F as well."""

_SPACE_FOR_EACH = dict.fromkeys(map(ord, WHITESPACE), " ")
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}


def is_blank(text: str) -> bool:
    """Whether nothing but whitespace is in `text`."""
    return not text.strip(WHITESPACE)


def on_one_line(text: str) -> str:
    """`text` trimmed, and with every run of whitespace turned into one space."""
    return " ".join(word for word in text.translate(_SPACE_FOR_EACH).split(" ") if word)


def well_formed(text: str) -> str:
    """`text` with U+FFFD for each surrogate that has no partner."""
    if is_utf8(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def ascii_lowered(text: str) -> str:
    """`text` with the letters A to Z in lower case, and no others."""
    return text.translate(_ASCII_LOWER)


def lowered(text: str) -> str:
    """`text` with each character in lower case on its own, so that none depends on its neighbours or grows."""
    return "".join(character.lower()[0] for character in text)


def quoted(text: str) -> str:
    """`text` in double quotes, with everything escaped that would not show; Go's `%q`."""
    return f'"{"".join(map(_escaped, well_formed(text)))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
