"""The streams that a command prints to, made to take whatever comes."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO


class OutputError(Exception):
    """Standard output cannot be written to; the text is the reason."""


@contextmanager
def printing() -> Iterator[None]:
    """Tell trouble with standard output from trouble with the store. A reader that has gone away is none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise OutputError(error.strerror or str(error)) from error


def prepare_streams() -> None:
    """Let no character be unprintable, whatever the encoding of the streams, and a stream that is closed take all."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def discard(stream: TextIO) -> None:
    """Send what is still to be flushed nowhere: the reader has gone away, or takes no more."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
