"""How arguments get from an MCP request into a tool: exactly as they were sent, or not at all.

Left to itself the framework reads a text as JSON wherever null is allowed too, and passes over names it does not know.
A memory may hold text that reads `null` or `[1]`, and a misspelt name must not lose what it carried. Two leniencies
remain, for clients that can only send text: a list of aliases, and the null of `expected_version`.
"""

import inspect
import json
from collections.abc import Sequence
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import CallToolResult
from pydantic import BeforeValidator, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from wenchang.tools import MemoryTools


class ExactArguments(FuncMetadata):
    """Arguments of one tool, checked against its model and otherwise left alone."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """No text is tried as JSON."""
        return data

    def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
        """As the framework, and refuses unknown names with the list of those the tool has."""
        known = self.arg_model.model_fields
        unknown = {name: value for name, value in arguments_to_validate.items() if name not in known}
        if unknown:
            problem = PydanticCustomError(
                "unknown_argument",
                "This tool has no such argument; its arguments are: {names}",
                {"names": ", ".join(known) or "none"},
            )
            details = [InitErrorDetails(type=problem, loc=(name,), input=value) for name, value in unknown.items()]
            raise ValidationError.from_exception_data(self.arg_model.__name__, details)
        return super().validate_arguments(arguments_to_validate)


def wrapper_signature(tool: str) -> inspect.Signature:
    """The parameters of a tool as the framework is to see them, and `ctx`, which it fills in and shows to nobody."""
    _self, *parameters = inspect.signature(getattr(MemoryTools, tool)).parameters.values()
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=Context)
    return inspect.Signature([*map(_lenient, parameters), context], return_annotation=CallToolResult)


def _lenient(parameter: inspect.Parameter) -> inspect.Parameter:
    annotation: Any = parameter.annotation
    if annotation in (Sequence[str], Sequence[str] | None):
        return parameter.replace(annotation=Annotated[annotation, BeforeValidator(_list_of_texts)])
    if parameter.name == "expected_version" and annotation == str | None:
        return parameter.replace(annotation=Annotated[annotation, BeforeValidator(_null_from_text)])
    return parameter


def _list_of_texts(value: object) -> object:
    """A list, also out of its JSON text; null where the annotation allows it."""
    listed = _from_json(value) if isinstance(value, str) else value
    if value is None or isinstance(listed, list | tuple):
        return listed
    raise PydanticCustomError("list_of_strings", 'Input should be a list of strings, such as ["first", "second"]')


def _from_json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _null_from_text(value: object) -> object:
    return None if value == "null" else value
