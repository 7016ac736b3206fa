"""From the words of a command line to an open store, or file memory."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import Any

import click

from wenchang.identity import Identity
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.options import find_profile, merge_settings
from wenchang_tui.cli.output import note
from wenchang_tui.config import load_config
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import UnknownTargetError, open_any
from wenchang_tui.model.workspace import Ambiguous, Workspace, open_demo

QUIET_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Request:
    """What a command line asks to open. `target` is `None` when nothing names one; `words` are the arguments behind."""

    target: str | None
    words: tuple[str, ...]
    settings: Settings
    demo: bool = False
    flat_demo: bool = False
    keep: bool = False
    create: bool = False

    @property
    def names_something(self) -> bool:
        """Whether there is anything to open."""
        return self.demo or self.flat_demo or self.target is not None


def read_request(arguments: Sequence[str], options: Mapping[str, Any], *names: str) -> Request:
    """Make sense of `[TARGET] NAMES…` and the options. Raises `UsageError` or `ConfigError`.

    A demo stands in the place of TARGET; the target of a profile stands in for it when it is left out.
    """
    config = load_config(options["config"])
    profile = find_profile(config, options["profile"])
    settings = merge_settings(options, config, profile)
    target, words = _split(arguments, names)
    demo, flat_demo, keep = options["demo"], options["demo_filememory"], options["keep"]
    if demo and flat_demo:
        raise _usage("--demo and --demo-filememory exclude each other")
    if (demo or flat_demo) and target is not None:
        raise _usage(
            f"{'--demo' if demo else '--demo-filememory'} stands in the place of TARGET; leave one of the two out"
        )
    if keep and not (demo or flat_demo):
        raise _usage("--keep goes with --demo")
    return Request(target or profile.target, words, settings, demo, flat_demo, keep, options["create"])


def _split(arguments: Sequence[str], names: Sequence[str]) -> tuple[str | None, tuple[str, ...]]:
    behind = len(arguments) - len(names)
    if behind not in (0, 1):
        wanted = " ".join(("TARGET", *names))
        raise _usage(f"expected {wanted}, got {len(arguments)} arguments")
    target = arguments[0] if behind else None
    if target == "":
        raise _usage("TARGET is empty; name a folder or gs://BUCKET")
    return target, tuple(arguments[behind:])


def open_request(request: Request) -> Workspace:
    """Open the store that is asked for. Raises as `open_any_request`, and `CommandError` for a file memory."""
    opened = open_any_request(request)
    if isinstance(opened, FlatFolder):
        can = "a file memory has tree, show, index, check, serve and the app"
        raise CommandError(f"{opened.target} is a file memory, and this command is for stores; {can}.", Exit.USAGE)
    return opened


def open_any_request(request: Request) -> Workspace | FlatFolder:
    """Open what is asked for. Raises `UsageError` when that is nothing, `OpenError` when it cannot be opened."""
    if request.demo or request.flat_demo:
        from wenchang_tui.model.flat_demo import open_flat_demo

        open_copy = open_demo if request.demo else open_flat_demo
        demo = open_copy(request.settings, keep=request.keep)
        if request.keep:
            note(f"The demo is kept in {demo.root}")
        return demo
    if request.target is None:
        raise _usage("TARGET is missing; name a folder or gs://BUCKET, or add --demo")
    return open_target(request.target, request.settings, create=request.create)


def open_target(target: str, settings: Settings, *, create: bool = False) -> Workspace | FlatFolder:
    """Open a target as a person writes it. Raises `UsageError` for a kind that is not known, `OpenError`."""
    try:
        with _waiting_shown(target):
            opened = open_any(target, settings, create=create)
    except UnknownTargetError as error:
        raise _usage(str(error)) from error
    if isinstance(opened, Workspace) and opened.retries is not None:
        opened.retries.on_notice = _tell
    return opened


@contextmanager
def _waiting_shown(target: str) -> Iterator[None]:
    """Say what is waited for, once that takes a while."""
    timer = Timer(QUIET_SECONDS, _tell, (f"waiting for {target}, ctrl+c gives up",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _tell(text: str) -> None:
    """Let a person at a terminal know, and no script."""
    if sys.stderr.isatty():
        note(text)


def acting_identity(workspace: Workspace) -> Identity:
    """Who acts in the workspace. Raises `CommandError` listing the entities when that is in doubt."""
    identity = workspace.identity()
    if isinstance(identity, Ambiguous):
        found = "; ".join(f"{scope}: {', '.join(entities)}" for scope, entities in identity.entities.items())
        found += ", and more" if identity.more else ""
        raise CommandError(f"whose memory? Say so with --grant SCOPE=ENTITY; found {found}.", Exit.USAGE)
    return identity


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context(silent=True))
