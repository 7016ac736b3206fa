"""`wenchang serve`: the MCP server without a screen, for a client that starts it or for clients on a port."""

from collections.abc import Mapping
from typing import Any

import click

from wenchang.identity import Identity
from wenchang_tui.cli.opening import acting_identity, open_any_request, read_request
from wenchang_tui.cli.options import caller_options
from wenchang_tui.cli.output import note
from wenchang_tui.model.flat_folder import FlatFolder
from wenchang_tui.model.workspace import Workspace

_HTTP_OPTIONS = ("host", "port", "token", "allow_host")


@click.command()
@click.argument("arguments", metavar="TARGET", nargs=-1)
@click.option("--stdio", is_flag=True, help="Serve the program that starts this one (the default).")
@click.option("--http", is_flag=True, help="Serve on a port of this machine.")
@click.option("--host", metavar="ADDRESS", help="Listen on this address (127.0.0.1).")
@click.option("--port", type=click.IntRange(0, 65535), metavar="N", help="Listen on this port (0: any that is free).")
@click.option("--token", metavar="TOKEN", help="Let in who shows this token, instead of a new one.")
@click.option("--allow-host", multiple=True, metavar="NAME[:PORT]", help="Also answer to this name, as behind a proxy.")
@click.option("--call-log", metavar="FILE", help="Append one JSON line for each call.")
@caller_options
def serve(arguments: tuple[str, ...], stdio: bool, http: bool, call_log: str | None, **options: Any) -> int:
    """Serve the seven memory tools to agents, as the identity that --grant names; of a file memory, its own seven.

    Without --http the client starts this command itself and speaks with it over stdin and stdout.
    """
    _check_transport(stdio, http, options)
    request = read_request(arguments, options)
    workspace = open_any_request(request)
    identity = _identity(workspace)

    from wenchang_tui.cli import serving  # a server, and all it takes, only for those who start one

    service = serving.service_of(workspace, call_log)
    if not http:
        return serving.serve_stdio(service, identity)
    return serving.serve_http(
        service,
        identity,
        host=options["host"] or serving.LOCAL,
        port=options["port"] or 0,
        token=options["token"],
        allowed_hosts=options["allow_host"],
    )


def _identity(opened: Workspace | FlatFolder) -> Identity:
    if isinstance(opened, FlatFolder):
        return Identity({})
    identity = acting_identity(opened)
    if not identity.grants:
        note("No scope is granted, so there is no memory to serve; add --grant SCOPE=ENTITY.")
    return identity


def _check_transport(stdio: bool, http: bool, options: Mapping[str, Any]) -> None:
    if stdio and http:
        raise _usage("--stdio and --http exclude each other")
    given = [f"--{name.replace('_', '-')}" for name in _HTTP_OPTIONS if options[name] not in (None, ())]
    if given and not http:
        raise _usage(f"{given[0]} goes with --http")
    token = options["token"]
    if token is not None and not (token and token.isascii() and token.isprintable() and " " not in token):
        raise _usage("--token must be ASCII without spaces, and not empty")


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context(silent=True))
