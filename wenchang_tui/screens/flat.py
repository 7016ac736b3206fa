"""A file memory on one screen: its folders, the files of one with their standing in the index, and one of them."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input

from wenchang_tui.model.flat_editing import Conflict, Deleted, FlatEdit, Gone, Outcome, begin, delete, rebuild_index
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import FlatRow, Mark
from wenchang_tui.model.problems import Problem
from wenchang_tui.screens.agent_dialogs import AskDialog
from wenchang_tui.screens.copy import CopyDialog
from wenchang_tui.screens.flat_editor import FlatEditor
from wenchang_tui.screens.frame import Frame
from wenchang_tui.screens.typed_dialog import TypedDialog
from wenchang_tui.widgets.bars import PaneTitle
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.files_pane import FilterInput
from wenchang_tui.widgets.flat_files import FlatFilesPane
from wenchang_tui.widgets.flat_hits import FlatHitsPane
from wenchang_tui.widgets.flat_preview import FlatPreview
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.text_lines import TextLine

ANYBODY = ("any agent that connects: a file memory has neither scopes nor roles", "any agent")
_UNREADABLE = frozenset({Mark.NOT_TEXT, Mark.UNREADABLE})
_GONE = Problem("Gone", "This file no longer exists.", "Select another one.")


class FlatScreen(Frame):
    """The folder selected on the left decides what is listed, the row selected there what is shown."""

    PLACE = Where.FLAT
    NAME = "browse"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.FLAT)]
    DEFAULT_CSS = """
    FlatScreen {
        & #left { width: 16; height: 1fr; border-right: vkey $panel-lighten-1; }
        & #right { width: 1fr; height: 1fr; background: $surface; }
        &.-wide #left { width: 26; }
        &.-half #right > *:focus-within { height: 3fr; }
        &.-full #left { display: none; }
        &.-full #right:focus-within > * { display: none; }
        &.-full #right > *:focus-within { display: block; border: none; }
    }
    """

    def __init__(self, flat: FlatFolder) -> None:
        super().__init__(flat)
        self.flat = flat
        self.top.identity = ANYBODY
        self.folders = RowList[str](
            (Column("name", ""),), str, _draw_folder, header=False, marks=False, id="folders", empty=""
        )
        self.files = FlatFilesPane(flat)
        self.hits = FlatHitsPane(flat)
        self.preview = FlatPreview(flat)
        self._left = Vertical(PaneTitle("folders"), self.folders, id="left")
        self._opening = Lane[FlatEdit | Problem | None](self, self._edit, self.say)
        self._confirming = Lane[FlatEdit | Problem | None](self, self._confirm_delete, self.say)
        self._deleting = Lane[Deleted | Outcome](self, self._deleted, self.say)
        self._rebuilding = Lane[Problem | None](self, self._rebuilt, self.say)

    def body(self) -> Iterable[Widget]:
        """Folders, list and file."""
        yield Horizontal(self._left, Vertical(self.files, self.hits, self.preview, id="right"))

    def on_mount(self) -> None:
        """The cursor starts among the files of the root."""
        self._left.display = self.hits.display = False
        self.set_focus(self.files.list)
        self._show_folder("")

    # selection flows down: folder, rows, file

    def _show_folder(self, folder: str) -> None:
        self.files.title.left = safe(f"{self.flat.target}/{folder}" if folder else self.flat.target)
        self.files.show(folder)
        if self.hits.display:
            self.hits.look_in(folder)

    @on(RowList.Highlighted, "#folders")
    def _select_folder(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key is not None and event.key != self.files.folder:
            self._show_folder(event.key)

    @on(FlatFilesPane.Listed)
    def _list(self, event: FlatFilesPane.Listed) -> None:
        event.stop()
        folders = event.listing.folders
        self._left.display = len(folders) > 1
        self.folders.set_rows(folders)
        if self.preview.shows_index:
            self.preview.show_index(event.listing, self.files.folder)
        elif not self.hits.display:
            self.preview.show(self.files.list.current, self.files.folder)
        else:
            self.hits.search()
        self.refresh_bindings()

    @on(FlatFilesPane.Selected)
    def _select_file(self, event: FlatFilesPane.Selected) -> None:
        event.stop()
        if not self.hits.display and not (self.preview.shows_index and event.row is None):
            self.preview.show(event.row, self.files.folder)
            self.refresh_bindings()

    @on(FlatHitsPane.Selected)
    def _select_hit(self, event: FlatHitsPane.Selected) -> None:
        event.stop()
        self.preview.show(self._row(event.hit.name), self.hits.folder, event.hit)
        self.refresh_bindings()

    def _row(self, name: str) -> FlatRow | None:
        rows = self.files.listing.rows if self.files.listing else ()
        return next((row for row in rows if row.name == name), None)

    @on(RowList.Chosen, "#files")
    @on(RowList.Chosen, "#hits")
    def _to_preview(self, event: RowList.Chosen) -> None:
        event.stop()
        self.set_focus(self.preview.view)

    @on(RowList.Chosen, "#folders")
    def _to_files(self, event: RowList.Chosen) -> None:
        event.stop()
        self.set_focus(self.files.list)

    @on(FlatPreview.Shown)
    def _file_seen(self, event: FlatPreview.Shown) -> None:
        event.stop()
        self.files.seen(event.name)
        self.refresh_bindings()

    def show_identity(self, identity: object, problem: Problem | None = None) -> None:
        """There is none here."""

    def open_file(self, key: str) -> None:
        """Go to a file of the root; a filter would hide it."""
        self._close_hits()
        self.files.input.value = ""
        if self.files.folder:
            self._show_folder("")
            self.folders.move_to_key("")
        self.files.go_to(key)

    def store_changed(self, keys: frozenset[str]) -> None:  # noqa: ARG002
        """Read the folder again: the index stands for all of it."""
        if self.is_mounted:
            self.files.reload()

    # commands

    def met_needs(self) -> set[Need]:
        """What the selection and the settings allow."""
        row = self.preview.row
        tests = {
            Need.FILE: row is not None and not row.memory.marks & _UNREADABLE and not self.preview.shows_index,
            Need.WRITABLE: not self.flat.settings.read_only,
        }
        return super().met_needs() | {need for need, is_met in tests.items() if is_met}

    def action_filter(self) -> None:
        """Open the filter. The focus moves at once, so that the next key is typed into it."""
        self._close_hits()
        self.files.input.display = True
        self.set_focus(self.files.input)

    def action_search(self) -> None:
        """Open the search."""
        self.files.display = False
        self.hits.display = True
        self.set_focus(self.hits.input)
        self.hits.look_in(self.files.folder)

    @on(FilterInput.Done)
    def _to_list(self) -> None:
        self.set_focus(self.hits.list if self.hits.display else self.files.list)

    def action_index(self) -> None:
        """Show the index, or the file again."""
        if self.preview.shows_index:
            self.preview.show(self.files.list.current, self.files.folder)
        elif self.files.listing is not None:
            self.preview.show_index(self.files.listing, self.files.folder)
        self.refresh_bindings()

    def action_sort_next(self) -> None:
        """Another column to sort by."""
        self.files.sort_next()

    def action_sort_reverse(self) -> None:
        """The other way around."""
        self.files.reverse()

    def action_copy(self) -> None:
        """Offer the fields of the file."""
        row, text = self.preview.row, self.preview.text
        if row is not None and text is not None:
            self.app.push_screen(CopyDialog("Copy", _fields(row, text)))

    def action_reload(self) -> None:
        """Everything anew."""
        self.files.reload()

    def action_step_back(self) -> None:
        """Whatever is open or under way, one step of it."""
        if any([self.files.cancel(), self.hits.cancel(), self.preview.cancel()]):
            return
        if self.hits.display:
            self._close_hits()
        elif self.files.input.display:
            self.files.input.value = ""
            self.files.input.display = False
            self.set_focus(self.files.list)
        elif self.zoom != "normal":
            self.zoom = "normal"
        elif self.preview.shows_index:
            self.action_index()
        elif self.focused is self.preview.view:
            self.set_focus(self.files.list)
        elif self._left.display:
            self.set_focus(self.folders)

    def _close_hits(self) -> None:
        if self.hits.display:
            self.hits.display = False
            self.files.display = True
            self.set_focus(self.files.list)
            self.preview.show(self.files.list.current, self.files.folder)

    @on(Input.Submitted)
    def _keep_typing(self, event: Input.Submitted) -> None:
        event.stop()

    # changing

    def action_edit(self) -> None:
        """Read the file as it is now, and edit it."""
        self._begin(self._opening)

    def action_delete(self) -> None:
        """Read the file as it is now, and ask."""
        self._begin(self._confirming)

    def _begin(self, lane: Lane[FlatEdit | Problem | None]) -> None:
        row, flat, folder = self.preview.row, self.flat, self.preview.folder
        if row is None:
            return
        name = row.name

        def work(_: IsCancelled) -> Iterator[FlatEdit | Problem | None]:
            yield begin(flat, name, folder)

        lane.run(work)

    def _edit(self, begun: FlatEdit | Problem | None) -> None:
        if isinstance(begun, FlatEdit):
            self.app.push_screen(FlatEditor(self.flat, begun), lambda _: self.files.reload())
        else:
            self.say(begun or _GONE)

    def _confirm_delete(self, begun: FlatEdit | Problem | None) -> None:
        if not isinstance(begun, FlatEdit):
            self.say(begun or _GONE)
            return
        lines = [
            TextLine(begun.name, "strong"),
            TextLine(f"{begun.base.size:,} bytes and the description go for good.", "warn"),
            TextLine("Nothing happens if anybody changes the file before you answer.", "dim"),
        ]
        self.app.push_screen(TypedDialog("Delete", lines, begun.name), partial(self._delete, begun))

    def _delete(self, edit: FlatEdit, is_sure: bool | None) -> None:
        if is_sure:
            flat = self.flat
            self._deleting.run(lambda _: iter([delete(flat, edit)]))

    def _deleted(self, outcome: Deleted | Outcome) -> None:
        match outcome:
            case Deleted(name):
                self.notify(name, title="Deleted")
            case Conflict(edit=edit):
                self.say(Problem("Not deleted", f"Somebody changed {edit.name} meanwhile.", "Look at it again."))
            case Gone():
                self.say(_GONE)
            case other:
                self.say(getattr(other, "problem", None))
        self.files.reload()

    def action_rebuild(self) -> None:
        """Ask, then write the index anew."""
        sentences = ("memories.md is written anew from the files and descriptions that are there.", "No file changes.")
        self.app.push_screen(AskDialog("Rebuild the index", sentences, "Rebuild"), self._rebuild)

    def _rebuild(self, is_sure: bool | None) -> None:
        if is_sure:
            flat, folder = self.flat, self.files.folder
            self._rebuilding.run(lambda _: iter([rebuild_index(flat, folder)]))

    def _rebuilt(self, problem: Problem | None) -> None:
        if problem is None:
            self.notify("memories.md", title="Rebuilt")
        self.say(problem)
        self.files.reload()


def _fields(row: FlatRow, text: str) -> dict[str, tuple[str, str]]:
    memory = row.memory
    facts = {"name": row.name, "description": memory.description, "content": text, "version": memory.version}
    document = {**facts, "bytes": memory.size, "modified": memory.modified.isoformat()}
    return {
        "b": ("Body", text),
        "p": ("Path", row.name),
        "J": ("JSON", json.dumps(document, indent=2)),
        "v": ("Version", memory.version),
    }


def _draw_folder(folder: str) -> Look:
    depth, name = folder.count("/"), folder.rpartition("/")[2]
    return Look({"name": Cell(f"{'  ' * (depth + 1)}{name}/" if folder else "root", "" if folder else "strong")})
