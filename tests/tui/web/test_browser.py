"""`wenchang web` as a person has it: a process, an address, a real browser."""

import asyncio
import os
import shutil
import signal
import socket
import sys
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Cli
from tests.tui.web.chromium import LIMIT_S, PROGRAM, browser


@pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")
async def test_the_app_runs_in_a_browser(demo_folder: Path, tmp_path: Path) -> None:
    target = tmp_path / 'it\'s $(touch x); "山" -n'
    shutil.copytree(demo_folder, target)
    words = (sys.executable, "-m", "wenchang_tui", "web", str(target), "--read-only", "--grant", "user=u-tianlong")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    server = await asyncio.create_subprocess_exec(
        *words, env=environment, cwd=tmp_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert server.stderr is not None
    try:
        await server.stderr.readline()
        url = (await server.stderr.readline()).decode().strip()
        async with browser(tmp_path / "profile") as page:
            await page.open(url)
            await page.until("organization", "project", "user", "read-only")
            await page.press("2")
            await page.until("of 65,536 bytes", "user=u-tianlong")
            assert await page.evaluate("location.search + document.cookie") == ""
            await page.press("q")
            async with asyncio.timeout(LIMIT_S):
                while not await page.evaluate("document.body.classList.contains('-closed')"):
                    await asyncio.sleep(0.1)
            await page.ask("Page.reload")
            await page.until("organization", "read-only")
            app = int(Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text())
            server.send_signal(signal.SIGTERM)
            assert await server.wait() == 0
            assert not Path(f"/proc/{app}").exists()
    finally:
        if server.returncode is None:
            server.kill()
    assert not (tmp_path / "x").exists()


async def test_the_app_ends_when_its_server_was_killed(demo_folder: Path) -> None:
    environment = {**os.environ, "TEXTUAL_DRIVER": "wenchang_tui.web.driver:PipeDriver"}
    app = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "wenchang_tui", str(demo_folder), env=environment,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert app.stdin is not None
    assert app.stdout is not None
    assert await app.stdout.readline() == b"__GANGLION__\n"
    app.stdin.close()
    await app.stdout.read()
    assert await app.wait() == 0


def test_a_port_that_is_taken_is_said(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        cli("web", "--demo", "--port", str(port)).failed(3, f"cannot listen on 127.0.0.1, port {port}", "another port")


def test_only_this_machine_is_served(cli: Cli) -> None:
    cli("web", "--demo", "--host", "0.0.0.0").failed(2, "0.0.0.0 is not an address of this machine alone", "ssh -L")


def test_what_cannot_be_opened_is_said_before_anything_is_served(cli: Cli, tmp_path: Path) -> None:
    cli("web", str(tmp_path / "absent")).failed(3, "Not found", "absent")
