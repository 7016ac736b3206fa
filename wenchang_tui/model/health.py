"""A check-up of a store or a part of it, finding by finding, so that one of any size starts to show at once.

First what breaks whole indexes and what else the listings tell, then the bodies one by one, then, for a folder, what
lies beside the objects. The rules are in `object_health` and `folder_health`, the repairs in `repairs`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from wenchang_tui.model.catalog import FileRow, OpenFile
from wenchang_tui.model.findings import Finding, Kind, Severity
from wenchang_tui.model.folder_health import check_folder
from wenchang_tui.model.object_health import check_body, check_rows, check_size
from wenchang_tui.model.workspace import Workspace

__all__ = ["Checkup", "Finding", "Kind", "Severity"]


class Checkup:
    """One run over what lies below `prefixes`: whole entities, scopes, or with `""` everything; none within another.

    `checked` and `bodies` count along, for whoever shows progress from another thread.
    """

    def __init__(self, workspace: Workspace, prefixes: Sequence[str] = ("",)) -> None:
        self._workspace = workspace
        self._prefixes = tuple(sorted(prefixes))
        self.checked = 0
        """Objects whose listing was looked at."""
        self.bodies = 0
        """Objects whose body was."""

    def findings(self, is_cancelled: Callable[[], bool] = lambda: False) -> Iterator[Finding]:
        """Everything that is wrong. Asks `is_cancelled` before every object. Storage errors propagate."""
        yield from check_rows(self._rows(is_cancelled), self._workspace.settings)
        yield from self._bodies(is_cancelled)
        if self._workspace.root is not None and not is_cancelled():
            yield from (finding for finding in check_folder(self._workspace.root) if self._covers(finding.key))

    def _rows(self, is_cancelled: Callable[[], bool]) -> Iterator[FileRow]:
        for prefix in self._prefixes:
            for row in self._workspace.catalog.rows(prefix):
                if is_cancelled():
                    return
                self.checked += 1
                yield row

    def _bodies(self, is_cancelled: Callable[[], bool]) -> Iterator[Finding]:
        for prefix in self._prefixes:
            with closing(self._workspace.catalog.files(prefix)) as files:
                for row, file in files:
                    if is_cancelled():
                        return
                    self.bodies += 1
                    yield from self._check_body(row, file)

    def _check_body(self, row: FileRow, file: OpenFile | None) -> Iterator[Finding]:
        if file is None or file.parts is None:
            return
        if finding := check_body(file):
            yield finding
        if row.size is None:
            limit = self._workspace.settings.max_file_bytes
            yield from check_size(file.key, file.parts, file.size, file.version, limit)

    def _covers(self, path: str) -> bool:
        return path.startswith(self._prefixes)
