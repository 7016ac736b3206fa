import json
import os
import stat
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.tui.agent.test_recorder import CALL, FILE
from wenchang_tui.agent import call_log
from wenchang_tui.agent.call_log import MAX_LINE_BYTES, CallLog, CallLogReader
from wenchang_tui.agent.calls import Change

Following = Callable[[], tuple[CallLog, CallLogReader]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.jsonl"


def test_a_reader_sees_each_call_once(path: Path) -> None:
    log, reader = CallLog(path), CallLogReader(path)
    assert reader.read_new() == []
    log.append(CALL)
    log.append(replace(CALL, tool="read_file", change=None))
    assert [call.tool for call in reader.read_new()] == ["write_file", "read_file"]
    assert reader.read_new() == []
    log.append(CALL)
    assert reader.read_new() == [CALL]


def test_each_line_is_json_in_ascii(path: Path) -> None:
    CallLog(path).append(CALL)
    text = path.read_text(encoding="ascii")
    assert text.count("\n") == 1
    assert json.loads(text)["arguments"] == {"scope": "user", "aliases": ["墨"], "expected_version": None}


def test_only_the_owner_can_read_it(path: Path) -> None:
    path.touch(0o644)
    path.chmod(0o644)
    CallLog(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_reader_starts_at_the_end_or_the_beginning(path: Path) -> None:
    CallLog(path).append(CALL)
    assert CallLogReader(path).read_new() == []
    assert CallLogReader(path, from_start=True).read_new() == [CALL]


def test_a_reader_may_come_before_the_file(path: Path) -> None:
    reader = CallLogReader(path)
    assert reader.read_new() == []
    CallLog(path).append(CALL)
    assert reader.read_new() == [CALL]


def test_an_unfinished_line_waits_for_its_end(path: Path) -> None:
    CallLog(path).append(CALL)
    whole = path.read_bytes()
    path.write_bytes(b"")
    reader = CallLogReader(path)
    with path.open("ab") as file:
        for part in (whole[:9], whole[9:40]):
            os.write(file.fileno(), part)
            assert reader.read_new() == []
        os.write(file.fileno(), whole[40:] + whole[:5])
        assert reader.read_new() == [CALL]
        os.write(file.fileno(), whole[5:])
        assert reader.read_new() == [CALL]


def test_what_is_no_record_is_passed_over_and_counted(path: Path) -> None:
    reader = CallLogReader(path)
    path.write_bytes(b'nonsense\n{"a": 1}\n\xff\n\n')
    CallLog(path).append(CALL)
    assert reader.read_new() == [CALL]
    assert reader.skipped == 4


def test_a_full_log_is_set_aside_and_nothing_is_lost(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_log, "MAX_FILE_BYTES", 1000)
    one, other, reader = CallLog(path), CallLog(path), CallLogReader(path)
    calls = [replace(CALL, process=number) for number in range(6)]
    seen = []
    for number, call in enumerate(calls):
        (one, other)[number % 2].append(call)
        if number % 2:
            seen += reader.read_new()
    assert seen == calls
    assert sorted(found.name for found in path.parent.iterdir()) == ["calls.jsonl", "calls.jsonl.1"]


def test_a_log_that_was_emptied_or_removed_goes_on(path: Path) -> None:
    log, reader = CallLog(path), CallLogReader(path)
    log.append(CALL)
    log.append(CALL)
    assert len(reader.read_new()) == 2
    os.truncate(path, 0)
    log.append(CALL)
    assert reader.read_new() == [CALL]
    path.unlink()
    log.append(CALL)
    assert reader.read_new() == [CALL]
    log.close()


def only_line(path: Path) -> str:
    return path.read_text(encoding="ascii")


def test_before_and_after_are_the_first_to_go_when_a_line_is_too_long(path: Path) -> None:
    large = replace(FILE, content="x" * MAX_LINE_BYTES)
    CallLog(path).append(replace(CALL, change=Change(FILE.path, FILE, large)))
    (call,) = CallLogReader(path, from_start=True).read_new()
    assert (call.change, call.arguments) == (None, CALL.arguments)
    assert "before and after is left out" in call.note
    assert len(only_line(path)) <= MAX_LINE_BYTES


def test_then_long_texts_are_cut(path: Path) -> None:
    deep = {"rows": [{"content": "y" * MAX_LINE_BYTES}]}
    CallLog(path).append(replace(CALL, arguments={"content": "x" * MAX_LINE_BYTES, "name": "n"}, answer=deep))
    (call,) = CallLogReader(path, from_start=True).read_new()
    assert call.arguments == {"content": "x" * 2000 + "…", "name": "n"}
    assert call.answer == {"rows": [{"content": "y" * 2000 + "…"}]}
    assert "cut to 2000 characters" in call.note
    assert len(only_line(path)) <= MAX_LINE_BYTES


def test_and_in_the_end_all_of_it(path: Path) -> None:
    CallLog(path).append(replace(CALL, answer={"entries": ["z" * 100] * MAX_LINE_BYTES}))
    (call,) = CallLogReader(path, from_start=True).read_new()
    assert (call.tool, call.arguments, call.answer) == ("write_file", {}, {})
    assert "left out" in call.note
    assert len(only_line(path)) <= MAX_LINE_BYTES


def _append_many(path: Path, writer: int) -> None:
    log = CallLog(path)
    for number in range(50):
        padding = {"padding": "p" * (number * 997 % 20_000)}
        log.append(replace(CALL, caller=str(writer), process=number, arguments=padding, change=None))


def test_no_line_is_torn_between_processes(path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as pool:
        list(pool.map(_append_many, [path] * 4, range(4)))
    calls = CallLogReader(path, from_start=True).read_new()
    assert len(calls) == 200
    for writer in range(4):
        assert [call.process for call in calls if call.caller == str(writer)] == list(range(50))
