"""How full a file is: its body and its metadata, each against its limit."""

from typing import ClassVar

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from wenchang_tui.model.linting import Gauge

_MIN_BAR = 6


class GaugeLine(Widget):
    """Two sums and two bars on one line."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"gauge--used", "gauge--free", "gauge--full", "gauge--over", "gauge--dim"}
    DEFAULT_CSS = """
    GaugeLine {
        height: 1;
        padding: 0 1;
        background: $surface;
        & > .gauge--used { color: $primary; }
        & > .gauge--free { color: $foreground 20%; }
        & > .gauge--full { color: $warning; }
        & > .gauge--over { color: $error; text-style: bold; }
        & > .gauge--dim { color: $text-muted; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._gauges: tuple[tuple[str, Gauge], ...] = ()

    def show(self, body: Gauge, metadata: Gauge) -> None:
        """Show these sums."""
        self._gauges = (("body", body), ("metadata", metadata))
        self.refresh()

    def render(self) -> Content:
        """As wide as there is room."""
        texts = [self._sum(name, gauge) for name, gauge in self._gauges]
        room = (self.content_size.width - sum(text.cell_length for text in texts)) // 2 - 2
        bars = [self._bar(gauge, room) for _, gauge in self._gauges]
        return Content("  ").join([text + bar for text, bar in zip(texts, bars, strict=True)])

    def _sum(self, name: str, gauge: Gauge) -> Content:
        over = "! over: " if gauge.is_over else ""
        tone = _tone(gauge)
        style = self._style(tone) if tone != "used" else ""
        return Content.assemble((f"{name} ", self._style("dim")), (f"{over}{gauge.used:,} of {gauge.limit:,} ", style))

    def _bar(self, gauge: Gauge, width: int) -> Content:
        if width < _MIN_BAR:
            return Content("")
        used = min(width, -(-width * gauge.used // max(1, gauge.limit)))
        return Content.assemble(("━" * used, self._style(_tone(gauge))), ("╌" * (width - used), self._style("free")))

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"gauge--{name}")


def _tone(gauge: Gauge) -> str:
    return "over" if gauge.is_over else "full" if gauge.is_nearly_full else "used"
