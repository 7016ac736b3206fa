"""Where something that lies in the wrong place could go. A suggestion only: a person chooses."""

import re
import unicodedata
from collections.abc import Container
from itertools import chain, count

from wenchang._types import is_utf8
from wenchang.paths import build_path, is_valid_segment, parse_path
from wenchang.storage import Storage

_DEFAULT_AREA = "imported"
_UNFIT = ("Cf", "Cn", "Zl", "Zp")


def suggested_key(key: str) -> str | None:
    """A memory path near `key` that agents can name; `None` for a key that says too little."""
    segments = [segment for segment in key.split("/") if is_valid_segment(segment) and is_utf8(segment)]
    if len(segments) < 3 or key.endswith("/"):
        return None
    scope, entity, *rest = segments
    area, names = (rest[0], rest[1:]) if len(rest) > 1 else (_DEFAULT_AREA, rest)
    name = "-".join(names).removesuffix(".md")
    cleaned = "".join(
        character for character in name if unicodedata.category(character) not in ("Cf", "Cn", "Zl", "Zp")
    )
    return build_path(scope, entity, _slug(area), cleaned.strip(". ") or "unnamed")


def free_key(storage: Storage, key: str, taken: Container[str] = ()) -> str:
    """`key` if nothing stands there, else the same with the first number behind its name that is free."""
    parts = parse_path(key)
    names = chain([parts.name], (f"{parts.name}-{number}" for number in count(2)))
    keys = (build_path(parts.scope, parts.entity_id, parts.area, name) for name in names)
    return next(key for key in keys if key not in taken and storage.get(key) is None)


def _slug(area: str) -> str:
    plain = unicodedata.normalize("NFKD", area).lower()
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_") or _DEFAULT_AREA
