"""One memory file as a person reads it: its fields, what is wrong with it, and its body with the facts marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from wenchang.file_format import Fact, FileMetadata, parse_fact
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.safe import count_replaced
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_COUNT_LIMIT = 1024 * 1024
_LEAD = 9


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file with what takes time to find out about it: its lines, and how many characters have stand-ins."""

    file: OpenFile
    lines: Sequence[str]
    replaced: int | None


def read_file(file: OpenFile) -> ReadFile:
    """Prepare a file for display; slow for a huge one, so call it where waiting does no harm."""
    text = file.shown_text
    replaced = count_replaced(text) if len(text) <= _COUNT_LIMIT else None
    return ReadFile(file, text.split("\n"), replaced)


class FileView(TextLines):
    """The fields and the body of one file, or what stands in its way."""

    def show_file(self, read: ReadFile, max_bytes: int, *, keep_scroll: bool = False) -> None:
        """Show a file; `max_bytes` is what a body may have."""
        self.show([*_head(read, max_bytes)], read.lines, draw_line, keep_scroll=keep_scroll)

    def show_problem(self, problem: Problem) -> None:
        """Show why there is no file to show."""
        self.show(
            [
                TextLine(problem.title, "bad", "! ", "bad"),
                TextLine(problem.sentence),
                TextLine(problem.next_step, "dim"),
            ]
        )

    def show_note(self, note: str) -> None:
        """Show a sentence in place of a file."""
        self.show([TextLine(note, "dim")])


def draw_line(line: str) -> TextLine:
    """A fact with its label apart, any other line as it stands."""
    fact = parse_fact(line)
    if isinstance(fact, Fact):
        return TextLine(fact.text, "", f"- [{fact.label.value}] ", fact.label.value)
    return TextLine(line)


def _head(read: ReadFile, max_bytes: int) -> Iterator[TextLine]:
    file = read.file
    if file.problem is not None:
        yield from _problem_lines(file)
    if file.metadata is not None:
        yield from _field_lines(file.metadata)
    else:
        yield from (TextLine(value, "warn", _lead(key), "dim") for key, value in sorted(file.stored.items()))
    yield TextLine(f"{file.version}", "", _lead("version"), "dim")
    over = file.size > max_bytes
    share = f"{file.size:,} of {max_bytes:,} bytes ({100 * file.size // max_bytes}%)"
    yield TextLine(share + (": over the limit" if over else ""), "warn" if over else "", _lead("size"), "dim")
    if read.replaced:
        yield TextLine(
            f"{read.replaced:,} invisible or control characters are shown by stand-ins", "warn", _lead("note"), "dim"
        )
    yield TextLine("─" * 24, "rule")


def _field_lines(metadata: FileMetadata) -> Iterator[TextLine]:
    yield TextLine(metadata.description or "(no description)", "strong" if metadata.description else "dim")
    yield TextLine(", ".join(metadata.aliases) or "none", "", _lead("aliases"), "dim")
    yield TextLine(", ".join(sorted(metadata.sources)) or "none", "", _lead("sources"), "dim")
    yield TextLine(f"{moment(metadata.last_updated)} UTC", "", _lead("updated"), "dim")


def _problem_lines(file: OpenFile) -> Iterator[TextLine]:
    yield TextLine(file.problem or "", "bad", "! ", "bad")
    if file.parts is None:
        yield TextLine("Agents never see it: its key is not scope/entity/area/name.md.", "warn")
        yield TextLine(file.key, "", _lead("key"), "dim")
    elif file.metadata is None:
        yield TextLine("The agent's whole index fails while it is here: repair its metadata or delete it.", "warn")
    else:
        yield TextLine("Agents cannot read it. Bytes that are no UTF-8 show as \N{REPLACEMENT CHARACTER}.", "warn")


def _lead(name: str) -> str:
    return f"{name:<{_LEAD}}" if len(name) < _LEAD else f"{name} "


def moment(time: datetime, *, seconds: bool = True) -> str:
    """A time in UTC, as it is written everywhere in the app."""
    try:
        utc = time.astimezone(UTC)
    except OverflowError:
        return "outside the range of UTC"
    return f"{utc:%Y-%m-%d %H:%M:%S}" if seconds else f"{utc:%Y-%m-%d %H:%M}"
