"""A fault of the app itself in words: few for the person it happened to, and more for a report of it."""

import platform
import traceback
from importlib.metadata import version
from pathlib import Path

import wenchang
from wenchang_tui.model.safe import visible, visible_line

_OURS = (Path(wenchang.__file__).parent, Path(__file__).parents[1])


def fault_summary(error: BaseException) -> str:
    """What happened and where, without a word of what the app was working on."""
    what = type(error).__name__
    steps = traceback.extract_tb(error.__traceback__)
    ours = [step for step in steps if set(_OURS) & set(Path(step.filename).parents)]
    for step in (ours or steps)[-1:]:  # the innermost of our own functions that it came through
        what += f" in {step.name}, {Path(step.filename).name} line {step.lineno}"
    return visible_line(f"wenchang had to end, by a fault of its own: {what}.")


def fault_details(error: BaseException) -> str:
    """The way it came, without the values that were at hand; what the text of the error quotes is made safe."""
    head = f"wenchang {wenchang.__version__}, textual {version('textual')}, Python {platform.python_version()}"
    return visible(f"{head}\n\n{''.join(traceback.format_exception(error))}")
