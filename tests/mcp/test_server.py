"""Making a server, and adding to one: what is checked before, what is there afterwards."""

import functools
import inspect
import logging
import subprocess
import sys
import typing
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resources import TextResource
from mcp_types import TextResourceContents

import wenchang
from tests.mcp.support import SLOTS, Host
from wenchang.mcp import PROMPT_RESOURCE_URI, build_server, memory_instructions, register_memory_tools
from wenchang.prompts import build_memory_prompt
from wenchang.tools import TOOL_NAMES, MemoryTools, tool_descriptions

ROOT = Path(__file__).parents[2]
PROMPT = build_memory_prompt(SLOTS)


async def asynchronous(_: Any) -> None:
    """Not what a host may pass."""


class AsyncCallable:
    async def __call__(self, _: Any) -> None:
        """Nor is this."""


BAD_PREFIX = (
    "tool_prefix must be 1-64 characters of A-Z, a-z, 0-9, '_' or '-', starting and ending with a letter or digit"
)

MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"client": None, "resolver": None}, TypeError, "client must satisfy TransportClient"),
    ({"policy": {}, "source": ""}, TypeError, "policy must be a ScopePolicy, not dict"),
    ({"source": "", "product": 1}, ValueError, "source must be non-empty"),
    ({"product": "a\nb", "resolver": None}, ValueError, "product must be one line"),
    ({"resolver": object(), "on_call": 1}, TypeError, "resolver must satisfy IdentityResolver"),
    ({"credentials_from_context": None, "on_call": 1}, TypeError, "credentials_from_context must be callable"),
    *(
        (
            {"credentials_from_context": function},
            TypeError,
            "credentials_from_context must be a plain function, not async",
        )
        for function in (asynchronous, AsyncCallable(), functools.partial(functools.partial(asynchronous), 1))
    ),
    ({"on_call": 1, "tool_prefix": ""}, TypeError, "on_call must be callable or None"),
    ({"on_call": asynchronous, "tool_prefix": 1}, TypeError, "on_call must be a plain function, not async"),
    ({"tool_prefix": 1}, TypeError, "tool_prefix must be a str or None, not int"),
    *(
        ({"tool_prefix": prefix}, ValueError, BAD_PREFIX)
        for prefix in ("", "_a", "a_", "-", "a.b", "a b", "caf\u00e9", "a\n", "x" * 65)
    ),
]


@pytest.mark.parametrize(("changed", "error", "message"), MISTAKES)
def test_a_mistake_of_the_host_is_found_before_anything_is_registered(
    changed: dict[str, Any], error: type[Exception], message: str
) -> None:
    arguments = {**Host().arguments, **changed}
    with pytest.raises(error) as refusal:
        build_server(slots=None, **arguments)  # type: ignore[arg-type]
    assert str(refusal.value) == message
    server: MCPServer[Any] = MCPServer("host", instructions=PROMPT)
    with pytest.raises(error) as refusal:
        register_memory_tools(server, prompt="", **arguments)
    assert str(refusal.value) == message
    assert server._tool_manager.list_tools() == []
    assert server._resource_manager.list_resources() == []


@pytest.mark.parametrize(
    ("prompt", "error", "message"),
    [
        (None, TypeError, "prompt must be a str, not NoneType"),
        (" \n", ValueError, "prompt must be non-empty"),
    ],
)
def test_a_prompt_must_say_something(prompt: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as refusal:
        register_memory_tools(MCPServer("host"), prompt=prompt, **Host().arguments)
    assert str(refusal.value) == message


def test_tools_are_registered_on_a_server_alone() -> None:
    with pytest.raises(TypeError) as refusal:
        register_memory_tools(object(), prompt="p", **{**Host().arguments, "client": None})  # type: ignore[arg-type]
    assert str(refusal.value) == "server must be an MCPServer, not object"


def test_slots_are_needed_for_a_server_of_its_own() -> None:
    with pytest.raises(TypeError, match="slots must be PromptSlots, not dict"):
        build_server(slots={}, **Host().arguments)  # type: ignore[arg-type]


def test_stripped_docstrings_are_found_at_the_start() -> None:
    script = (
        "from tests.mcp.support import Host\ntry:\n    Host().server\nexcept RuntimeError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == (
        f"memory tool descriptions are missing or empty for: {', '.join(TOOL_NAMES)}; "
        "the tool docstrings may have been stripped (python -OO)\n"
    )


def test_a_blank_description_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MemoryTools.read_file, "__doc__", " ")
    with pytest.raises(RuntimeError, match="missing or empty for: read_file; the tool docstrings"):
        assert Host().server


def test_what_is_registered_already_is_found_first() -> None:
    server: MCPServer[Any] = MCPServer("host", instructions=PROMPT)
    server.add_tool(lambda: "", name="write_file")
    server.add_tool(lambda: "", name="append_line")
    server.add_resource(TextResource(uri=PROMPT_RESOURCE_URI, name="x", text="x"))
    with pytest.raises(ValueError, match="cannot register") as refusal:
        register_memory_tools(server, prompt=PROMPT, **Host().arguments)
    assert str(refusal.value) == (
        "cannot register memory tools: already registered on the server: "
        "append_line, wenchang://memory-prompt, write_file"
    )
    assert len(server._tool_manager.list_tools()) == 2
    with pytest.raises(ValueError, match="on the server: wenchang://memory-prompt"):
        register_memory_tools(server, prompt=PROMPT, **Host(tool_prefix="ink").arguments)


