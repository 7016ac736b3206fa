"""Where a file shall lie: its scope, entity, area and name, with what is wrong with them said as they are typed."""

from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from wenchang.paths import PathParts, build_path, build_prefix, is_valid_prefix, is_valid_segment, parse_path
from wenchang_tui.model.editing import Curator
from wenchang_tui.model.line_text import field_text
from wenchang_tui.model.linting import Field, Level, Remark, lint_name
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.field_input import FieldInput
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.safe_text import safe

_MANY = 1_000
_FIELDS = ("scope", "entity", "area", "name")


class PlaceDialog(Dialog[str]):
    """Asks for a key; answers "" when nothing shall be done. `now` is the file's own key when it has one."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.DIALOG)]
    DEFAULT_CSS = """
    PlaceDialog {
        align: center middle;
        & > #box {
            width: 76;
            max-width: 100%;
            height: auto;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
            padding: 1 2;
        }
        & Grid { grid-size: 2; grid-columns: 9 1fr; grid-rows: 1; height: 4; }
        & .label { color: $text-muted; }
        & FieldInput { background: $panel; }
        & .note { margin-top: 1; }
        & .-error { color: $error; }
        & .-warning { color: $warning; }
        & .-fine { color: $text-muted; }
    }
    """

    def __init__(self, curator: Curator, title: str, parts: PathParts, now: str | None = None) -> None:
        super().__init__()
        self._curator = curator
        self._title = title
        self._now = now
        self._neighbours: tuple[str, ...] = ()
        self._listed: str | None = None
        self._listing = Lane[tuple[str, tuple[str, ...]]](self, self._receive)
        self.inputs = {name: FieldInput(id=name) for name in _FIELDS}
        for name, value in zip(_FIELDS, (parts.scope, parts.entity_id, parts.area, parts.name), strict=True):
            self.inputs[name].load(field_text(value))
        self.note = Static("", classes="note", markup=False)

    def compose(self) -> ComposeResult:
        """Four fields, and what is to be said about them."""
        with Vertical(id="box") as box:
            box.border_title = self._title
            box.border_subtitle = "enter goes on, esc cancels"
            with Grid():
                for name, field in self.inputs.items():
                    yield Static(name, classes="label")
                    yield field
            yield self.note
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """The name is what is missing, as a rule."""
        field = self.inputs["name"]
        self.set_focus(field)
        field.action_end()
        self._check()

    @on(Input.Changed)
    def _check(self) -> None:
        parts = self._parts()
        self._list_neighbours(parts)
        remark = self._remark(parts)
        self.note.set_classes("note " + (f"-{remark.level}" if remark else "-fine"))
        key = f"{parts.scope}/{parts.entity_id}/{parts.area}/{parts.name}.md"
        self.note.update(safe(f"{key}\n") + (safe(remark.text) if remark else Content("")))

    @on(Input.Submitted)
    def _submit(self) -> None:
        parts = self._parts()
        remark = self._remark(parts)
        if remark is None or remark.level is not Level.ERROR:
            self.dismiss(_key(parts))

    def action_close(self) -> None:
        """Do nothing."""
        self.dismiss("")

    def _parts(self) -> PathParts:
        return PathParts(*(self.inputs[name].meant for name in _FIELDS))

    def _remark(self, parts: PathParts) -> Remark | None:
        """The weightiest thing to say."""
        for what, segment in (("scope", parts.scope), ("entity", parts.entity_id)):
            if not is_valid_segment(segment):
                return _error(f"The {what} is missing or holds what a path cannot hold.")
        remarks = lint_name(parts, self._neighbours)
        if remarks and remarks[0].level is Level.ERROR:
            return remarks[0]
        if objection := self._curator.objection(_key(parts)):
            return _error(f"{objection.sentence} {objection.next_step}")
        if _key(parts) == self._now:
            return _error("That is where it lies already.")
        if parts.name in self._neighbours:
            return _error("There is a file of this name already.")
        return remarks[0] if remarks else None

    def _list_neighbours(self, parts: PathParts) -> None:
        place = f"{parts.scope}/{parts.entity_id}/{parts.area}/"
        if place == self._listed or not is_valid_prefix(place):
            return
        self._listed, self._neighbours = place, ()
        catalog = self._curator.workspace.catalog
        prefix = build_prefix(parts.scope, parts.entity_id, parts.area)

        def work(_: IsCancelled) -> Iterator[tuple[str, tuple[str, ...]]]:
            rows = catalog.page(prefix, limit=_MANY).rows
            yield place, tuple(row.parts.name for row in rows if row.parts is not None)

        self._listing.run(work)

    def _receive(self, listed: tuple[str, tuple[str, ...]]) -> None:
        place, names = listed
        own = parse_path(self._now).name if self._now and self._now.startswith(place) else None
        self._neighbours = tuple(name for name in names if name != own)
        self._check()


def _key(parts: PathParts) -> str:
    return build_path(parts.scope, parts.entity_id, parts.area, parts.name)


def _error(text: str) -> Remark:
    return Remark(Level.ERROR, Field.NAME, text)
