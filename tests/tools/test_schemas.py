"""The schemas of the arguments, as other frameworks take them."""

import json
from typing import Any

import pytest

from wenchang.tools import TOOL_NAMES, tool_schemas

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": {"type": "string"}}
NULL = {"type": "null"}
PLACE = {"scope": TEXT, "area": TEXT, "name": TEXT}
OPTIONAL_TEXT = {"anyOf": [TEXT, NULL], "default": None}
OPTIONAL_METADATA = {"aliases": {"anyOf": [TEXTS, NULL], "default": None}, "description": OPTIONAL_TEXT}

PROPERTIES: dict[str, dict[str, Any]] = {
    "get_memory_index": {},
    "read_file": PLACE,
    "list_prefix": {"scope": TEXT, "area": OPTIONAL_TEXT, "cursor": OPTIONAL_TEXT},
    "write_file": {
        **PLACE,
        "content": TEXT,
        "description": TEXT,
        "aliases": TEXTS,
        "expected_version": {"anyOf": [TEXT, NULL]},
    },
    "append_line": {**PLACE, "line": TEXT, "expected_version": TEXT, **OPTIONAL_METADATA},
    "replace_fact": {
        **PLACE,
        "old_string": TEXT,
        "new_string": TEXT,
        "expected_version": TEXT,
        **OPTIONAL_METADATA,
    },
    "delete_file": {**PLACE, "expected_version": TEXT},
}


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_a_schema_names_every_argument_in_order_and_no_other(name: str) -> None:
    expected = {
        "type": "object",
        "properties": PROPERTIES[name],
        "required": [key for key, schema in PROPERTIES[name].items() if "default" not in schema],
        "additionalProperties": False,
    }
    assert json.dumps(tool_schemas()[name]) == json.dumps(expected)


def test_schemas_are_fresh_and_in_order() -> None:
    schemas = tool_schemas()
    assert tuple(schemas) == TOOL_NAMES
    with pytest.raises(TypeError):
        schemas["read_file"] = {}  # type: ignore[index]
    schemas["append_line"]["properties"]["aliases"]["anyOf"][0]["items"]["type"] = "number"
    schemas["read_file"]["properties"]["scope"]["type"] = "number"
    assert tool_schemas()["append_line"]["properties"] == PROPERTIES["append_line"]
    assert tool_schemas()["read_file"]["properties"] == PLACE
