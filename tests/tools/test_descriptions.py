"""What an agent reads of each tool before it calls one."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wenchang.tools import TOOL_NAMES, MemoryTools, tool_descriptions

ROOT = Path(__file__).parents[2]
WRITES = ("write_file", "append_line", "replace_fact", "delete_file")


def test_every_tool_has_a_description_in_order() -> None:
    descriptions = tool_descriptions()
    assert tuple(descriptions) == TOOL_NAMES
    assert descriptions is not tool_descriptions()
    with pytest.raises(TypeError):
        descriptions["read_file"] = ""  # type: ignore[index]


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_a_description_opens_with_one_sentence(name: str) -> None:
    first, _, rest = tool_descriptions()[name].partition("\n")
    assert first.endswith(".")
    assert first.count(". ") == 0
    assert rest == "" or rest.startswith("\n")
    assert not any(line.startswith(" ") or line.endswith(" ") for line in tool_descriptions()[name].splitlines())


@pytest.mark.parametrize("product", ["Inkwell", "a {b} %s \\1", "  Inkwell  "])
@pytest.mark.parametrize("name", TOOL_NAMES)
def test_a_product_stands_in_the_first_line_alone(name: str, product: str) -> None:
    plain, named = tool_descriptions()[name], tool_descriptions(product)[name]
    assert f"a {product.strip()} memory" in named.splitlines()[0]
    assert named.replace(f"a {product.strip()} memory", "a memory", 1) == plain
    assert named.splitlines()[1:] == plain.splitlines()[1:]


@pytest.mark.parametrize(
    ("product", "error"), [(1, TypeError), ("", ValueError), ("a\nb", ValueError), ("\ud800", ValueError)]
)
def test_a_product_that_cannot_be_is_refused(product: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="product must be "):
        tool_descriptions(product)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("get_memory_index", ("before any other", "scope", "area", "`.md`", "owner", "lowercase ASCII slugs")),
        ("get_memory_index", ("`system/`", "never write", "`capped`", "list_prefix(scope, area)", "version")),
        ("read_file", ("content", "version", "`system/` included")),
        ("list_prefix", ("`next_cursor`", "`cursor`", "same scope and area", "null", "no content")),
        ("write_file", ("null", "version you read", "one line", "replace", "bytes", "size and the limit")),
        ("append_line", ("[stated]", "[observed]", "[inferred]", "[system]", "- [stated] ", "none is ever removed")),
        ("append_line", ("write_file", "size limit", "replaces the old one", "version you read")),
        (
            "replace_fact",
            ("exactly once", "content and version", "takes its place", "none is ever removed", "write_file"),
        ),
        ("delete_file", ("version you read", "only if the file should still go")),
    ],
)
def test_a_description_tells_what_an_agent_must_know(name: str, told: tuple[str, ...]) -> None:
    text = " ".join(tool_descriptions()[name].split())
    assert [word for word in told if word not in text] == []


@pytest.mark.parametrize("name", WRITES)
def test_every_write_tells_how_to_go_on_after_a_conflict(name: str) -> None:
    text = " ".join(tool_descriptions()[name].split())
    assert "Conflicts are expected" in text
    assert "carries the current content and version" in text
    assert "call again with that version" in text


def test_no_description_speaks_of_paths_or_entities() -> None:
    text = "\n".join(tool_descriptions().values()).lower()
    assert not any(word in text for word in ("entity", "prefix/", "path", "inkwell"))


def test_a_missing_docstring_is_an_empty_description(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryTools.read_file, "__doc__", None)
    assert tool_descriptions("Inkwell")["read_file"] == ""
    assert tool_descriptions()["list_prefix"] != ""


def test_stripped_docstrings_are_no_error() -> None:
    script = "from wenchang.tools import tool_descriptions; print(set(tool_descriptions('x').values()))"
    done = subprocess.run([sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "{''}\n"
