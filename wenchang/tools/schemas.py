"""The JSON Schemas of the tools' arguments, read from the signatures of `MemoryTools`. Agent layer, section 4.6."""

import inspect
from collections.abc import Mapping, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any

from wenchang.tools.memory_tools import TOOL_NAMES, MemoryTools

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": {"type": "string"}}
_NULL = {"type": "null"}
_SCHEMAS: dict[object, dict[str, Any]] = {
    str: _TEXT,
    str | None: {"anyOf": [_TEXT, _NULL]},
    Sequence[str]: _TEXTS,
    Sequence[str] | None: {"anyOf": [_TEXTS, _NULL]},
}


def tool_schemas() -> Mapping[str, dict[str, Any]]:
    """A JSON Schema for the arguments of each tool, in the order of `TOOL_NAMES`; new objects each time."""
    return MappingProxyType({name: _arguments_schema(getattr(MemoryTools, name)) for name in TOOL_NAMES})


def _arguments_schema(method: Any) -> dict[str, Any]:
    _self, *parameters = inspect.signature(method).parameters.values()
    return {
        "type": "object",
        "properties": {parameter.name: _schema(parameter) for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.default is parameter.empty],
        "additionalProperties": False,
    }


def _schema(parameter: inspect.Parameter) -> dict[str, Any]:
    schema = deepcopy(_SCHEMAS[parameter.annotation])
    return schema if parameter.default is parameter.empty else {**schema, "default": parameter.default}
