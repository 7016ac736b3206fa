"""`wenchang web`: the app in a browser on this machine, for whom no terminal is at hand."""

import asyncio
import ipaddress
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import click

from wenchang_tui.agent.callers import new_token
from wenchang_tui.agent.listening import listen, not_listening
from wenchang_tui.agent.log_file import log_to
from wenchang_tui.cli.failures import CommandError, Exit
from wenchang_tui.cli.opening import open_any_request, read_request
from wenchang_tui.cli.options import caller_options
from wenchang_tui.cli.output import note
from wenchang_tui.cli.screen import screen
from wenchang_tui.config import log_path
from wenchang_tui.model.problems import OpenError


def _loopback(ctx: click.Context, param: click.Parameter, value: str) -> str:
    try:
        if value == "localhost" or ipaddress.ip_address(value).is_loopback:
            return value
    except ValueError:
        pass
    advice = "from elsewhere, come through ssh -L PORT:127.0.0.1:PORT"
    raise click.BadParameter(f"{value} is not an address of this machine alone; {advice}.", ctx, param)


@click.command()
@click.argument("arguments", metavar="[TARGET]", nargs=-1)
@click.option(
    "--host", metavar="ADDRESS", default="127.0.0.1", callback=_loopback, help="Listen on this address (127.0.0.1)."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="N", default=0, help="Listen on this port (0: any that is free)."
)
@caller_options
def web(arguments: tuple[str, ...], host: str, port: int, **options: Any) -> int:
    """Open the app in a browser on this machine: prints the address to open.

    Who has the address can do what the app can. Each page that is open is an app of its own.
    """
    if find_spec("textual_serve") is None:
        raise CommandError("wenchang web needs the optional 'web' extra: pip install 'wenchang[web]'", Exit.USAGE)
    request = read_request(arguments, options)
    if request.target is not None:
        open_any_request(request)  # what cannot be opened is said here, not in the browser
    try:
        listener = listen(host, port)
    except OSError as error:
        raise OpenError(not_listening(host, port, error)) from error
    log_to(log_path())
    return asyncio.run(_serve(_words(arguments, options), listener))


async def _serve(words: Sequence[str], listener: socket.socket) -> int:
    from wenchang_tui.web.door import Door  # a web server, and all it takes, only for those who start one
    from wenchang_tui.web.site import serve_site

    stop, received = asyncio.Event(), set[signal.Signals]()

    def end(number: signal.Signals) -> None:
        received.add(number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    host, port = listener.getsockname()[:2]
    door = Door(port, new_token())
    note("Open this in a browser (stop with Ctrl+C):")
    note(f"  http://{f'[{host}]' if ':' in host else host}:{port}/?token={door.token} ")
    await serve_site(words, listener, door, stop)
    return Exit.INTERRUPTED if signal.SIGINT in received else Exit.FINE


def _words(arguments: Sequence[str], options: Mapping[str, Any]) -> list[str]:
    """The command line that opens the app as this one was asked to."""
    words = [sys.executable, "-m", "wenchang_tui"]
    for param in screen.params:
        if isinstance(param, click.Option):
            name, value = param.opts[0], options[str(param.name)]
            if param.is_flag:
                words += [name] if value else []
            else:
                values = value if param.multiple else [value] if value is not None else []
                words += [f"{name}={one}" for one in values]
    return [*words, "--", *arguments]
