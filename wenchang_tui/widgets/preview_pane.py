"""The file under the cursor, read as the cursor moves and read again when it changes."""

from collections.abc import Iterator
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from wenchang_tui.model.body_search import BodyHit
from wenchang_tui.model.catalog import Catalog, OpenFile
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.file_view import FileView, ReadFile, read_file
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.safe_text import safe

_NOTHING = """\
No file is selected.

What an agent writes shows here by itself. To let one in, press 4, then i.
^n makes a file by hand."""
_SOON = 0.1


class PreviewPane(Vertical):
    """One file. `max_bytes` is what a body may have."""

    DEFAULT_CSS = """
    PreviewPane { height: 1fr; min-height: 4; }
    """

    @dataclass
    class Shown(Message):
        """A file came in sight."""

        key: str

    def __init__(self, catalog: Catalog, max_bytes: int) -> None:
        super().__init__()
        self._catalog = catalog
        self._max_bytes = max_bytes
        self._reading = Lane[ReadFile | None](self, self._receive, self._end)
        self._keeps_scroll = False
        self._hit: BodyHit | None = None
        self.key: str | None = None
        self.file: OpenFile | None = None
        self.view = FileView(id="file")
        self.title = PaneTitle()
        self.title.track(self._reading, "reading")

    def compose(self) -> ComposeResult:
        """Title and file."""
        yield self.title
        yield self.view

    def show(self, key: str | None, hit: BodyHit | None = None) -> None:
        """Show the file at `key`, pointing at `hit`; `None` shows nothing."""
        is_same = key == self.key and self.file is not None
        self.key, self._hit = key, hit
        if key is None:
            self._reading.cancel()
            self.file = None
            self.title.left = self.title.right = Content("")
            self.view.show_note(_NOTHING)
        elif is_same and hit is not None:
            self.view.point_at(hit.line_number, hit.start, hit.end)
        else:
            self._read(key, keep_scroll=False)

    def show_changed(self, keys: frozenset[str]) -> None:
        """Read the file again when it is among `keys`; the scroll stays."""
        if self.key in keys:
            self._read(self.key, keep_scroll=True)

    def _read(self, key: str, *, keep_scroll: bool) -> None:
        self._keeps_scroll = keep_scroll

        def work(_: IsCancelled) -> Iterator[ReadFile | None]:
            file = self._catalog.open(key)
            yield read_file(file) if file is not None else None

        self._reading.run(work)
        if not keep_scroll:
            place, _, name = key.removesuffix(".md").rpartition("/")
            self.title.left = safe(f"{place}/").stylize("dim") + safe(name)
            self.title.right = Content("")
            self.set_timer(_SOON, lambda: self._empty_while_waiting(key))

    def _empty_while_waiting(self, key: str) -> None:
        """The file before stays for a moment, so that nothing flickers, but never while one waits."""
        if self._reading.busy and key == self.key and self.file is not None and self.file.key != key:
            self.file = None
            self.view.show_note("reading…")

    def cancel(self) -> bool:
        """Stop reading; whether a file was being read."""
        return self._reading.cancel()

    def _receive(self, read: ReadFile | None) -> None:
        is_marked = self._keeps_scroll and (bool(self.title.right.plain) or self._is_older_than(read))
        self.title.right = Content("")
        if read is None:
            self.file = None
            self.view.show_problem(Problem("Gone", "This file no longer exists.", "Select another one."))
            return
        self.file = read.file
        self.view.show_file(read, self._max_bytes, keep_scroll=self._keeps_scroll)
        if self._hit is not None:
            self.view.point_at(self._hit.line_number, self._hit.start, self._hit.end)
        if is_marked:
            self.title.right = Content("~ changed")
        else:
            self.post_message(self.Shown(read.file.key))

    def _is_older_than(self, read: ReadFile | None) -> bool:
        """Whether what is shown is another version of what was read."""
        if self.file is None or read is None:
            return False
        return self.file.key == read.file.key and self.file.version != read.file.version

    def _end(self, problem: Problem | None) -> None:
        if problem is not None:
            self.file = None
            self.title.right = Content("")
            self.view.show_problem(problem)
