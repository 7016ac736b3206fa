"""A check-up of a whole store, finding by finding, so that one of any size starts to show at once.

First what breaks whole indexes and what else the listings tell, then the bodies one by one, then, for a folder, what
lies beside the objects. The rules are in `object_health` and `folder_health`, the repairs in `repairs`.
"""

from collections.abc import Callable, Iterator
from contextlib import closing

from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.findings import Finding, Kind, Severity
from wenchang_tui.model.folder_health import check_folder
from wenchang_tui.model.object_health import check_body, check_rows, check_size
from wenchang_tui.model.workspace import Workspace

__all__ = ["Checkup", "Finding", "Kind", "Severity"]


class Checkup:
    """One run over a store. `checked` and `bodies` count along, for whoever shows progress from another thread."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self.checked = 0
        """Objects whose listing was looked at."""
        self.bodies = 0
        """Objects whose body was."""

    def findings(self, is_cancelled: Callable[[], bool] = lambda: False) -> Iterator[Finding]:
        """Everything that is wrong. Asks `is_cancelled` before every object. Storage errors propagate."""
        yield from check_rows(self._rows(is_cancelled), self._workspace.settings)
        yield from self._bodies(is_cancelled)
        if self._workspace.root is not None and not is_cancelled():
            yield from check_folder(self._workspace.root)

    def _rows(self, is_cancelled: Callable[[], bool]) -> Iterator[FileRow]:
        for row in self._workspace.catalog.rows(""):
            if is_cancelled():
                return
            self.checked += 1
            yield row

    def _bodies(self, is_cancelled: Callable[[], bool]) -> Iterator[Finding]:
        limit = self._workspace.settings.max_file_bytes
        with closing(self._workspace.catalog.files("")) as files:
            for row, file in files:
                if is_cancelled():
                    return
                self.bodies += 1
                if file is None or file.parts is None:
                    continue
                if finding := check_body(file):
                    yield finding
                if row.size is None:
                    yield from check_size(file.key, file.parts, file.size, file.version, limit)
