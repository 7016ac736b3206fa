"""The console script `wenchang`, and `python -m wenchang_tui`: checks that the `tui` extra is there, and runs it."""

import atexit
import gc
import signal
import sys
from importlib.util import find_spec

_EXTRA = ("click", "mcp", "platformdirs", "rich", "textual", "watchfiles", "yaml")


def main() -> int:
    """Run the command line of this process; return its exit code."""
    if not all(map(_is_installed, _EXTRA)):
        sys.stderr.write("wenchang: the app needs the optional 'tui' extra: pip install 'wenchang[tui]'\n")
        return 2
    _tidy_up_on_signals()
    atexit.register(gc.freeze)  # what is left goes with the process; to collect it first is what takes long
    try:
        from wenchang_tui.cli.program import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except SystemExit:
        from wenchang_tui.cli.streams import discard

        discard(sys.stdout)  # whoever should read it may not
        raise


def _tidy_up_on_signals() -> None:
    """Let a signal that ends the process end it as an exit does, so that what is temporary goes with it."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda received, _: sys.exit(128 + received))


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


if __name__ == "__main__":
    sys.exit(main())
