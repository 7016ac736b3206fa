from dataclasses import replace

from tests.tui.agent.samples import INK, append, call, conflict, file
from wenchang_tui.agent.calls import PENDING, Change
from wenchang_tui.agent.history import History, outcome, parse_call_filter, short_path, summary, target, touched


def test_a_call_keeps_its_place_from_its_beginning_to_its_end() -> None:
    history = History()
    slow, quick = call(1, category=PENDING), call(2)
    history.add([slow, call(2, category=PENDING), quick])
    history.add([replace(slow, category="transient")])
    assert [(entry.number, outcome(entry.call)) for entry in history.entries] == [(1, "transient"), (2, "ok")]


def test_the_oldest_calls_are_let_go_and_counted() -> None:
    history = History(limit=3)
    history.add(call(number) for number in range(5))
    assert [entry.number for entry in history.entries] == [3, 4, 5]
    assert history.dropped == 2


def test_a_call_that_outlasts_the_list_does_not_come_back_at_the_wrong_place() -> None:
    history = History(limit=2)
    slow = call(1, category=PENDING)
    history.add([slow, call(2), call(3), replace(slow, category=None)])
    assert [entry.number for entry in history.entries] == [2, 3]


def test_clearing_keeps_what_still_runs() -> None:
    history = History()
    history.add([call(1), call(2, category=PENDING)])
    history.clear()
    assert [entry.number for entry in history.entries] == [2]
    history.add([call(2)])
    assert [(entry.number, outcome(entry.call)) for entry in history.entries] == [(2, "ok")]


def test_words_narrow_by_client_tool_file_and_outcome() -> None:
    calls = [call(1), conflict(2), append(3)]
    assert [c for c in calls if parse_call_filter("APPEND notes/ink").matches(c)] == calls[1:]
    assert [c for c in calls if parse_call_filter("!recoverable").matches(c)] == [calls[0], calls[2]]
    assert [c for c in calls if parse_call_filter("claude ok !read").matches(c)] == [calls[2]]
    assert [c for c in calls if parse_call_filter("  ").matches(c)] == calls


def test_a_search_looks_into_arguments_answers_and_files() -> None:
    calls = [call(1), conflict(2), append(3)]
    found = parse_call_filter("- [stated] blue", everything=True)
    assert [c for c in calls if found.matches(c)] == calls[1:]
    assert [c for c in calls if parse_call_filter("changed since it", everything=True).matches(c)] == [calls[1]]
    assert [c for c in calls if parse_call_filter("墨", everything=True).matches(c)] == [calls[2]]
    quoted = call(1, arguments={"line": 'say "x" \\ y'})
    assert parse_call_filter('"x" \\', everything=True).matches(quoted)


def test_a_target_is_what_the_agent_calls_the_file() -> None:
    assert target(append(1)) == "user/notes/ink"
    assert target(call(1, arguments={"scope": "project", "area": None})) == "project"
    assert target(call(1, arguments={})) == ""
    assert short_path("flat-name.md") == "flat-name.md"
    assert "recoverable" in summary(conflict(1))


def test_only_changes_touch_files() -> None:
    other = call(4, change=Change("user/u/a/b.md", file("x\n"), None))
    assert touched([call(1), append(2), other]) == {INK, "user/u/a/b.md"}
