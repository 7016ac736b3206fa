"""The frame of Browse before there is anything in it: what is painted first, while all else is still imported."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Static

from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.widgets.bars import KeyHints, PaneTitle, TopBar


class OpeningScreen(Screen[None]):
    """The bars, and the panes with nothing in them. It stands for a moment, and does nothing."""

    DEFAULT_CSS = """
    OpeningScreen {
        & #left { width: 32; height: 1fr; border-right: vkey $panel-lighten-1; background: $surface; }
        & #right { width: 1fr; height: 1fr; background: $surface; }
        &.-wide #left { width: 38; }
    }
    """

    def __init__(self, opened: Workspace | FlatFolder) -> None:
        super().__init__()
        self._top = TopBar()
        self._top.here = "browse"
        self._top.show_place(opened)

    def compose(self) -> ComposeResult:
        """As on the screen that follows."""
        yield self._top
        yield PaneTitle("memory")
        with Horizontal():
            yield Static("", markup=False, id="left")
            yield Static(" opening…", markup=False, id="right")
        yield KeyHints()
