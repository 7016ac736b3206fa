"""What an agent sees of each tool, and how its arguments are checked: their shape here, their meaning elsewhere.

File memory, sections 1, 6 and 7.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from wenchang._types import exact_str, really, type_name
from wenchang.filememory.errors import FileMemoryError
from wenchang.filememory.lines import LineEdit
from wenchang.filememory.text import is_blank, quoted, well_formed

WriteToolName = "file_memory_write"
ReadFileToolName = "file_memory_read"
DeleteFileToolName = "file_memory_delete"
LsToolName = "file_memory_ls"
GrepToolName = "file_memory_grep"
ReplaceToolName = "file_memory_replace"
ReplaceLinesToolName = "file_memory_replace_lines"

_LARGEST_INTEGER = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool: its JSON Schema, how it is read, and whether it must be given.

    `read` gets the words that name the argument in a message, and its value. Null for one that need not be given is the
    same as leaving it out.
    """

    name: str
    schema: dict[str, Any]
    read: Callable[[str, object], Any]
    required: bool = True


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Name, description and parameters of a tool."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]

    @property
    def input_schema(self) -> dict[str, Any]:
        """A JSON Schema of the arguments; a new object each time."""
        schema: dict[str, Any] = json.loads(json.dumps(_object_schema(self.parameters)))
        return schema

    def read(self, arguments: object) -> dict[str, Any]:
        """The checked arguments by name, those that are absent left out. Raises `FileMemoryError`."""
        return _read_object("argument ", _as_object(arguments), self.parameters, self.name)