async def test_a_server_of_its_own_is_complete() -> None:
    server = Host(product="Inkwell").server
    assert (server.name, server.version, server.instructions) == ("wenchang", wenchang.__version__, PROMPT)
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        (resource,) = (await client.list_resources()).resources
        (contents,) = (await client.read_resource(PROMPT_RESOURCE_URI)).contents
        assert client.instructions == PROMPT
    assert [tool.name for tool in tools] == list(TOOL_NAMES)
    assert {tool.name: tool.description for tool in tools} == dict(tool_descriptions("Inkwell"))
    assert all(tool.output_schema is None for tool in tools)
    assert (str(resource.uri), resource.name, resource.title, resource.mime_type) == (
        "wenchang://memory-prompt",
        "memory_prompt",
        "Memory prompt",
        "text/markdown",
    )
    assert isinstance(contents, TextResourceContents)
    assert contents.text == PROMPT
    assert memory_instructions(SLOTS) == PROMPT


async def test_every_tool_says_what_it_may_do() -> None:
    async with Client(Host().server) as client:
        tools = (await client.list_tools()).tools
    hints = {}
    for tool in tools:
        assert tool.annotations is not None
        wire = tool.annotations.model_dump(by_alias=True, exclude_none=True)
        assert wire.pop("openWorldHint") is False
        hints[tool.name] = (wire["readOnlyHint"], wire["destructiveHint"], wire["idempotentHint"])
    assert hints == {
        "get_memory_index": (True, False, True),
        "read_file": (True, False, True),
        "list_prefix": (True, False, True),
        "write_file": (False, True, True),
        "append_line": (False, False, True),
        "replace_fact": (False, True, False),
        "delete_file": (False, True, True),
    }


async def test_a_prefix_changes_the_registered_names_alone() -> None:
    async with Client(Host(tool_prefix="ink-1").server) as client:
        tools = (await client.list_tools()).tools
        assert not (await client.call_tool("ink-1_get_memory_index", {})).is_error
    assert [tool.name for tool in tools] == [f"ink-1_{name}" for name in TOOL_NAMES]
    assert [tool.description for tool in tools] == list(tool_descriptions().values())


@pytest.mark.parametrize(("length", "warned"), [(47, 0), (48, 1), (64, 7)])
def test_names_too_long_for_many_clients_are_warned_of(
    length: int, warned: int, caplog: pytest.LogCaptureFixture
) -> None:
    server = Host(tool_prefix="x" * length).server
    assert [len(tool.name) for tool in server._tool_manager.list_tools()] == [length + 1 + len(n) for n in TOOL_NAMES]
    entries = [record for record in caplog.records if record.name == "wenchang.mcp"]
    assert [entry.levelno for entry in entries] == [logging.WARNING] * warned


@pytest.mark.parametrize(
    ("instructions", "warned"), [(None, 1), ("Be kind.", 1), (f"Be kind.\n\n{PROMPT}", 0), (PROMPT, 0)]
)
def test_instructions_without_the_prompt_are_warned_of(
    instructions: str | None, warned: int, caplog: pytest.LogCaptureFixture
) -> None:
    server: MCPServer[Any] = MCPServer("host", instructions=instructions)
    register_memory_tools(server, prompt=PROMPT, **Host().arguments)
    entries = [record for record in caplog.records if record.name == "wenchang.mcp"]
    assert [entry.levelno for entry in entries] == [logging.WARNING] * warned
    assert len(server._tool_manager.list_tools()) == 7


@pytest.mark.parametrize("name", TOOL_NAMES)
def test_a_wrapper_has_the_parameters_of_its_tool_and_a_hidden_context(name: str) -> None:
    tool = Host().server._tool_manager.get_tool(name)
    assert tool is not None
    *parameters, context = inspect.signature(tool.fn).parameters.values()
    _self, *expected = inspect.signature(getattr(MemoryTools, name)).parameters.values()
    assert [(p.name, p.kind, p.default) for p in parameters] == [(p.name, p.kind, p.default) for p in expected]
    assert (context.name, context.kind) == ("ctx", inspect.Parameter.KEYWORD_ONLY)
    assert typing.get_type_hints(tool.fn)["ctx"] is Context
    assert (tool.context_kwarg, tool.fn.__doc__, tool.is_async) == ("ctx", None, False)
    assert "ctx" not in tool.parameters["properties"]


# Without the package


def importing(block: str) -> str:
    script = f"{block}\ntry:\n    import wenchang.mcp\nexcept ImportError as error:\n    print(error)\n"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT).stdout


def test_without_the_mcp_package_the_extra_is_named() -> None:
    said = importing("import sys; sys.modules['mcp'] = None")
    assert said == "wenchang.mcp requires the optional 'mcp' extra: pip install 'wenchang[mcp]'\n"


def test_with_another_mcp_package_the_versions_are_named() -> None:
    assert "mcp>=2.2,<3" in importing("import sys, types; sys.modules['mcp'] = types.ModuleType('mcp')")


def test_the_tools_need_no_mcp_package() -> None:
    script = "import sys; sys.modules['mcp'] = None\nimport wenchang.tools, wenchang.prompts, wenchang.transport"
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT)
