"""What Textual remembers of widgets that are closed, let go."""

from contextlib import suppress
from functools import lru_cache, partial


def let_go_of_closed_widgets() -> None:
    """Remember two colours of a widget by the colours that they follow from.

    Textual 8.2 remembers them by the widget's drawing, a thousand times: with each, every line that a dialog had drawn
    outlives it, which comes to more than a hundred megabytes. Another release may need nothing of this.
    """
    with suppress(ImportError, AttributeError):
        from textual._styles_cache import StylesCache

        inner_and_outer = partial(StylesCache.get_inner_outer.__wrapped__, StylesCache)  # none, once this was done
        by_colours = lru_cache(1024)(inner_and_outer)
        StylesCache.get_inner_outer = lambda _, *colours: by_colours(*colours)  # type: ignore[assignment]
