"""The one place that sees every message of every client: makes a `Call` of each use of a tool and reports it.

The framework calls its middleware provisional, so all that knows its shape stands here and in `drain`.
"""

import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from wenchang_tui.agent.callers import Caller
from wenchang_tui.agent.calls import CANCELLED, PENDING, REJECTED, Call
from wenchang_tui.agent.recording import Sketch, current_sketch

log = logging.getLogger(__name__)


class Observer:
    """A middleware that reports every call of a tool when it has ended, however it ended, and before when it begins.

    `report(call)` and `begun(call)` are called on the server's loop and must not block; `caller_of(ctx)` says whose
    request it is. Both tell of a call with the same `started`.
    """

    def __init__(
        self,
        report: Callable[[Call], object],
        caller_of: Callable[[ServerRequestContext[Any, Any]], Caller],
        begun: Callable[[Call], object] = lambda _: None,
    ) -> None:
        self._report = report
        self._caller_of = caller_of
        self._begun = begun

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Run a request and report it when it was a call."""
        if ctx.method != "tools/call" or ctx.request_id is None:
            return await call_next(ctx)
        sketch = Sketch()
        token = current_sketch.set(sketch)
        call, clock = self._begin(ctx), time.monotonic()
        outcome: tuple[Mapping[str, Any], str | None] = ({"message": "The call was broken off."}, CANCELLED)
        try:
            result = await call_next(ctx)
            outcome = _outcome(result)
            return result
        finally:
            current_sketch.reset(token)
            self._end(call, sketch, time.monotonic() - clock, *outcome)

    def _begin(self, ctx: ServerRequestContext[Any, Any]) -> Call | None:
        params = ctx.params or {}
        arguments = params.get("arguments")
        try:
            call = Call(
                caller=self._caller_of(ctx).name,
                client=_client(ctx),
                protocol=ctx.protocol_version,
                tool=str(params.get("name", "")),
                arguments=arguments if isinstance(arguments, dict) else {},
                answer={},
                category=PENDING,
                started=datetime.now(UTC),
                duration_s=0.0,
                change=None,
                process=os.getpid(),
            )
            self._begun(call)
            return call
        except Exception:  # a watcher that breaks must not break what it watches
            log.exception("A call could not be reported")
            return None

    def _end(
        self, call: Call | None, sketch: Sketch, duration_s: float, answer: Mapping[str, Any], category: str | None
    ) -> None:
        if call is None:
            return
        try:
            self._report(
                replace(
                    call,
                    answer=answer,
                    category=category,
                    duration_s=duration_s,
                    change=sketch.change,
                    note=sketch.note,
                )
            )
        except Exception:  # as above
            log.exception("A call could not be reported")


def _outcome(result: Any) -> tuple[Mapping[str, Any], str | None]:
    """What the client got, and its category: `None` for a success."""
    wire = result if isinstance(result, dict) else result.model_dump(by_alias=True, mode="json")
    payload = wire.get("structuredContent")
    if isinstance(payload, dict):
        return payload, str(payload.get("category", REJECTED)) if wire.get("isError") else None
    texts = [block.get("text", "") for block in wire.get("content", ()) if isinstance(block, dict)]
    return {"message": "\n".join(texts)}, REJECTED if wire.get("isError") else None


def _client(ctx: ServerRequestContext[Any, Any]) -> str:
    """What the client calls itself. Without a session of the handshake era only its HTTP library is known."""
    params = ctx.session.client_params
    if params is not None:
        return f"{params.client_info.name} {params.client_info.version}".strip()
    headers: Mapping[str, str] = getattr(ctx.request, "headers", {})
    return headers.get("user-agent", "")
