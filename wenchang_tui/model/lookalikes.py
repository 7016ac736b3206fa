"""Names that look the same to a reader though they are not, and how to spell them so that they can be told apart."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from wenchang.paths import PathParts
from wenchang_tui.model.folding import fold
from wenchang_tui.model.safe import escape, spelled

# Letters of other scripts that common fonts draw as Latin ones.
_TWINS = str.maketrans("аеорсухіјѕһӏԁԛԝοανιρ", "aeopcyxijshldqwoavip")
_UNSEEN = frozenset("\u034f\u115f\u1160\u3164\uffa0")


@lru_cache(20_000)
def look_of(name: str) -> str:
    """What a reader makes of a name: without case, Unicode form, script, and characters that do not show."""
    seen = "".join(character for character in fold(name) if not _is_unseen(character))
    return " ".join(seen.translate(_TWINS).split())


def lookalikes(files: Iterable[PathParts]) -> frozenset[PathParts]:
    """The files that share their look with another one in their area; none where all names are ASCII, which shows."""
    files = tuple(files)
    if all(file.name.isascii() for file in files):
        return frozenset()
    first: dict[tuple[str, str, str, str], PathParts] = {}
    alike: set[PathParts] = set()
    for file in files:
        other = first.setdefault((file.scope, file.entity_id, file.area, look_of(file.name)), file)
        if other is not file:
            alike |= {file, other}
    return frozenset(alike)


def told_apart(name: str) -> str:
    """A name with an escape for each character that makes it look like another name."""
    return "".join(escape(character) if ord(character) in _TWINS else character for character in spelled(name))


def _is_unseen(character: str) -> bool:
    is_selector = "\ufe00" <= character <= "\ufe0f"
    return is_selector or character in _UNSEEN or unicodedata.category(character) in ("Cf", "Cc")
