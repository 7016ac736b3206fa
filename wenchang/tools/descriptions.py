"""What an agent reads of each tool: the docstring of its method, with the product named in the first line.

The texts stand at the methods of `MemoryTools`; only how they are told is decided here. Agent layer, section 4.5.
"""

import inspect
from collections.abc import Callable, Mapping
from types import MappingProxyType

from wenchang._types import exact_str, is_utf8, really, type_name


def checked_product(product: object) -> str | None:
    """A product name as it will stand in the descriptions, stripped. Raises `TypeError` or `ValueError`."""
    if product is None:
        return None
    if not really(product, str):
        raise TypeError(f"product must be a str or None, not {type_name(product)}")
    name = exact_str(product).strip()
    if not name:
        raise ValueError("product must be non-empty")
    if len(name.splitlines()) > 1:
        raise ValueError("product must be one line")
    if not is_utf8(name):
        raise ValueError("product must be encodable as UTF-8")
    return name


def describe(tools: Mapping[str, Callable[..., object]], product: str | None) -> Mapping[str, str]:
    """The description of each tool, in the order given; empty where the interpreter stripped the docstrings."""
    return MappingProxyType({name: _description(tool.__doc__, product) for name, tool in tools.items()})


def _description(docstring: str | None, product: str | None) -> str:
    text = inspect.cleandoc(docstring or "")
    if product is None:
        return text
    first, newline, rest = text.partition("\n")
    return first.replace("a memory", f"a {product} memory", 1) + newline + rest
