"""The screens of what is open by name, each imported when it is first wanted: the first frame must come soon."""

from collections.abc import Callable, Mapping
from functools import partial

from wenchang_tui.model.editing import Curator
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace
from wenchang_tui.screens.frame import EDIT, FIRST, Frame


def _browse(workspace: Workspace, curator: Curator) -> Frame:
    from wenchang_tui.screens.browse import BrowseScreen

    return BrowseScreen(workspace, curator)


def _index(workspace: Workspace, _: Curator) -> Frame:
    from wenchang_tui.screens.index import IndexScreen

    return IndexScreen(workspace)


def _edit(workspace: Workspace, curator: Curator) -> Frame:
    from wenchang_tui.screens.edit import EditScreen

    return EditScreen(workspace, curator)


def _agent(workspace: Workspace, _: Curator) -> Frame:
    from wenchang_tui.screens.agent import AgentScreen

    return AgentScreen(workspace)


def _health(workspace: Workspace, curator: Curator) -> Frame:
    from wenchang_tui.screens.health import HealthScreen

    return HealthScreen(workspace, curator)


def _operate(workspace: Workspace, _: Curator) -> Frame:
    from wenchang_tui.screens.operate import OperateScreen

    return OperateScreen(workspace)


def _flat(flat: FlatFolder) -> Frame:
    from wenchang_tui.screens.flat import FlatScreen  # needs the extra `filememory`

    return FlatScreen(flat)


def _flat_agent(flat: FlatFolder) -> Frame:
    from wenchang_tui.screens.flat_agent import FlatAgentScreen

    return FlatAgentScreen(flat)


PLACES: Mapping[str, Callable[[Workspace, Curator], Frame]] = {
    FIRST: _browse,
    "index": _index,
    EDIT: _edit,
    "agent": _agent,
    "health": _health,
    "operate": _operate,
}


def places_of(opened: Workspace | FlatFolder) -> dict[str, Callable[[], Frame]]:
    """The screens that there are for a store, or for a file memory."""
    if isinstance(opened, FlatFolder):
        return {FIRST: partial(_flat, opened), "agent": partial(_flat_agent, opened)}
    curator = Curator(opened)
    return {name: partial(make, opened, curator) for name, make in PLACES.items()}
