"""Taking a port of this machine."""

import os
import socket

from wenchang_tui.model.problems import Problem

_BACKLOG = 128


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; port 0 takes a free one. Raises `OSError`."""
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    # With the protocol named, asyncio turns off the delay of small packets on every connection, otherwise on none.
    listener = socket.socket(family, kind, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # elsewhere it would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError:
        listener.close()
        raise
    return listener


def not_listening(host: str, port: int, error: OSError) -> Problem:
    """What is in the way of listening there."""
    reason = error.strerror or str(error)
    next_step = "Choose another port, or 0 for any that is free." if port else "Choose another address."
    return Problem("Not listening", f"The server cannot listen on {host}, port {port}: {reason}.", next_step)
