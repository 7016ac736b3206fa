"""From the words of a command line to an open store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from wenchang.identity import Identity
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.options import find_profile, merge_settings
from wenchang_tui.cli.output import note
from wenchang_tui.config import load_config
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import UnknownTargetError
from wenchang_tui.model.targets import open_target as open_known_target
from wenchang_tui.model.workspace import Ambiguous, Workspace, open_demo


@dataclass(frozen=True, slots=True)
class Request:
    """What a command line asks to open. `target` is `None` when nothing names one; `words` are the arguments behind."""

    target: str | None
    words: tuple[str, ...]
    settings: Settings
    demo: bool = False
    keep: bool = False
    create: bool = False


def read_request(arguments: Sequence[str], options: Mapping[str, Any], *names: str) -> Request:
    """Make sense of `[TARGET] NAMES…` and the options. Raises `UsageError` or `ConfigError`.

    `--demo` stands in the place of TARGET; the target of a profile stands in for it when it is left out.
    """
    config = load_config(options["config"])
    profile = find_profile(config, options["profile"])
    settings = merge_settings(options, config, profile)
    target, words = _split(arguments, names)
    demo, keep = options["demo"], options["keep"]
    if demo and target is not None:
        raise _usage("--demo stands in the place of TARGET; leave one of the two out")
    if keep and not demo:
        raise _usage("--keep goes with --demo")
    return Request(target or profile.target, words, settings, demo, keep, options["create"])


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
    """Open what is asked for. Raises `UsageError` when that is nothing, `OpenError` when it cannot be opened."""
    if request.demo:
        workspace = open_demo(request.settings, keep=request.keep)
        if request.keep:
            note(f"The demo is kept in {workspace.root}")
        return workspace
    if request.target is None:
        raise _usage("TARGET is missing; name a folder or gs://BUCKET, or add --demo")
    return open_target(request.target, request.settings, create=request.create)


def open_target(target: str, settings: Settings, *, create: bool = False) -> Workspace:
    """Open a target as a person writes it. Raises `UsageError` for a kind that is not known, `OpenError`."""
    try:
        return open_known_target(target, settings, create=create)
    except UnknownTargetError as error:
        raise _usage(str(error)) from error


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
