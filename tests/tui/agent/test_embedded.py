import socket
from pathlib import Path

from tests.tui.agent.samples import call
from tests.tui.agent.support import TIANLONG, workspace_over
from wenchang_tui.agent.call_log import CallLog
from wenchang_tui.agent.embedded import Embedded


def test_the_address_and_the_token_are_the_same_tomorrow(tmp_path: Path) -> None:
    first = Embedded(workspace_over(), tmp_path)
    assert first.start(TIANLONG) is None
    url, token = first.url, first.token
    first.close()
    assert first.url is None
    second = Embedded(workspace_over(), tmp_path)
    assert second.start(TIANLONG) is None
    assert (second.url, second.token) == (url, token)
    second.close()


def test_a_port_that_is_taken_is_no_obstacle(tmp_path: Path) -> None:
    first = Embedded(workspace_over(), tmp_path)
    assert first.start(TIANLONG) is None
    second = Embedded(workspace_over(), tmp_path)
    assert second.start(TIANLONG) is None
    assert second.url not in (None, first.url)
    first.close()
    second.close()


def test_a_new_token_leaves_the_address_as_it_is(tmp_path: Path) -> None:
    embedded = Embedded(workspace_over(), tmp_path)
    assert embedded.start(TIANLONG) is None
    url, token = embedded.url, embedded.token
    assert embedded.renew_token(TIANLONG) is None
    assert embedded.url == url
    assert embedded.token != token
    embedded.close()
    assert url is not None
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", int(url.split(":")[2].split("/")[0]))) != 0


def test_the_log_of_other_servers_is_followed_from_now_on_and_a_named_one_from_its_beginning(tmp_path: Path) -> None:
    embedded = Embedded(workspace_over(), tmp_path)
    embedded.call_log.parent.mkdir()
    log = CallLog(embedded.call_log)
    log.append(call(1))
    assert embedded.follow() is None
    log.append(call(2))
    embedded.recorder.add(call(3))
    assert embedded.poll() == [call(3), call(2)]
    assert embedded.poll() == []
    named = tmp_path / "other.jsonl"
    other = CallLog(named)
    other.append(call(4))
    assert embedded.follow(named) is None
    assert embedded.poll() == [call(4)]
    problem = embedded.follow(tmp_path / "none")
    assert problem is not None
    assert problem.title == "Not found"
    embedded.close()
    log.close()
    other.close()


def test_without_a_home_to_write_to_it_serves_all_the_same(tmp_path: Path) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file")
    embedded = Embedded(workspace_over(), blocked)
    assert embedded.follow() is not None
    assert embedded.start(TIANLONG) is None
    assert embedded.poll() == []
    embedded.close()


def test_how_to_connect_is_known_once_it_serves_and_for_folders_before(tmp_path: Path) -> None:
    embedded = Embedded(workspace_over(), tmp_path)
    assert embedded.setups(TIANLONG) == ()
    assert embedded.start(TIANLONG) is None
    assert [setup.name for setup in embedded.setups(TIANLONG)][:2] == ["Claude Code", ".mcp.json"]
    embedded.close()
