"""What happens in one MCP call: who is calling, the tool, the answer, and the record a host may keep of it."""

import copy
import json
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent

from wenchang._types import type_name
from wenchang.errors import ResolverFailureError
from wenchang.identity import IdentityResolver
from wenchang.mcp.arguments import wrapper_signature
from wenchang.scope import ScopePolicy
from wenchang.tools import MemoryTools, bind_tools, render_error, render_result
from wenchang.transport import TransportClient

log = logging.getLogger("wenchang.mcp")

_UNPAIRED_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ToolCallRecord:
    """One call as it was made and answered.

    `tool` is the name as registered, prefix included. `arguments` have their defaults filled in. `result` is what the
    client got as structured content. `request_id` is the client's, `None` for a call outside of a request.
    `duration_s` is wall time in seconds.
    """

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    is_error: bool
    request_id: str | None
    duration_s: float

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class MemoryCalls:
    """What every call of one server has in common: store, rules, and the host's own functions."""

    client: TransportClient
    resolver: IdentityResolver[Any]
    policy: ScopePolicy
    credentials_from_context: Callable[[Any], object]
    source: str
    product: str | None
    on_call: Callable[[ToolCallRecord], object] | None

    def wrapper(self, tool: str, registered_name: str) -> Callable[..., CallToolResult]:
        """A function for the framework to call, with the parameters of `tool` and a context."""
        signature = wrapper_signature(tool)

        def call(*args: Any, **kwargs: Any) -> CallToolResult:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            context = bound.arguments.pop("ctx")
            return self._answer(tool, registered_name, context, dict(bound.arguments))

        call.__name__ = tool
        call.__signature__ = signature  # type: ignore[attr-defined]
        call.__annotations__ = {name: p.annotation for name, p in signature.parameters.items()}
        call.__annotations__["return"] = CallToolResult
        return call

    def _answer(
        self, tool: str, registered_name: str, context: Context[Any, Any], arguments: dict[str, Any]
    ) -> CallToolResult:
        started = time.monotonic()
        payload, is_error = self._outcome(tool, registered_name, context, arguments)
        duration = time.monotonic() - started
        if self.on_call is not None:
            record = ToolCallRecord(
                tool=registered_name,
                arguments=copy.deepcopy(arguments),
                result=copy.deepcopy(payload),
                is_error=is_error,
                request_id=_request_id(context),
                duration_s=duration,
            )
            self._report(self.on_call, record)
        text = TextContent(type="text", text=json.dumps(payload))
        return CallToolResult(content=[text], structured_content=payload, is_error=is_error)

    def _outcome(
        self, tool: str, registered_name: str, context: Context[Any, Any], arguments: dict[str, Any]
    ) -> tuple[dict[str, Any], bool]:
        try:
            result = getattr(self._tools(registered_name, context), tool)(**arguments)
            return _encodable(render_result(result)), False
        except Exception as error:
            payload = render_error(error)
            if payload["category"] == "internal":
                log.error("Memory tool %s broke", registered_name, exc_info=error)
            return _encodable(payload), True

    def _tools(self, registered_name: str, context: Context[Any, Any]) -> MemoryTools:
        credentials = self._credentials(registered_name, context)
        return bind_tools(
            self.client, self.resolver, credentials, self.policy, source=self.source, product=self.product
        )

    def _credentials(self, registered_name: str, context: Context[Any, Any]) -> object:
        """What the host reads from a request. The text of an exception may hold a credential: it goes nowhere."""
        try:
            return self.credentials_from_context(context)
        except Exception as error:
            log.warning("Credentials for memory tool %s could not be read: %s", registered_name, type_name(error))
        raise ResolverFailureError("Credentials could not be read from the request.")

    @staticmethod
    def _report(on_call: Callable[[ToolCallRecord], object], record: ToolCallRecord) -> None:
        try:
            on_call(record)
        except Exception as error:
            log.error("on_call broke for memory tool %s", record.tool, exc_info=error)


def _request_id(context: Context[Any, Any]) -> str | None:
    try:
        return context.request_id
    except ValueError:
        return None


def _encodable(payload: Any) -> Any:
    """The payload without unpaired surrogates: stored metadata can hold them, an answer cannot."""
    if isinstance(payload, str):
        return _UNPAIRED_SURROGATE.sub("\ufffd", payload)
    if isinstance(payload, list):
        return [_encodable(member) for member in payload]
    if isinstance(payload, dict):
        return {key: _encodable(member) for key, member in payload.items()}
    return payload
