"""How clients are set up for the server of the app: what a person sees, and what they copy, which holds the token."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from wenchang.identity import Identity
from wenchang_tui.agent.connect import (
    TOKEN_VARIABLE,
    claude_http_command,
    claude_stdio_command,
    http_configuration,
)
from wenchang_tui.model.settings import Settings

HIDDEN = "••••••••"


@dataclass(frozen=True, slots=True)
class Setup:
    """One client: `text(token)` is what it is told, with the token in it or a stand-in for the screen."""

    name: str
    about: str
    template: str

    @property
    def holds_token(self) -> bool:
        """Whether the token is among what is told."""
        return _PLACE in self.template

    def text(self, token: str) -> str:
        """The lines to paste."""
        return self.template.replace(_PLACE, token)


_PLACE = "\0token\0"


def http_setups(url: str) -> tuple[Setup, ...]:
    """How clients reach a server on a port."""
    # The place of the token is filled in last: quoting it before must not change it, so it is quoted as a plain word.
    command = claude_http_command(url, "TOKEN").replace("Bearer TOKEN", f"Bearer {_PLACE}")
    header = f"Authorization: Bearer {_PLACE}"
    inspector = f"npx @modelcontextprotocol/inspector --transport http --server-url {shlex.quote(url)}"
    return (
        Setup("Claude Code", "run this once in a shell", command),
        Setup(".mcp.json", f"reads the token from {TOKEN_VARIABLE}, so that it can be shared", http_configuration(url)),
        Setup("environment", f"sets {TOKEN_VARIABLE} for a client with that .mcp.json",
              f"export {TOKEN_VARIABLE}={_PLACE}"),
        Setup("MCP Inspector", "starts it and connects", f"{inspector} --header '{header}'"),
        Setup("header", "for any other client", header),
    )  # fmt: skip


def stdio_setup(root: Path, identity: Identity, settings: Settings, call_log: Path, scheme: str = "") -> Setup:
    """How Claude Code starts a server of its own on the same folder, whose calls show here through `call_log`."""
    command = (*_serve(f"{scheme}{root.absolute()}", identity, settings), "--call-log", str(call_log))
    return Setup("Claude Code, stdio", "starts its own server; its calls show here, too", claude_stdio_command(command))


def _serve(target: str, identity: Identity, settings: Settings) -> Sequence[str]:
    options = [f"--grant={scope}={grant.entity_id}:{grant.role}" for scope, grant in identity.grants.items()]
    options += [f"--restrict={scope}={','.join(sorted(roles))}" for scope, roles in settings.write_roles.items()]
    options += ["--priority", ",".join(settings.priority)] if settings.priority else []
    options += _limits(settings)
    options += ["--read-only"] if settings.read_only else []
    return (sys.executable, "-m", "wenchang_tui", "serve", target, "--stdio", *options)


def _limits(settings: Settings) -> list[str]:
    """The options that differ from what they are by default."""
    usual = Settings()
    given: Mapping[str, tuple[object, object]] = {
        "--index-bytes": (settings.index_bytes, usual.index_bytes),
        "--max-file-bytes": (settings.max_file_bytes, usual.max_file_bytes),
        "--max-files": (settings.max_files or "none", usual.max_files),
        "--page-size": (settings.page_size, usual.page_size),
        "--source": (settings.source, usual.source),
    }
    return [f"{name}={value}" for name, (value, default) in given.items() if value != default]
