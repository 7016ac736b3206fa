"""Exactly the text that the agent receives for its index, to read and to copy."""

import json
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from wenchang_tui.screens.copy import copy_text
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, SizeGuard
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.text_lines import TextLines


class PayloadScreen(Dialog[None]):
    """A JSON text; `of` says whose it is."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.PAYLOAD, Where.DIALOG), ("q", "close")]
    DEFAULT_CSS = """
    PayloadScreen {
        align: center middle;
        & > #box {
            width: 100%;
            height: 90%;
            border: round $primary;
            border-title-color: $primary;
            border-subtitle-color: $text-muted;
            background: $surface;
        }
    }
    """

    def __init__(self, payload: str, of: str) -> None:
        super().__init__()
        self._payload = payload
        self._of = of
        self._is_formatted = False

    def compose(self) -> ComposeResult:
        """The text in a box."""
        with Vertical(id="box") as box:
            box.border_title = f"Payload {self._of}"
            yield TextLines()
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """As it is sent."""
        self.set_focus(self.query_one(TextLines))
        self._show()

    def _show(self) -> None:
        text = json.dumps(json.loads(self._payload), indent=2) if self._is_formatted else self._payload
        self.query_one(TextLines).show([], text.split("\n"))
        how = "laid out for reading" if self._is_formatted else "as it is sent"
        size = f"{len(self._payload.encode()):,} bytes, {how}"
        self.query_one("#box").border_subtitle = f"{size}; the limit counts the entries alone"

    def action_format(self) -> None:
        """The other way of showing it."""
        self._is_formatted = not self._is_formatted
        self._show()

    def action_copy(self) -> None:
        """Copy what is sent."""
        copy_text(self.app, "Payload", self._payload)

    def action_close(self) -> None:
        """Back to the index."""
        self.dismiss()
