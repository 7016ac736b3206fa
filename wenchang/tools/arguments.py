"""What an agent may pass to a tool: each rule as a function that returns the checked value.

Every refusal is an `InvalidArgumentError` that names the argument, because an agent can correct it; never a
`TypeError`. Which argument is checked when is decided in `MemoryTools`. Agent layer, section 4.2.
"""

import re
import unicodedata
from collections.abc import Sequence

from wenchang._types import exact_str, is_utf8, really, type_name
from wenchang.errors import InvalidArgumentError
from wenchang.file_format import check_description, parse_fact
from wenchang.identity import Identity, ScopeGrant
from wenchang.paths import build_path, build_prefix, is_valid_segment
from wenchang.version_token import VersionToken

_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]*")
_UNFIT_NAME_CATEGORIES = ("Cf", "Zl", "Zp")
_LINE_BREAKS_BEYOND_NEWLINE = frozenset("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


def exact_text(argument: str, value: object) -> str:
    """Any text, even one that has no UTF-8 form."""
    if not really(value, str):
        raise InvalidArgumentError(argument, f"{argument} must be a string, not {type_name(value)}")
    return exact_str(value)


def utf8_text(argument: str, value: object) -> str:
    """A text that can be stored."""
    return _encodable(argument, exact_text(argument, value))


def _encodable(argument: str, text: str) -> str:
    if not is_utf8(text):
        raise InvalidArgumentError(argument, f"{argument} is not valid UTF-8 text")
    return text


def file_path(identity: Identity, scope: object, area: object, name: object) -> str:
    """The path of a file in the caller's own memory. The entity comes from the grant, never from the agent."""
    exact_scope, exact_area, exact_name = _location(scope=scope, area=area, name=name)
    grant = _grant(identity, exact_scope)
    try:
        path = build_path(exact_scope, grant.entity_id, exact_area, exact_name)
    except ValueError as error:
        unfit = "name" if is_valid_segment(exact_area) else "area"
        raise InvalidArgumentError(unfit, str(error)) from error
    _check_slug(exact_area)
    _check_name(exact_name)
    return path


def listing_prefix(identity: Identity, scope: object, area: object) -> str:
    """The prefix of one area of the caller's own memory, or of all of a scope when `area` is `None`."""
    if area is None:
        (exact_scope,) = _location(scope=scope)
        return build_prefix(exact_scope, _grant(identity, exact_scope).entity_id)
    exact_scope, exact_area = _location(scope=scope, area=area)
    grant = _grant(identity, exact_scope)
    try:
        prefix = build_prefix(exact_scope, grant.entity_id, exact_area)
    except ValueError as error:
        raise InvalidArgumentError("area", str(error)) from error
    _check_slug(exact_area)
    return prefix


def _location(**values: object) -> list[str]:
    texts = {argument: exact_text(argument, value) for argument, value in values.items()}
    return [_encodable(argument, text) for argument, text in texts.items()]


def _grant(identity: Identity, scope: str) -> ScopeGrant:
    if scope not in identity.grants:
        available = ", ".join(sorted(identity.grants))
        raise InvalidArgumentError(
            "scope", f"scope {scope!r} is not available in this session; available scopes: {available}"
        )
    return identity.grants[scope]


def _check_slug(area: str) -> None:
    if not _SLUG.fullmatch(area):
        detail = f"area {area!r} must be a lowercase slug: a-z0-9 first, then a-z0-9, '-' or '_'"
        raise InvalidArgumentError("area", detail)


def _check_name(name: str) -> None:
    """Refuse what people could not see or tell apart in a name."""
    for character in name:
        code = ord(character)
        if unicodedata.category(character) in _UNFIT_NAME_CATEGORIES or _is_noncharacter(code):
            detail = f"name must not contain invisible, separator, or noncharacter U+{code:04X}"
            raise InvalidArgumentError("name", detail)


def _is_noncharacter(code: int) -> bool:
    return 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE


def one_line_description(value: object) -> str:
    """A description that every reader sees as one line."""
    description = utf8_text("description", value)
    if not _LINE_BREAKS_BEYOND_NEWLINE.isdisjoint(description):
        raise InvalidArgumentError("description", "description must be a single line")
    try:
        check_description(description)
    except ValueError as error:
        raise InvalidArgumentError("description", str(error)) from error
    return description


def alias_list(value: object) -> tuple[str, ...]:
    """The aliases of a file. A text is refused, though it is a sequence of characters."""
    if any(really(value, kind) for kind in (str, bytes, bytearray)) or not really(value, Sequence):  # type: ignore[type-abstract]
        raise InvalidArgumentError("aliases", f"aliases must be a list of strings, not {type_name(value)}")
    return tuple(utf8_text("aliases", alias) for alias in value)


def fact_line(value: object) -> str:
    """A line that reads as a fact."""
    line = utf8_text("line", value)
    if parse_fact(line) is None:
        raise InvalidArgumentError(
            "line",
            "line must be a single fact line with a [stated], [observed], [inferred], or [system] label and "
            "non-empty text",
        )
    return line


def quoted_text(value: object) -> str:
    """The text to replace. One without a UTF-8 form is no error: it just occurs nowhere."""
    old_string = exact_text("old_string", value)
    if not old_string:
        raise InvalidArgumentError("old_string", "old_string must not be empty")
    return old_string


def version_token(value: object) -> VersionToken:
    """The version a file was read at."""
    return VersionToken(exact_text("expected_version", value))
