"""What a person may curate: the files of the entities in question, and the drafts that wait among them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from wenchang.identity import Identity
from wenchang.paths import PathParts
from wenchang.scope import SYSTEM_AREA
from wenchang_tui.model.catalog import Catalog, FileRow
from wenchang_tui.model.drafts import Draft
from wenchang_tui.model.workspace import Ambiguous

MAX_ROWS = 2_000
_PAGE = 500


@dataclass(frozen=True, slots=True)
class DeskRow:
    """A file to curate, or a draft of one that is not there; `draft_at` is when unsaved text of it was typed."""

    key: str
    row: FileRow | None
    draft_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """The rows, drafts first; `is_cut` says that there are more files than are listed."""

    rows: tuple[DeskRow, ...]
    is_cut: bool = False


def desk_places(identity: Identity | Ambiguous | None, *, all_areas: bool) -> tuple[str, ...]:
    """The prefixes of what is curated: `system/` of each entity served or found, or all its areas."""
    area = "" if all_areas else f"{SYSTEM_AREA}/"
    match identity:
        case Identity():
            return tuple(f"{scope}/{entity}/{area}" for scope, entity in identity.scope_map.items())
        case Ambiguous(entities):
            return tuple(f"{scope}/{entity}/{area}" for scope, names in entities.items() for entity in names)
    return ()


def place_for_new(selected: str, identity: Identity | Ambiguous | None, *, all_areas: bool) -> PathParts:
    """Where a new file is likely to be wanted: in the place that is selected, or else where somebody is served."""
    scope, entity, area = (*selected.split("/")[:-1], "", "", "")[:3]
    if not entity and isinstance(identity, Identity):
        scopes = identity.scope_map
        scope = scope if scope in scopes else next(iter(scopes), "")
        entity = scopes.get(scope, "")
    return PathParts(scope, entity, area if all_areas and area else SYSTEM_AREA, "")


def collect_desk(catalog: Catalog, places: Iterable[str], drafts: Iterable[Draft]) -> Desk:
    """Read the listings. Blocking; storage errors propagate."""
    typed: Mapping[str, datetime] = {draft.edit.key: draft.saved_at for draft in drafts}
    rows = {row.key: row for row in _rows(catalog, places)}
    waiting = [DeskRow(key, rows.get(key), at) for key, at in typed.items()]
    listed = [DeskRow(key, row) for key, row in rows.items() if key not in typed]
    return Desk((*waiting, *listed), len(rows) >= MAX_ROWS)


def _rows(catalog: Catalog, places: Iterable[str]) -> Iterator[FileRow]:
    left = MAX_ROWS
    for place in places:
        after: str | None = None
        while left > 0:
            page = catalog.page(place, after, min(_PAGE, left))
            yield from page.rows
            left, after = left - len(page.rows), page.next_after
            if after is None:
                break
