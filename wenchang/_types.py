"""How values from outside are told apart: by their real type, and named without trusting them.

An object may lie about `__class__`, and a subclass of `str` may override anything; arguments are therefore tested
with `type(x)` and kept as exact `str`.
"""

from typing import TypeGuard, TypeVar

T = TypeVar("T")


def really(value: object, kind: type[T]) -> TypeGuard[T]:
    """Whether `value` is of `kind` by its real type."""
    return issubclass(type(value), kind)


def exact_str(value: str) -> str:
    """The text of `value` as a plain `str`, whatever a subclass overrides."""
    return str.__str__(value)


def type_name(value: object) -> str:
    """The name of the real type of `value`; `<unnamed>` where it cannot be read."""
    try:
        name = type(value).__name__
    except Exception:
        return "<unnamed>"
    return exact_str(name) if really(name, str) else "<unnamed>"


def is_utf8(text: str) -> bool:
    """Whether `text` can be encoded: it holds no unpaired surrogate."""
    try:
        str.encode(text, "utf-8")
    except UnicodeEncodeError:
        return False
    return True
