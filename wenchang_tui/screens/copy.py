"""What of a file should be copied? One key for each of its fields; the terminal's clipboard takes it, if it can."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import App, ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from wenchang.file_format import metadata_to_map
from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

CLIPBOARD_BYTES = 74_994


class CopyDialog(Dialog[None]):
    """The fields of one file, or of several that are marked: each by its key, with its name and its text."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.COPY, Where.DIALOG)]
    DEFAULT_CSS = """
    CopyDialog {
        align: center middle;
        & > #box {
            width: 64;
            max-width: 90%;
            height: auto;
            border: round $primary;
            border-title-color: $primary;
            background: $surface;
            padding: 1 2;
        }
        & RowList { height: 4; background: $surface; }
        & .note { color: $text-muted; margin-top: 1; }
    }
    """

    def __init__(self, title: str, fields: Mapping[str, tuple[str, str]]) -> None:
        super().__init__()
        self._title = title
        self._fields = fields

    def compose(self) -> ComposeResult:
        """A line for each field, with its size and how it begins."""
        columns = (Column("key", "", 1), Column("name", "", 8), Column("size", "", 13, right=True), Column("text", ""))
        fields = RowList[str](columns, str, self._draw, header=False, marks=False)
        fields.rows = list(self._fields)
        with Vertical(id="box") as box:
            box.border_title = self._title
            yield fields
            yield Static("Sent through the terminal (OSC 52). Some terminals ignore it; tmux needs "
                         "'set -g set-clipboard on'.", classes="note", markup=False)  # fmt: skip
        yield SizeGuard()

    def on_mount(self) -> None:
        """The first field is under the cursor."""
        fields = self.query_one(RowList)
        fields.set_rows(list(self._fields))
        self.set_focus(fields)

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        """Copy the field under the cursor."""
        self.action_copy(event.key)

    def action_copy(self, key: str) -> None:
        """Copy a field, unless it is more than terminals take."""
        if key not in self._fields:
            return
        name, text = self._fields[key]
        self.dismiss()
        copy_text(self.app, name, text)

    def action_close(self) -> None:
        """Copy nothing."""
        self.dismiss()

    def _draw(self, key: str) -> Look:
        name, text = self._fields[key]
        size = len(text.encode("utf-8", "replace"))
        tone = "warn" if size > CLIPBOARD_BYTES else "dim"
        cells = {"key": Cell(key, "accent"), "name": Cell(name, "strong"), "size": Cell(f"{size:,} bytes", tone)}
        return Look({**cells, "text": Cell(text[:80], "dim")})


def copy_files(files: list[OpenFile]) -> CopyDialog:
    """The dialog for these files."""
    title = "Copy" if len(files) == 1 else f"Copy {len(files)} marked files"
    fields = {
        "b": ("Body", "\n".join(file.shown_text for file in files)),
        "p": ("Path", "\n".join(file.key for file in files)),
        "J": ("JSON", as_json(files)),
        "v": ("Version", "\n".join(file.version for file in files)),
    }
    return CopyDialog(title, fields)


def copy_text(app: App[Any], name: str, text: str) -> None:
    """Hand a text to the terminal's clipboard and say that it was sent; whether it was taken, no terminal tells."""
    data = text.encode("utf-8", "replace")
    if len(data) > CLIPBOARD_BYTES:
        sentence = f"{len(data):,} bytes are more than the {CLIPBOARD_BYTES:,} that terminals take."
        app.notify(f"{sentence} Use the wenchang command instead.", title="Not copied", severity="warning")
        return
    app.copy_to_clipboard(data.decode())
    app.notify(f"{len(data):,} bytes went to the terminal's clipboard, if it takes them.", title=f"{name} sent")


def as_json(files: list[OpenFile]) -> str:
    """One file as `wenchang show --json` prints it, several as a list of those."""
    shown = [_document(file) for file in files]
    return json.dumps(shown[0] if len(shown) == 1 else shown, indent=2)


def _document(file: OpenFile) -> dict[str, object]:
    place = dict(zip(("scope", "entity", "area", "name"), _parts(file), strict=True)) if file.parts else {}
    return {
        **place,
        "content": file.shown_text,
        "version": file.version,
        **_metadata(file),
        "bytes": file.size,
    }


def _parts(file: OpenFile) -> tuple[str, ...]:
    parts = file.parts
    return (parts.scope, parts.entity_id, parts.area, parts.name) if parts else ()


def _metadata(file: OpenFile) -> dict[str, object]:
    if file.metadata is None:
        return {"stored": dict(file.stored)}
    return {
        "description": file.metadata.description,
        "aliases": list(file.metadata.aliases),
        "sources": sorted(file.metadata.sources),
        "last_updated": metadata_to_map(file.metadata)["last-updated"],
    }