def _object_schema(parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def _as_object(arguments: object) -> Mapping[Any, object]:
    if arguments is None:
        return {}
    if really(arguments, str):
        text = exact_str(arguments)
        arguments = {} if is_blank(text) else _parsed(text)
    if not really(arguments, Mapping):  # type: ignore[type-abstract]
        raise FileMemoryError(f"the arguments must be a JSON object, not {_kind(arguments)}")
    return arguments


def _parsed(text: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise FileMemoryError("the arguments must be a JSON object, and this text is not JSON") from error


def _no_constant(name: str) -> object:
    raise ValueError(name)


def _read_object(
    prefix: str, values: Mapping[Any, object], parameters: tuple[Parameter, ...], owner: str
) -> dict[str, Any]:
    """The members of a JSON object; `prefix` and a name make the words for one, `owner` is whose members they are."""
    known = {parameter.name: parameter for parameter in parameters}
    for key in values:
        if not really(key, str) or key not in known:
            shown = quoted(exact_str(key)) if really(key, str) else _kind(key)
            raise FileMemoryError(f"unknown {prefix}{shown}: {owner} takes {', '.join(known)}")
    found = {}
    for name, parameter in known.items():
        if name in values and (parameter.required or values[name] is not None):
            found[name] = parameter.read(f"{prefix}{quoted(name)}", values[name])
        elif parameter.required:
            raise FileMemoryError(f"{prefix}{quoted(name)} is required by {owner}")
    return found


def _kind(value: object) -> str:
    """What a value is in JSON, for a message."""
    kinds = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    kinds |= {list: "an array", dict: "an object"}
    return kinds.get(type(value), type_name(value))


def _text(what: str, value: object) -> str:
    if not really(value, str):
        raise FileMemoryError(f"{what} must be a string, not {_kind(value)}")
    return well_formed(exact_str(value))


def _flag(what: str, value: object) -> bool:
    if not really(value, bool):
        raise FileMemoryError(f"{what} must be true or false, not {_kind(value)}")
    return value


def _integer(what: str, value: object) -> int:
    if really(value, float) and float.is_integer(value):
        value = int(value)
    if not really(value, int) or really(value, bool) or abs(value) > _LARGEST_INTEGER:
        raise FileMemoryError(f"{what} must be an integer")
    return int(value)


def _edits(what: str, value: object) -> tuple[LineEdit, ...]:
    """The edits in their order; null is none, which the tool refuses in its own words."""
    if value is None:
        return ()
    if not really(value, list) and not really(value, tuple):
        raise FileMemoryError(f"{what} must be an array of objects, not {_kind(value)}")
    return tuple(_edit(f"edits[{place}]", item) for place, item in enumerate(value))


def _edit(what: str, value: object) -> LineEdit:
    if not really(value, Mapping):  # type: ignore[type-abstract]
        raise FileMemoryError(f"{what} must be an object, not {_kind(value)}")
    return LineEdit(**_read_object(f"argument {what} ", value, _EDIT_PARAMETERS, "each edit"))


def _text_parameter(name: str, about: str) -> Parameter:
    return Parameter(name, {"type": "string", "description": about}, _text)


def _optional_text_parameter(name: str, about: str) -> Parameter:
    return Parameter(name, {"type": "string", "description": about}, _text, required=False)


_EDIT_PARAMETERS = (
    Parameter(
        "line_number",
        {"type": "integer", "description": "The line to replace, counted from 1, as file_memory_grep reports it."},
        _integer,
    ),
    _text_parameter(
        "new_line",
        "What takes the place of the line and of its line ending, so end it in one. Empty removes the line.",
    ),
    _optional_text_parameter(
        "expected_line", "What you believe the line holds now; when it holds anything else, nothing is changed."
    ),
)
_FILE_NAME = _text_parameter("file_name", "The flat name of the file, for example travel-plans.md. No folders.")
_GLOB = _optional_text_parameter(
    "glob_pattern", "Only files whose whole name matches, letter case aside; * stands for any text. Example: *.md"
)

TOOLS = {
    spec.name: spec
    for spec in (
        ToolSpec(
            WriteToolName,
            "Save a memory file: creates it, or replaces all of it. Give a description each time; writing without one "
            "removes the description the file had.",
            (
                _FILE_NAME,
                _text_parameter("content", "The whole text of the file."),
                _optional_text_parameter("description", "A short summary by which the file can be found later."),
            ),
        ),
        ToolSpec(ReadFileToolName, "Read all of a memory file.", (_FILE_NAME,)),
        ToolSpec(DeleteFileToolName, "Delete a memory file and its description.", (_FILE_NAME,)),
        ToolSpec(
            LsToolName,
            "List the memory files with their descriptions.",
            (_GLOB,),
        ),
        ToolSpec(
            GrepToolName,
            "Search the memory files for lines that match a regular expression, letter case aside. Gives the matching "
            "lines with their numbers, and the text around the first match of each file.",
            (
                _text_parameter("regex_pattern", "A regular expression in RE2 syntax, applied to each line by itself."),
                _GLOB,
            ),
        ),
        ToolSpec(
            ReplaceToolName,
            "Replace a piece of text in a memory file. The text must occur exactly once, unless all occurrences are to "
            "be replaced. The description stays as it is.",
            (
                _FILE_NAME,
                _text_parameter("old_string", "The text to replace, exactly as it stands in the file."),
                _text_parameter("new_string", "The text to put in its place; may be empty."),
                Parameter(
                    "replace_all",
                    {"type": "boolean", "default": False, "description": "Replace every occurrence, not just one."},
                    _flag,
                    required=False,
                ),
            ),
        ),
        ToolSpec(
            ReplaceLinesToolName,
            "Replace whole lines of a memory file by their numbers, all in one step. Take the numbers from "
            "file_memory_grep; all of them are those before the call. The description stays as it is.",
            (
                _FILE_NAME,
                Parameter(
                    "edits",
                    {
                        "type": "array",
                        "description": "The lines to replace, in any order, each at most once.",
                        "items": _object_schema(_EDIT_PARAMETERS),
                    },
                    _edits,
                ),
            ),
        ),
    )
}
"""The tools by name, in the order they are supplied."""

TOOL_NAMES = tuple(TOOLS)
