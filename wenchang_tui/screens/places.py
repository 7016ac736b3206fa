"""The screens of an open store by name, each imported when it is first wanted: the first frame must come soon."""

from collections.abc import Callable, Mapping

from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.frame import Frame


def _browse(workspace: Workspace) -> Frame:
    from wenchang_tui.screens.browse import BrowseScreen

    return BrowseScreen(workspace)


def _index(workspace: Workspace) -> Frame:
    from wenchang_tui.screens.index import IndexScreen

    return IndexScreen(workspace)


def _agent(workspace: Workspace) -> Frame:
    from wenchang_tui.screens.agent import AgentScreen

    return AgentScreen(workspace)


FIRST = "browse"
PLACES: Mapping[str, Callable[[Workspace], Frame]] = {FIRST: _browse, "index": _index, "agent": _agent}
