"""What the screens have in common on which a person changes files of a store."""

from wenchang_tui.model.editing import Curator
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.frame import Frame


class CuratingFrame(Frame):
    """A screen over a store. `curator` changes its files and keeps the log of that; all screens share one."""

    def __init__(self, workspace: Workspace, curator: Curator) -> None:
        super().__init__(workspace)
        self.curator = curator
