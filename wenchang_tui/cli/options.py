"""The options that commands share, and what they amount to together with a profile."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from wenchang.prompts import PromptSlots
from wenchang_tui.config import Config, ConfigError, Profile, PromptTexts
from wenchang_tui.model.settings import Settings, parse_grants, parse_priority, parse_restrictions

Command = TypeVar("Command", bound=Callable[..., object])
T = TypeVar("T")


def _number_or_none(ctx: click.Context, param: click.Parameter, value: str | None) -> int | str | None:
    """A whole number above 0, or `none`, which stays a text so that it differs from no option at all."""
    if value is None or value == "none":
        return value
    if not (value.isascii() and value.isdecimal() and int(value) > 0):
        raise click.BadParameter(f"{value} is neither a whole number above 0 nor none.", ctx, param)
    return int(value)


def _not_empty(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value == "":
        raise click.BadParameter("it must not be empty.", ctx, param)
    return value


_POSITIVE = click.IntRange(min=1)

_EVERYWHERE = (
    click.option("--read-only", is_flag=True, help="Refuse every change to the store."),
    click.option("--config", metavar="FILE", help="Use this configuration file."),
    click.option("--debug", is_flag=True, help="Show where an error comes from."),
)
_STORE = (
    click.option("--demo", is_flag=True, help="Open a fresh copy of the demo in the place of TARGET."),
    click.option("--demo-filememory", is_flag=True, help="Open a fresh copy of the demo of a file memory."),
    click.option("--keep", is_flag=True, help="Leave the copy of the demo in place at the end."),
    click.option("--create", is_flag=True, help="Make the folder when there is none."),
    click.option("--profile", metavar="NAME", help="Take target and settings from this profile."),
)
_IDENTITY = (
    click.option("--grant", "grants", metavar="SCOPE=ENTITY[:ROLE]", multiple=True, help="Act as ENTITY in SCOPE."),
    click.option(
        "--restrict", metavar="SCOPE=ROLE[,ROLE...]", multiple=True, help="Let only these roles write in SCOPE."
    ),
    click.option("--priority", metavar="SCOPE,SCOPE...", help="Put these scopes first in the index."),
    click.option("--index-bytes", type=_POSITIVE, metavar="N", help="Size of the index in bytes."),
    click.option("--max-file-bytes", type=_POSITIVE, metavar="N", help="Largest body in bytes."),
    click.option("--max-files", callback=_number_or_none, metavar="N|none", help="Most files of one entity."),
    click.option("--page-size", type=_POSITIVE, metavar="N", help="Files of one page of a listing."),
    click.option("--source", callback=_not_empty, metavar="NAME", help="Name under which changes are made."),
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def _stack(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


common_options = _stack(*_EVERYWHERE)
store_options = _stack(*_STORE, *_EVERYWHERE)
caller_options = _stack(*_IDENTITY, *_STORE, *_EVERYWHERE)


def find_profile(config: Config, name: str | None) -> Profile:
    """The profile called `name`, an empty one for `None`. Raises `ConfigError` when there is no such profile."""
    if name is None:
        return Profile()
    if name not in config.profiles:
        known = ", ".join(config.profiles) or "none"
        raise ConfigError(f"{config.path}: there is no profile {name}; profiles there: {known}.")
    return config.profiles[name]


def merge_settings(options: Mapping[str, Any], config: Config, profile: Profile) -> Settings:
    """What options and profile amount to; an option wins. Raises `UsageError` or `ConfigError` for a malformed text."""
    read = _TextReader(options, config, profile)
    priority = options.get("priority")
    given = {
        "grants": read("grants", "--grant", options.get("grants"), parse_grants),
        "write_roles": read("restrict", "--restrict", options.get("restrict"), parse_restrictions),
        "priority": read("priority", "--priority", priority and priority.split(","), parse_priority),
        **{name: options.get(name) or getattr(profile, name) for name in _PLAIN},
    }
    if profile.prompt is not None:
        given["slots"] = _slots(config, options, profile.prompt)
    settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if settings.get("max_files") == "none":
        settings["max_files"] = None
    return Settings(**settings, read_only=bool(options["read_only"] or profile.read_only))


_PLAIN = ("index_bytes", "max_file_bytes", "max_files", "page_size", "source")


def _slots(config: Config, options: Mapping[str, Any], texts: PromptTexts) -> PromptSlots:
    from wenchang_tui.agent.service import slots_from  # only for a profile with words of its own

    try:
        return slots_from(texts)
    except ValueError as error:
        raise ConfigError(f"{config.path}: profiles.{options['profile']}.prompt: {error}.") from error


class _TextReader:
    """Parses the texts of an option, or else those of the profile, and says which of the two is wrong."""

    def __init__(self, options: Mapping[str, Any], config: Config, profile: Profile) -> None:
        self._profile = profile
        self._place = f"{config.path}: profiles.{options.get('profile')}"

    def __call__(self, key: str, option: str, texts: Any, parse: Callable[[Any], T]) -> T | None:
        """The parsed value; `None` when neither says anything."""
        try:
            if texts:
                return parse(texts)
        except ValueError as error:
            raise click.UsageError(f"{option}: {error}", click.get_current_context(silent=True)) from error
        try:
            given = getattr(self._profile, key)
            return None if given is None else parse(given)
        except ValueError as error:
            raise ConfigError(f"{self._place}.{key}: {error}.") from error
