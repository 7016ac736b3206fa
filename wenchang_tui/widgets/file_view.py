"""One memory file as a person reads it: its fields, what is wrong with it, and its body with the facts marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from wenchang.file_format import Fact, parse_fact
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.problems import Problem
from wenchang_tui.model.safe import count_replaced
from wenchang_tui.widgets.safe_text import safe_line
from wenchang_tui.widgets.text_lines import TextLine, TextLines

_COUNT_LIMIT = 1024 * 1024


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
        """Show a sentence, or a few lines, in place of a file."""
        self.show([TextLine(line, "dim") for line in note.split("\n")])


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
        description = file.metadata.description
        yield TextLine(description or "(no description)", "strong" if description else "dim")
    fields = [*_fields(read, max_bytes)]
    width = max(len(name) for name, _, _ in fields) + 2
    yield from (TextLine(text, tone, f"{safe_line(name):<{width}}", "dim") for name, text, tone in fields)
    yield TextLine("─" * 24, "rule")


def _fields(read: ReadFile, max_bytes: int) -> Iterator[tuple[str, str, str]]:
    """Name, text and tone of each field; of metadata that cannot be read, what is stored."""
    file = read.file
    if file.parts is None:
        yield "key", file.key, ""
    if file.metadata is None:
        yield from ((name, text, "warn") for name, text in sorted(file.stored.items()))
    else:
        yield "aliases", ", ".join(file.metadata.aliases) or "none", ""
        yield "sources", ", ".join(sorted(file.metadata.sources)) or "none", ""
        yield "updated", f"{moment(file.metadata.last_updated)} UTC", ""
    yield "version", file.version, ""
    is_over = file.size > max_bytes
    share = f"{file.size:,} of {max_bytes:,} bytes ({100 * file.size // max_bytes}%)"
    yield "size", share + (": over the limit" if is_over else ""), "warn" if is_over else ""
    if read.replaced:
        yield "note", f"{read.replaced:,} invisible or control characters are shown by stand-ins", "warn"


def _problem_lines(file: OpenFile) -> Iterator[TextLine]:
    yield TextLine(file.problem or "", "bad", "! ", "bad")
    if file.parts is None:
        yield TextLine("Agents never see it: its key is not scope/entity/area/name.md. Press 5 to move it.", "warn")
    elif file.metadata is None:
        yield TextLine("While it is like that, no agent gets an index with this entity. Press 5 to repair it.", "warn")
    else:
        yield TextLine("Agents cannot read it. Bytes that are no UTF-8 show as \N{REPLACEMENT CHARACTER}.", "warn")
        yield TextLine("Press 5 to repair it.", "warn")


def moment(time: datetime, *, seconds: bool = True) -> str:
    """A time in UTC, as it is written everywhere in the app."""
    try:
        utc = time.astimezone(UTC)
    except OverflowError:
        return "outside the range of UTC"
    return f"{utc:%Y-%m-%d %H:%M:%S}" if seconds else f"{utc:%Y-%m-%d %H:%M}"
