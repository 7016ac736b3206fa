"""The fields for asking what if: another limit, another priority, another identity. Nothing is ever written."""

from collections.abc import Mapping
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from wenchang_tui.model.safe import visible_line
from wenchang_tui.model.settings import parse_grants, parse_priority
from wenchang_tui.widgets.line_input import LineInput

_WIDE = 110


@dataclass(frozen=True, slots=True)
class Question:
    """A limit in bytes, the scopes that come first, and the entity of each scope."""

    limit: int
    priority: tuple[str, ...]
    scope_map: Mapping[str, str]


class WhatIf(Horizontal):
    """Three inputs, on one line where there is room, filled with what is served until somebody types."""

    DEFAULT_CSS = """
    WhatIf {
        layout: vertical;
        height: 2;
        background: $panel;
        padding: 0 1;
        & Horizontal { height: 1; }
        & Static { width: 10; color: $text-muted; }
        & #limit { width: 12; margin-right: 2; }
    }
    WhatIf.-wide {
        layout: horizontal;
        height: 1;
        & Static { width: auto; }
        & #ranking { width: 2fr; padding-right: 2; }
        & #who { width: 3fr; }
    }
    """

    @dataclass
    class Asked(Message):
        """Another question, or what is wrong with what was typed."""

        question: Question | None
        error: str = ""

    @dataclass
    class Done(Message):
        """Enter: back to the list."""

    def __init__(self) -> None:
        super().__init__()
        self.served: Question | None = None
        self._limit = LineInput(placeholder="bytes", id="limit")
        self._priority = LineInput(placeholder="scope, scope", id="priority")
        self._identity = LineInput(placeholder="scope=entity, scope=entity", id="identity")

    def compose(self) -> ComposeResult:
        """A label before each input."""
        limit, priority, identity = (Static(label, markup=False) for label in ("limit ", "priority ", "identity "))
        yield Horizontal(limit, self._limit, priority, self._priority, id="ranking")
        yield Horizontal(identity, self._identity, id="who")

    def on_resize(self, event: events.Resize) -> None:
        """One line where there is room."""
        self.set_class(event.size.width >= _WIDE, "-wide")

    def field(self, name: str) -> LineInput:
        """The input called `limit`, `priority` or `identity`."""
        return {"limit": self._limit, "priority": self._priority, "identity": self._identity}[name]

    @property
    def is_changed(self) -> bool:
        """Whether what is typed asks for anything else than what is served."""
        return self.served is not None and self._texts() != _texts(self.served)

    def fill(self, served: Question) -> None:
        """What is served; fields that hold something typed keep it."""
        was_changed = self.is_changed
        self.served = served
        if not was_changed:
            self.reset()

    def reset(self) -> None:
        """Back to what is served."""
        if self.served is not None:
            for field, text in zip((self._limit, self._priority, self._identity), _texts(self.served), strict=True):
                field.value = text

    def question(self) -> Question:
        """What is asked. Raises `ValueError` with a sentence for a person."""
        limit = self._limit.value.replace(",", "").replace("_", "").strip()
        if not limit.isdecimal() or int(limit) == 0:
            raise ValueError(f"the limit is a number of bytes above 0, not {self._limit.value or 'nothing'}")
        if self.served is not None and self._identity.value == _texts(self.served)[2]:
            scope_map = self.served.scope_map
        else:
            grants = parse_grants(_split(self._identity.value))
            scope_map = {scope: grant.entity_id for scope, grant in grants.items()}
        return Question(int(limit), parse_priority(_split(self._priority.value)), scope_map)

    @on(Input.Changed)
    def _ask(self, event: Input.Changed) -> None:
        event.stop()
        try:
            self.post_message(self.Asked(self.question()))
        except ValueError as error:
            self.post_message(self.Asked(None, str(error)))

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Done())

    def _texts(self) -> tuple[str, str, str]:
        return self._limit.value, self._priority.value, self._identity.value


def _texts(question: Question) -> tuple[str, str, str]:
    grants = ", ".join(f"{scope}={entity}" for scope, entity in question.scope_map.items())
    return f"{question.limit:,}", ", ".join(question.priority), visible_line(grants)


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]
