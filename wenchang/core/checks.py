"""What arguments a memory store accepts. Each check raises before storage or cache are touched.

Types are told by `wenchang._types`; accepted texts come back as exact `str`.
"""

from collections.abc import Iterable, Mapping, Sequence

from wenchang._types import exact_str, is_utf8, really, type_name
from wenchang.core.edits import MetadataEdit
from wenchang.errors import NotFoundError, NotFoundReason
from wenchang.file_format import FileMetadata, check_description
from wenchang.paths import build_prefix, is_valid_path, is_valid_prefix, is_valid_segment


def check_path(path: str) -> None:
    """Raises `NotFoundError` unless `path` names a memory file."""
    if not is_valid_path(path):
        raise NotFoundError(path, NotFoundReason.INVALID_PATH)


def check_writable_path(path: str) -> None:
    """As `check_path`, and refuses unpaired surrogates: such a key may be read and removed, but not made."""
    check_path(path)
    if not is_utf8(path):
        raise NotFoundError(path, NotFoundReason.INVALID_PATH)


def check_prefix(prefix: str) -> None:
    """Raises `NotFoundError` unless `prefix` is one of a scope, an entity or an area."""
    if not is_valid_prefix(prefix):
        raise NotFoundError(prefix, NotFoundReason.INVALID_PATH)


def check_positive(**numbers: int | None) -> None:
    """Raises `ValueError` naming the first number below 1; `None` is no limit and passes."""
    for name, number in numbers.items():
        if number is not None and number <= 0:
            raise ValueError(f"{name} must be positive")


def check_text(argument: str, *texts: str) -> None:
    """Raises `ValueError` for text that cannot be stored because it holds an unpaired surrogate."""
    if not all(is_utf8(text) for text in texts):
        raise ValueError(f"{argument} is not valid UTF-8 text")


def check_metadata_text(metadata: FileMetadata) -> None:
    """As `check_text`, for all that a caller of `write_file` may put into metadata."""
    check_text("description", metadata.description)
    check_text("aliases", *metadata.aliases)
    check_text("sources", *metadata.sources)


def check_str(**values: object) -> None:
    """Raises `TypeError` naming the first value that is no `str`."""
    for name, value in values.items():
        if not really(value, str):
            raise TypeError(f"{name} must be a str, not {type_name(value)}")


def exact_texts(argument: str, values: Sequence[str]) -> tuple[str, ...]:
    """A sequence of `str` as a tuple of exact ones. A `str` is no such sequence. Raises `TypeError`."""
    kind = type(values)
    if issubclass(kind, str | bytes | bytearray) or not issubclass(kind, Sequence):
        raise TypeError(f"{argument} must be a sequence of str, not {type_name(values)}")
    members = list(values)
    for member in members:
        if not really(member, str):
            raise TypeError(f"{argument} entry must be str, got {type_name(member)}")
    return tuple(exact_str(member) for member in members)


def metadata_edit(source: str, aliases: Sequence[str] | None, description: str | None) -> MetadataEdit:
    """What `append_line` and `replace_fact` were asked to do to metadata. Core, section 6.3.

    Raises `TypeError` for the wrong types, `ValueError` for a description of several lines or text that is not UTF-8.
    """
    given = () if aliases is None else exact_texts("aliases", aliases)
    if description is not None:
        check_str(description=description)
        description = exact_str(description)
        check_description(description)
        check_text("description", description)
    check_text("aliases", *given)
    check_text("source", source)
    return MetadataEdit(source, given, description)


def exact_entity(scope: str, entity_id: str) -> tuple[str, str]:
    """Scope and entity ID as exact `str`. Raises `TypeError`, then `ValueError` for an invalid segment."""
    check_str(scope=scope, entity_id=entity_id)
    pair = exact_str(scope), exact_str(entity_id)
    build_prefix(*pair)
    return pair


def exact_purge_arguments(scope: str, entity_id: str, max_passes: int) -> tuple[str, str]:
    """As `exact_entity`, with a number of passes. Raises every `TypeError` before any `ValueError`."""
    check_str(scope=scope, entity_id=entity_id)
    if not really(max_passes, int) or really(max_passes, bool):
        raise TypeError(f"max_passes must be an int, not {type_name(max_passes)}")
    names = exact_entity(scope, entity_id)
    check_positive(max_passes=max_passes)
    return names


def check_scope_priority(scopes: tuple[str, ...]) -> None:
    """Raises `ValueError` for an invalid or repeated scope."""
    for position, scope in enumerate(scopes):
        if not is_valid_segment(scope):
            raise ValueError(f"invalid scope_priority entry: {scope!r}")
        if scope in scopes[:position]:
            raise ValueError(f"duplicate scope_priority entry: {scope!r}")


def exact_scope_map(scope_map: Mapping[str, str]) -> list[tuple[str, str]]:
    """The pairs of scope and entity ID, sorted by scope. Core, section 8.3.

    Raises `TypeError` for anything but a mapping of `str` to `str`, then `ValueError` for invalid or repeated texts.
    """
    if not issubclass(type(scope_map), Mapping):
        raise TypeError(f"scope_map must be a Mapping, not {type_name(scope_map)}")
    pairs = sorted(_exact_pairs(list(scope_map.items())), key=lambda pair: pair[0])
    previous = None
    for scope, entity_id in pairs:
        build_prefix(scope, entity_id)
        if scope == previous:
            raise ValueError(f"duplicate scope: {scope!r}")
        previous = scope
    return pairs


def _exact_pairs(items: Iterable[object]) -> list[tuple[str, str]]:
    pairs = []
    for item in items:
        if type(item) is not tuple or len(item) != 2:
            raise TypeError("scope_map items must be (str, str) pairs")
        scope, entity_id = item
        if not really(scope, str):
            raise TypeError(f"scope_map key must be str, got {type_name(scope)}")
        if not really(entity_id, str):
            raise TypeError(f"scope_map value must be str, got {type_name(entity_id)}")
        pairs.append((exact_str(scope), exact_str(entity_id)))
    return pairs
