"""The colours of the app: ink and jade on dark, the same on paper; the terminal's own come with Textual."""

from textual.theme import Theme

DARK = Theme(
    name="wenchang-dark",
    primary="#5fb8a2",
    secondary="#7fa9dc",
    accent="#e08a76",
    warning="#e3b866",
    error="#ea7079",
    success="#96c573",
    foreground="#d9dce2",
    background="#14171c",
    surface="#191d23",
    panel="#232932",
    boost="#2a313c",
    dark=True,
)

LIGHT = Theme(
    name="wenchang-light",
    primary="#1c7566",
    secondary="#2c5d9c",
    accent="#a8412c",
    warning="#8a5f00",
    error="#b02a33",
    success="#467420",
    foreground="#2a2b2d",
    background="#faf8f3",
    surface="#f5f2ea",
    panel="#e8e3d7",
    boost="#ddd7c8",
    dark=False,
)

THEMES = (DARK, LIGHT)
