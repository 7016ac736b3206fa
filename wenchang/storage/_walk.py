"""The bodies below a folder in the order of their keys, looking only into folders that can hold them."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from wenchang.storage._folder_scan import scan_folder


class Run(NamedTuple):
    """Some bodies of one folder that follow each other: the key of each, and the name of its file less the suffix."""

    folder: str
    places: list[tuple[str, str]]


def walk(folder: str, prefix: str, after: str | None, size: int) -> Iterator[Run]:
    """The bodies whose keys start with `prefix` and are greater than `after`, in runs of at most `size`.

    `folder` is where the prefix up to its last slash leads.
    """
    above, slash, rest = prefix.rpartition("/")
    pending = [_Folder(folder, above + slash, rest, after)]
    while pending:
        current = pending[-1]
        places = []
        for text, name in current.children:
            key = current.above + text
            if text.endswith("/"):
                pending.append(_Folder(f"{current.path}{os.sep}{name}", key, "", after))
                break
            places.append((key, name))
            if len(places) == size:
                break
        else:
            pending.pop()
        if places:
            yield Run(current.path, places)


class _Folder:
    """A folder on the way: `above` is what its keys start with, `children` what is left of it to look at."""

    def __init__(self, path: str, above: str, prefix: str, after: str | None) -> None:
        self.path = path
        self.above = above
        self.children: Iterator[tuple[str, str]] = iter(())
        if after is None or after < above:
            self.children = scan_folder(path).starting_with(prefix, None)
        elif after.startswith(above):
            self.children = scan_folder(path).starting_with(prefix, after[len(above) :])
