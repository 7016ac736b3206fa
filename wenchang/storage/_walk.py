"""The bodies below a folder in the order of their keys, looking only into folders that can hold them."""

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wenchang.storage._folder_scan import scan_folder


class Run(NamedTuple):
    """Bodies of one folder that follow each other.

    The keys are `above` and one of `texts`; the files are called like one of `stems`, and a suffix.
    """

    folder: str
    above: str
    texts: Sequence[str]
    stems: Sequence[str]


class _Folder(NamedTuple):
    """A folder between runs: `above` is what the keys in it start with."""

    path: str
    above: str


def walk(folder: str, prefix: str, after: str | None) -> Iterator[Run]:
    """The bodies whose keys start with `prefix` and are greater than `after`.

    `folder` is where the prefix up to its last slash leads.
    """
    above, slash, rest = prefix.rpartition("/")
    pending = [_parts(_Folder(folder, above + slash), rest, after)]
    while pending:
        part = next(pending[-1], None)
        if part is None:
            pending.pop()
        elif isinstance(part, _Folder):
            pending.append(_parts(part, "", after))
        else:
            yield part


def _parts(folder: _Folder, prefix: str, after: str | None) -> Iterator[Run | _Folder]:
    """What stands in a folder, in the order of keys."""
    path, above = folder
    if after is None or after < above:
        after = None
    elif after.startswith(above):
        after = after[len(above) :]
    else:
        return
    scan = scan_folder(path)
    wanted = scan.starting_with(prefix, after)

    def run(start: int, stop: int) -> Iterator[Run]:
        if start < stop:
            yield Run(path, above, scan.texts[start:stop], scan.names[start:stop])

    start = wanted.start
    for place in filter(wanted.__contains__, scan.folders):
        yield from run(start, place)
        yield _Folder(f"{path}{os.sep}{scan.names[place]}", above + scan.texts[place])
        start = place + 1
    yield from run(start, wanted.stop)
