"""What `tree`, `show` and `index` print of a file memory, which has files and nothing above them.

Imported only once one is open: it needs the extra `filememory`.
"""

import sys
from collections.abc import Iterator, Mapping

from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.output import Line, write_json, write_lines
from wenchang_tui.cli.streams import printing
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.flat_memory import (
    INDEX_CAP,
    FlatListing,
    FlatRow,
    IndexState,
    Mark,
    Standing,
    find_row,
    read_listing,
    read_text,
)

_STATES = {
    IndexState.CURRENT: "up to date",
    IndexState.STALE: "out of date until the next write or delete",
    IndexState.MISSING: "not there until the next write or delete",
    IndexState.UNREADABLE: "unreadable until the next write or delete",
}
_NOTES = {Standing.INDEXED: "", Standing.BEYOND: "beyond the index", Standing.UNLISTED: "not in the index yet"}


def tree(flat: FlatFolder, *, as_json: bool) -> int:
    """The files, in the order of the index."""
    listing = read_listing(flat)
    if as_json:
        write_json({"target": flat.target, "files": [_file(row) for row in listing.rows]})
    else:
        write_lines(_tree_lines(flat.target, listing))
    return Exit.FINE


def _file(row: FlatRow) -> Mapping[str, object]:
    memory = row.memory
    return {
        "name": row.name,
        "description": memory.description,
        "bytes": memory.size,
        "in_index": memory.is_indexed,
    }


def _tree_lines(target: str, listing: FlatListing) -> Iterator[Line]:
    size = sum(row.memory.size for row in listing.rows)
    indexed = f"{listing.count(Standing.INDEXED)} in the index, which holds {INDEX_CAP}"
    yield [(target, "bold"), (f"  {len(listing.rows):,} {_files(len(listing.rows))}, {size:,} bytes, {indexed}", "")]
    yield from map(_file_line, listing.rows)
    yield from ([(f"! {finding.name}", "yellow"), (f"  {finding.mark}", "")] for finding in listing.findings)
    below = len(listing.folders) - 1
    if below > 0:
        noun = "folder" if below == 1 else "folders"
        yield [(f"{below:,} working {noun} below: {', '.join(listing.folders[1:])}", "dim")]


def _file_line(row: FlatRow) -> Line:
    memory = row.memory
    notes = [note for note in (_NOTES[row.standing], *sorted(memory.marks)) if note]
    return [
        (f"  {row.name}", "red" if Mark.NOT_TEXT in memory.marks else ""),
        (f"  {memory.description}  {memory.size:,} bytes", "dim"),
        (f"  {', '.join(notes)}" if notes else "", "yellow"),
    ]


def show(flat: FlatFolder, name: str, *, as_json: bool) -> int:
    """One file. Raises `CommandError` where there is none, or none that can be read."""
    row = find_row(flat, name)
    if row is None:
        raise CommandError(f"there is no file {name} in {flat.target}; wenchang tree lists them.", Exit.FINDINGS)
    if row.memory.marks & {Mark.NOT_TEXT, Mark.UNREADABLE}:
        why = ", ".join(sorted(row.memory.marks & {Mark.NOT_TEXT, Mark.UNREADABLE}))
        raise CommandError(f"{name} {why}; agents cannot read it either.", Exit.FINDINGS)
    text = read_text(flat, name)
    if as_json:
        modified = row.memory.modified.isoformat()
        write_json({**_file(row), "content": text, "modified": modified, "version": row.memory.version})
    else:
        write_lines(_show_lines(row, text))
    return Exit.FINE


def _show_lines(row: FlatRow, text: str) -> Iterator[Line]:
    memory = row.memory
    facts = {
        "description": memory.description,
        "modified": f"{memory.modified:%Y-%m-%d %H:%M:%S} UTC",
        "bytes": f"{memory.size:,}",
        "index": _NOTES[row.standing] or "in it",
        "marks": ", ".join(sorted(memory.marks)),
    }
    yield [(row.name, "bold")]
    yield from ([(f"{label:<14}", "dim"), (fact, "")] for label, fact in facts.items() if fact)
    yield []
    yield from ([(line.expandtabs(4), "")] for line in text.removesuffix("\n").split("\n"))


def index(flat: FlatFolder, *, as_json: bool, as_payload: bool) -> int:
    """The index as an agent gets it, and the files that it leaves out."""
    listing = read_listing(flat)
    if as_payload:
        _write_exactly(listing.agent_text)
    elif as_json:
        write_json(_index_document(listing))
    else:
        write_lines(_index_lines(flat.target, listing))
    return Exit.FINE


def _write_exactly(text: str) -> None:
    """Into a pipe as it is, to its last character; on a terminal made safe."""
    if sys.stdout.isatty():
        write_lines([(line, "")] for line in text.split("\n"))
    else:
        with printing():
            sys.stdout.flush()
            sys.stdout.buffer.write(text.encode())


def _index_document(listing: FlatListing) -> Mapping[str, object]:
    return {
        "limit": INDEX_CAP,
        "used": listing.count(Standing.INDEXED),
        "total": len(listing.rows),
        "state": listing.index_state,
        "text": listing.index_text,
        "entries": [_file(row) for row in listing.rows],
    }


def _index_lines(target: str, listing: FlatListing) -> Iterator[Line]:
    used = f"{listing.count(Standing.INDEXED)} of {INDEX_CAP} entries used, {len(listing.rows):,} files in all"
    yield [(target, "bold"), (f"  {used}; the index is {_STATES[listing.index_state]}", "")]
    yield from ([(line, "")] for line in listing.agent_text.removesuffix("\n").split("\n"))
    for standing, style in ((Standing.UNLISTED, "bold yellow"), (Standing.BEYOND, "bold yellow")):
        rows = [row for row in listing.rows if row.standing is standing]
        if rows:
            yield [(f"-- {_NOTES[standing]}: {len(rows):,} {_files(len(rows))} --", style)]
            yield from ([(f"  {row.name}", ""), (f"  {row.memory.description}", "dim")] for row in rows)


def _files(count: int) -> str:
    return "file" if count == 1 else "files"
