"""Browse: what is in here? A tree of places, the files of the one selected, and the file under the cursor."""

from collections.abc import Iterable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from wenchang_tui.model.catalog import OpenFile
from wenchang_tui.model.editing import Curator
from wenchang_tui.model.versions import FormerVersions
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.as_agent import show_area_as_agent, show_as_agent
from wenchang_tui.screens.copy import copy_files
from wenchang_tui.screens.curating import CuratingFrame
from wenchang_tui.screens.deletion import Deletion
from wenchang_tui.screens.frame import Served
from wenchang_tui.screens.versions import VersionsDialog
from wenchang_tui.widgets.bars import PaneTitle, clickable
from wenchang_tui.widgets.commands import Need, Where, bindings
from wenchang_tui.widgets.files_pane import FilesPane, FilterInput
from wenchang_tui.widgets.history import History, Spot
from wenchang_tui.widgets.hits_pane import HitsPane
from wenchang_tui.widgets.lane import Lane
from wenchang_tui.widgets.memory_tree import MemoryTree, parent_of
from wenchang_tui.widgets.preview_pane import PreviewPane
from wenchang_tui.widgets.row_list import RowList
from wenchang_tui.widgets.safe_text import safe

_AREA_DEPTH = "SCOPE/ENTITY/AREA/".count("/")


