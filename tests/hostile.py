"""Text as an agent, or somebody through an agent, may leave it in a memory: everything that has ever broken a screen.

`FRAGMENTS` are samples of each kind; the strategies mix them with anything else.
"""

import re
from typing import Any

from hypothesis import strategies as st

FRAGMENTS = (
    "[/]",
    "[@click=app.quit]click me[/]",
    "[red]red[/red] [bold]x",
    "[x] [see](url) list[str] [[wiki]] [TODO] [100%] [$primary]",
    "[link='x",
    "foo[/ \\",
    "\x1b[31mred\x1b[0m",
    "\x1b]52;c;aGVsbG8=\x07",
    "\x9b31m \x9d52;c;aGVsbG8=\x9c",
    "\x00\x08\x7f\r\x0b\x0c",
    "\u202egnp.exe\u202c \u2066x\u2069 \u061c",
    "zero\u200bwidth\ufeff\u2060\u00ad",
    "\U000e0041\U000e0042tags",
    "\u2028line\u2029paragraph\x85",
    "\udc80\ud800 surrogates",
    "e\u0301 क्षि 👨‍👩‍👧 🇩🇪 ❤️ 日本語 עברית",
    "w" * 3_000,
    "日" * 1_000,
    "\t\ttabs\tinside",
)
"""One of each: markup of every form, escapes and controls, bidi and hidden characters, half characters, every line end,
writing from right to left, combining runs, emoji sequences, and what is very long or very wide."""

_CHARACTERS = st.characters(codec=None) | st.sampled_from(
    "[]()\\/@#%:=-*`'\"\x00\x1b\x9b\x9c\x07\r\n\t\u202e\u2066\u200d\ufe0f\u0301\ud800"
)


def texts(max_size: int = 40) -> st.SearchStrategy[str]:
    """Any text, and often a hostile one."""
    pieces = st.text(_CHARACTERS, max_size=8) | st.sampled_from([text[:60] for text in FRAGMENTS])
    return st.lists(pieces, max_size=5).map(lambda found: "".join(found)[:max_size])


def lines(max_size: int = 40) -> st.SearchStrategy[str]:
    """Any text without a line feed or carriage return, as a description must be."""
    return texts(max_size).map(lambda text: re.sub(r"[\r\n]", " ", text))


def segments() -> st.SearchStrategy[str]:
    """Names, scopes, entities: what a path may be made of, and what it may not."""
    return texts(20) | st.sampled_from(["", ".", "..", "a", "user", "u", "notes", "system", "con", "%", "~", "a" * 300])


def bodies() -> st.SearchStrategy[str]:
    """Any body; often with fact lines."""
    facts = lines().map(lambda text: f"- [stated] {text}")
    return st.lists(facts | texts(80), max_size=5).map("\n".join)


def json_values() -> st.SearchStrategy[Any]:
    """Anything that JSON can say, and some that Python says besides: NaN, half characters, numbers beyond 2^53."""
    scalars = (
        st.none() | st.booleans() | st.integers() | st.integers(-(2**70), 2**70) | st.floats() | texts() | segments()
    )
    names = segments()
    return st.recursive(
        scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=6
    )


@st.composite
def damaged(draw: st.DrawFn, sound: Any) -> Any:
    """A JSON document like `sound`, of which somewhere something is another thing, missing or too much."""
    if isinstance(sound, dict) and sound and draw(st.integers(0, 4)):
        key = draw(st.sampled_from(sorted(sound)))
        changed = draw(damaged(sound[key]))
        what = draw(st.sampled_from(["change", "change", "change", "drop", "add"]))
        if what == "drop":
            return {name: value for name, value in sound.items() if name != key}
        return {**sound, (draw(segments()) if what == "add" else key): changed}
    if isinstance(sound, list) and sound and draw(st.integers(0, 4)):
        at = draw(st.integers(0, len(sound) - 1))
        return [*sound[:at], draw(damaged(sound[at])), *sound[at + 1 :]]
    return draw(json_values())


def cut_or_spoilt(sound: bytes) -> st.SearchStrategy[bytes]:
    """The bytes of a sound file: cut off, with some of them replaced, or other bytes altogether."""
    size = len(sound)
    cut = st.integers(0, size).map(lambda end: sound[:end])
    spoilt = st.builds(
        lambda at, patch: sound[:at] + patch + sound[at + len(patch) :], st.integers(0, size), st.binary(max_size=6)
    )
    return cut | spoilt | st.binary(max_size=40) | texts().map(lambda text: text.encode("utf-8", "surrogatepass"))
