"""A text as an editor of lines can hold it, and the way back to every character that the editor cannot.

Editors of lines know one kind of line end, and take several invisible characters for another. Here such characters are
shown as stand-ins that occur nowhere else in the text, and line ends as `\\n`; on the way back stand-ins become what
they stand for, and each line keeps the end it had.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain

from wenchang_tui.model.safe import visible, visible_line

_LINE_END = re.compile(r"\r\n|\n|\r")
# Circled letters first, then Braille, then ideographs: more signs than there are characters to stand for.
_SIGNS = (range(0x24D0, 0x24EA), range(0x24B6, 0x24D0), range(0x2801, 0x2900), range(0x4E00, 0x9FA6))


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign shown in the place of a character that must not be drawn; `name` is that of Unicode."""

    shown: str
    original: str
    name: str


@dataclass(frozen=True, slots=True)
class LineText:
    """A text, the same as shown to an editor of lines (one character each, a line end being one), and its marks."""

    text: str
    shown: str
    marks: tuple[Mark, ...]

    @property
    def has_mixed_ends(self) -> bool:
        """Whether the text holds line ends of more than one kind."""
        return len(set(_LINE_END.findall(self.text))) > 1

    def back(self, shown: str) -> str:
        """The text that `shown`, an edited version of what this one shows, stands for.

        Lines that were left alone keep every character and their end; new ones end as their neighbours do.
        """
        if shown == self.shown:
            return self.text
        originals = {ord(mark.shown): mark.original for mark in self.marks}
        lines = _LINE_END.sub("\n", shown).translate(originals).split("\n")
        text = ""
        for line, end in zip(lines, self._ends(lines), strict=True):
            fuses = not line and end == "\n" and text.endswith("\r")
            text += line + ("\r" if fuses else end)
        return text

    def taking_in(self, text: str, beside: str = "") -> tuple["LineText", str]:
        """The same with marks for whatever `text`, about to be pasted, hides; and how to show that text.

        `beside` is what the editor shows already, so that no new sign occurs there.
        """
        plain = _LINE_END.sub("\n", text)
        marks, shown = _signed(plain, visible(plain), self.marks, {*beside, *self.shown})
        return replace(self, marks=marks), shown

    def _ends(self, lines: Sequence[str]) -> Iterator[str]:
        """The end of each line of an edited text; the last has none."""
        old_lines, old_ends = _split(self.text)
        for position, partner in enumerate(_partners(old_lines, lines)):
            if position == len(lines) - 1:
                yield ""
            else:
                yield old_ends[partner] or old_ends[partner - 1] or "\n"


def line_text(text: str) -> LineText:
    """The text made ready for an editor of lines."""
    ready, shown = LineText(text, "", ()).taking_in(text)
    return replace(ready, shown=shown)


@dataclass(frozen=True, slots=True)
class FieldText:
    """A text as a one-line input holds it: line breaks and tabs are shown by signs, too, one for each character."""

    text: str
    shown: str
    marks: tuple[Mark, ...]

    def back(self, shown: str) -> str:
        """The text that `shown`, an edited version of what this one shows, stands for."""
        return shown.translate({ord(mark.shown): mark.original for mark in self.marks})

    def taking_in(self, text: str, beside: str = "") -> tuple["FieldText", str]:
        """As that of `LineText`: the same with marks for what `text` hides, and how to show that text."""
        marks, shown = _signed(text, visible_line(text), self.marks, {*beside, *self.shown})
        return replace(self, marks=marks), shown


def field_text(text: str) -> FieldText:
    """The text made ready for a one-line input."""
    ready, shown = FieldText(text, "", ()).taking_in(text)
    return replace(ready, shown=shown)


def _signed(plain: str, safe: str, marks: tuple[Mark, ...], taken: set[str]) -> tuple[tuple[Mark, ...], str]:
    """The marks with those for what `safe`, character by character, shows another way, and the text with signs."""
    pairs = list(zip(plain, safe, strict=True))
    signs = {mark.original: mark.shown for mark in marks}
    hidden = dict.fromkeys(mine for mine, shown in pairs if mine != shown and mine not in signs)
    marks = (*marks, *_marks(hidden, {*plain, *taken, *signs.values()}))
    signs = {mark.original: mark.shown for mark in marks}
    return marks, "".join(mine if mine == shown else signs[mine] for mine, shown in pairs)


def _marks(hidden: Iterable[str], taken: set[str]) -> Iterator[Mark]:
    """A sign of its own for each hidden character: the usual one for a control, unless the text itself holds it."""
    free = (sign for sign in map(chr, chain.from_iterable(_SIGNS)) if sign not in taken)
    for character in hidden:
        usual = visible_line(character)
        sign = usual if unicodedata.category(usual) == "So" and usual not in taken | {"\ufffd"} else next(free)
        yield Mark(sign, character, _name(character))


def _name(character: str) -> str:
    name = unicodedata.name(character, "") or _CONTROL_NAMES.get(character, "control character")
    return f"U+{ord(character):04X} {name}"


_CONTROL_NAMES = {"\x0b": "LINE TABULATION", "\x0c": "FORM FEED", "\x1b": "ESCAPE", "\x85": "NEXT LINE"}


def split_lines(text: str) -> list[str]:
    """The lines of a text, each with its own end; joined they are the text."""
    lines, ends = _split(text)
    whole = [line + end for line, end in zip(lines, ends, strict=True)]
    return whole if whole[-1] else whole[:-1]


def _split(text: str) -> tuple[list[str], list[str]]:
    """The lines of a text and the end of each; the last line's end is empty."""
    return _LINE_END.split(text), [*_LINE_END.findall(text), ""]


def _partners(old: Sequence[str], new: Sequence[str]) -> Iterator[int]:
    """For each new line the old one whose end it takes over: itself, the one it replaces, or the one before it."""
    head = _common(zip(old, new, strict=False))
    tail = _common(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    yield from range(head)
    middle = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    for kind, start, end, new_start, new_end in middle.get_opcodes():
        for position in range(new_start, new_end):
            if kind == "insert":
                yield max(head + start - 1, 0)
            elif position == new_end - 1:
                yield head + end - 1
            else:
                yield head + min(start + position - new_start, end - 1)
    yield from range(len(old) - tail, len(old))


def _common(pairs: Iterable[tuple[str, str]]) -> int:
    """How many leading pairs are of equal texts."""
    count = 0
    for mine, theirs in pairs:
        if mine != theirs:
            break
        count += 1
    return count