class BrowseScreen(CuratingFrame):
    """Three panes: the place selected on the left decides what is listed, the row selected there what is shown."""

    PLACE = Where.BROWSE
    NAME = "browse"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.BROWSE)]
    DEFAULT_CSS = """
    BrowseScreen {
        & #left { width: 32; height: 1fr; border-right: vkey $panel-lighten-1; }
        & #right { width: 1fr; height: 1fr; background: $surface; }
        &.-wide #left { width: 38; }
        &.-wide PreviewPane { height: 1.4fr; }
        &.-half #left:focus-within { width: 50%; }
        &.-half #right > *:focus-within { height: 3fr; }
        &.-full #panes > * { display: none; }
        &.-full #panes > *:focus-within { display: block; width: 1fr; border: none; }
        &.-full #right:focus-within > * { display: none; }
        &.-full #right > *:focus-within { display: block; border: none; }
    }
    """

    def __init__(self, workspace: Workspace, curator: Curator) -> None:
        super().__init__(workspace, curator)
        catalog = workspace.catalog
        self.tree_list = MemoryTree(catalog, workspace.target)
        self.files = FilesPane(catalog)
        self.hits = HitsPane(catalog)
        self.preview = PreviewPane(catalog, workspace.settings.max_file_bytes)
        self.history = History()
        self._former = FormerVersions.of(workspace)
        self._tree_title = PaneTitle("memory")
        self._place: str | None = None
        self._going: Spot | None = None
        self._searches_all = False
        self._deletion = Deletion(self, self._deleted)
        self._copying = Lane[list[OpenFile]](self, self._offer_copies, self.say)

    def body(self) -> Iterable[Widget]:
        """Tree, list and file."""
        left = Vertical(self._tree_title, self.tree_list, id="left")
        right = Vertical(self.files, self.hits, self.preview, id="right")
        yield Horizontal(left, right, id="panes")

    def on_mount(self) -> None:
        """The cursor starts in the tree."""
        self.hits.display = False
        self.set_focus(self.tree_list)

    # selection flows down: place, rows, file

    @on(RowList.Highlighted, "MemoryTree")
    def _select_place(self, event: RowList.Highlighted) -> None:
        event.stop()
        place = self.tree_list.place
        if place != self._place:
            self._place = place
            self.history.visit(place)
            self._show_place(place, self._going.key if self._going and self._going.prefix == place else None)

    def _show_place(self, prefix: str, key: str | None) -> None:
        self.files.show(prefix, key)
        self.files.title.left = _crumbs(prefix, self.workspace.target)
        self.tree_list.seen(prefix)
        self.post_message(self.Selected(prefix))
        if self.hits.display and not self._searches_all:
            self.hits.look_in(prefix)
        self.refresh_bindings()

    @on(FilesPane.Listed)
    def _listed(self, event: FilesPane.Listed) -> None:
        event.stop()
        self.post_message(self.Listed(event.prefix, event.rows))

    @on(FilesPane.Selected)
    def _select_file(self, event: FilesPane.Selected) -> None:
        event.stop()
        if not self.hits.display:
            self.history.remember(event.key)
            self.preview.show(event.key)
            self.refresh_bindings()

    @on(HitsPane.Selected)
    def _select_hit(self, event: HitsPane.Selected) -> None:
        event.stop()
        self.preview.show(event.key, event.hit)
        self.refresh_bindings()

    @on(RowList.Chosen, "#files")
    @on(RowList.Chosen, "#hits")
    def _to_preview(self, event: RowList.Chosen) -> None:
        event.stop()
        self.set_focus(self.preview.view)

    @on(PreviewPane.Shown)
    def _file_seen(self, event: PreviewPane.Shown) -> None:
        event.stop()
        self.files.seen(event.key)
        self.refresh_bindings()

    def show_served(self, served: Served) -> None:
        """Mark the areas that the index leaves files out of, and know those files."""
        super().show_served(served)
        self.files.show_cut(served.budget.entries[served.budget.included :])
        self.tree_list.show_capped({capped.prefix: capped.omitted for capped in served.budget.capped})

    def store_changed(self, keys: frozenset[str]) -> None:
        """Mark what changed in all three panes."""
        self.tree_list.show_changed(keys)
        self.files.show_changed(keys)
        self.preview.show_changed(keys)

    def open_file(self, key: str) -> None:
        """Go to a file, wherever it is."""
        self.go_to(key.rpartition("/")[0] + "/", key)

    def go_to(self, prefix: str, key: str | None = None) -> None:
        """Select a place, and a file there; a filter would hide it."""
        self._close_hits()
        if self.files.input.display:
            self._close_filter()
        self._going = Spot(prefix, key)
        if prefix == self._place:
            self._show_place(prefix, key)
        else:
            self.tree_list.reveal(prefix)

    # commands

    def met_needs(self) -> set[Need]:
        """What the selection and the history allow."""
        needs = super().met_needs()
        tests = {
            Need.FILE: self.preview.file is not None or bool(self.files.list.marked),
            Need.READABLE: self.preview.file is None or self.preview.file.problem is None,
            Need.ROWS: bool(self.files.list.rows),
            Need.HITS: self.hits.display and bool(self.hits.list.rows),
            Need.BACK: self.history.can_go_back,
            Need.FORWARD: self.history.can_go_forward,
            Need.UP: bool(self.files.prefix),
            Need.MORE: self.files.can_load_more,
            Need.WRITABLE: not self.workspace.settings.read_only,
            Need.VERSIONS: self._former is not None and self.preview.key is not None,
        }
        return needs | {need for need, is_met in tests.items() if is_met}

    def action_filter(self) -> None:
        """Open the filter. The focus moves at once, so that the next key is typed into it."""
        self._close_hits()
        self.files.input.display = True
        self.set_focus(self.files.input)

    def action_search(self, everywhere: bool) -> None:
        """Open the search of the bodies; what was searched for last stays until something else is typed."""
        self.files.display = False
        self.hits.display = True
        self.set_focus(self.hits.input)
        self.hits.input.select_all()
        self._searches_all = everywhere
        self.hits.look_in("" if everywhere else self.files.prefix)

    @on(FilterInput.Done)
    def _to_list(self) -> None:
        self.set_focus(self.hits.list if self.hits.display else self.files.list)

    def action_hit(self, step: int) -> None:
        """Another search result."""
        self.hits.list.action_cursor(step)

    def action_sort_next(self) -> None:
        """Another column to sort by."""
        self.files.sort_next()

    def action_sort_reverse(self) -> None:
        """The other way around."""
        self.files.reverse()

    def action_load_more(self) -> None:
        """More of a long listing."""
        self.files.load_more()

    def action_reload(self) -> None:
        """Everything anew."""
        self.tree_list.reload()
        self.files.reload()
        self.preview.show_changed(frozenset({self.preview.key or ""}))
        self.post_message(self.Recollect())

    def action_back(self) -> None:
        """The place before."""
        self._travel(self.history.step(-1))

    def action_forward(self) -> None:
        """The place after."""
        self._travel(self.history.step(1))

    def _travel(self, spot: Spot) -> None:
        self.go_to(spot.prefix, spot.key)
        self.refresh_bindings()

    def action_up(self) -> None:
        """The place above."""
        self.go_to(parent_of(self.files.prefix))

    def action_crumb(self, depth: int) -> None:
        """A place above, by a click on its name."""
        parts = self.files.prefix.split("/")[:depth]
        self.go_to("/".join(parts) + "/" if parts else "")

    def action_step_back(self) -> None:
        """Whatever is open or under way, one step of it."""
        if any([self.files.cancel(), self.hits.cancel(), self.preview.cancel(), self._copying.cancel()]):
            return
        if self.focused is self.tree_list and self.tree_list.cancel():
            return
        if self.hits.display:
            self._close_hits()
        elif self.files.input.display:
            self._close_filter()
        elif self.zoom != "normal":
            self.zoom = "normal"
        elif self.focused is self.preview.view:
            self.set_focus(self.files.list)
        elif self.focused is self.files.list:
            self.set_focus(self.tree_list)

    def _close_filter(self) -> None:
        self.files.input.value = ""
        self.files.input.display = False
        self.set_focus(self.files.list)

    def _close_hits(self) -> None:
        if self.hits.display:
            self.hits.display = False
            self.files.display = True
            self.set_focus(self.files.list)
            self.preview.show(self.files.list.current_key)

    def action_versions(self) -> None:
        """Show the former versions of the file, and the way back to them."""
        key = self.preview.key
        if self._former is not None and key is not None:
            self.app.push_screen(VersionsDialog(self._former, self.curator, key))

    # curating

    def action_edit(self) -> None:
        """Edit the file under the cursor."""
        if self.preview.key is not None:
            self.post_message(self.OpenInEdit(self.preview.key))

    def action_new(self) -> None:
        """Make a file in the place that is selected."""
        self.post_message(self.OpenInEdit(None))

    def action_delete(self) -> None:
        """Ask, then delete the file under the cursor."""
        if self.preview.key is not None:
            self._deletion.start(self.preview.key)

    def _deleted(self, key: str) -> None:
        self.post_message(self.Touched(frozenset({key})))

    def action_as_agent(self) -> None:
        """Show the area or the file under the cursor as the agent sees it."""
        place = self.tree_list.place
        if self.focused is self.tree_list and place.count("/") == _AREA_DEPTH:
            show_area_as_agent(self, place)
        elif self.preview.file is not None:
            show_as_agent(self, self.preview.file)

    # copying

    def action_copy(self) -> None:
        """Read what is marked, or the file shown, and offer its fields."""
        marked = sorted(self.files.list.marked)
        keys = marked or [self.preview.key or ""]
        catalog = self.workspace.catalog
        self._copying.run(lambda _: iter([[file for key in keys if (file := catalog.open(key)) is not None]]))

    def _offer_copies(self, files: list[OpenFile]) -> None:
        if files and self.is_current:
            self.app.push_screen(copy_files(files))

    @on(Input.Submitted)
    def _keep_typing(self, event: Input.Submitted) -> None:
        event.stop()


def _crumbs(prefix: str, target: str) -> Content:
    """The place as a path whose parts can be clicked."""
    parts = [target, *prefix.split("/")[:-1]]
    links = [clickable(safe(part), f"screen.crumb({depth})") for depth, part in enumerate(parts)]
    return Content(" / ").join(links)
