"""A check-up of a file memory: what its programs pass over, and what its agents do not get to see.

Every finding of the survey as the health check of a store would word it. File memory, section 16.
"""

from collections.abc import Iterator
from dataclasses import replace

from wenchang.filememory.names import INDEX_NAME
from wenchang_tui.model.findings import Finding, Kind, Severity
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import INDEX_CAP, FlatListing, IndexState, Mark, Standing, read_listing

_NEXT_WRITE = "The next write or delete of an agent makes it anew; in the app, press b."

_MARKS: dict[Mark, Finding] = {
    mark: Finding(kind, severity, "", "", breaks, repair)
    for mark, kind, severity, breaks, repair in (
        (Mark.NOT_TEXT, Kind.NOT_UTF8, Severity.WARNING,
         "Agents see it listed but can neither read nor edit it; their searches pass it over.",
         "Save it as UTF-8 with the program that wrote it."),
        (Mark.UNREADABLE, Kind.UNREADABLE, Severity.ERROR,
         "Nobody who runs as you can read it, an agent included.",
         "Give its owner the right to read it."),
        (Mark.BYTE_ORDER_MARK, Kind.BYTE_ORDER_MARK, Severity.NOTE,
         "Nothing: it is passed over when reading and kept when editing.",
         "None is needed."),
        (Mark.WIDE_MODE, Kind.WIDE_MODE, Severity.WARNING,
         "Other users of this machine can read or change it.",
         "Run chmod 600 on it."),
        (Mark.LEGACY_DESCRIPTION, Kind.LEGACY_DESCRIPTION, Severity.NOTE,
         "Nothing yet; it will be nobody's once another file has the same name before its extension.",
         "The next write of the file takes its place."),
        (Mark.AMBIGUOUS_DESCRIPTION, Kind.AMBIGUOUS_DESCRIPTION, Severity.WARNING,
         "Several files could own it, so none does, and agents do not see it.",
         "Describe each of the files anew, then delete it."),
        (Mark.ORPHAN_DESCRIPTION, Kind.ORPHAN_DESCRIPTION, Severity.WARNING,
         "It describes a file that is not there, and will describe the next one of that name.",
         "Delete it."),
        (Mark.SKIPPED, Kind.SKIPPED, Severity.WARNING,
         "No tool touches it: agents neither see it nor find anything in it.",
         "Put a plain file in its place, or take it out of the folder."),
        (Mark.UNREACHABLE_NAME, Kind.UNREACHABLE, Severity.WARNING,
         "No tool can address it: agents do not see it.",
         "Give it another name."),
    )
}  # fmt: skip

_INDEX: dict[IndexState, Finding] = {
    IndexState.STALE: Finding(
        Kind.STALE_INDEX, Severity.WARNING, INDEX_NAME, "It is not what it would be if it were made now.",
        "An agent that connects is told of files that are not there, or not told of some that are.", _NEXT_WRITE),
    IndexState.MISSING: Finding(
        Kind.MISSING_INDEX, Severity.WARNING, INDEX_NAME, "There is none.",
        "An agent that connects is not told of any file.", _NEXT_WRITE),
    IndexState.UNREADABLE: Finding(
        Kind.UNREADABLE_INDEX, Severity.ERROR, INDEX_NAME, "It is not UTF-8 text, or may not be read.",
        "An agent that connects is not told of any file.", _NEXT_WRITE),
}  # fmt: skip


class FlatCheckup:
    """One run over a working folder. `checked` counts its files."""

    def __init__(self, flat: FlatFolder, folder: str = "") -> None:
        self._flat = flat
        self._folder = folder
        self.checked = 0

    def findings(self) -> Iterator[Finding]:
        """Everything that is wrong, the index first."""
        listing = read_listing(self._flat, self._folder)
        self.checked = len(listing.rows)
        yield from findings_of(listing)


def findings_of(listing: FlatListing) -> Iterator[Finding]:
    """Everything that is wrong with a working folder, the index first."""
    if listing.index_state in _INDEX and (listing.rows or listing.index_state is not IndexState.MISSING):
        yield _INDEX[listing.index_state]
    if beyond := listing.count(Standing.BEYOND):
        yield _beyond(beyond, len(listing.rows))
    for row in listing.rows:
        yield from (_found(row.name, mark) for mark in sorted(row.memory.marks))
    yield from (_found(finding.name, finding.mark) for finding in listing.findings)


def _found(name: str, mark: Mark) -> Finding:
    return replace(_MARKS[mark], key=name, detail=f"It {mark}.")


def _beyond(beyond: int, files: int) -> Finding:
    return Finding(
        Kind.BEYOND_INDEX,
        Severity.NOTE,
        INDEX_NAME,
        f"The index holds {INDEX_CAP} files, and there are {files:,}.",
        f"An agent that connects is not told of {beyond:,} of them; it finds them only by listing or searching.",
        "Merge or delete files that are no longer needed.",
    )
