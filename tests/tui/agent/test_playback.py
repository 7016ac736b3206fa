import threading

import pytest

from tests import walkthroughs
from tests.tui.agent.support import LIMIT_S
from wenchang_tui.agent.calls import Call
from wenchang_tui.agent.playback import Performance, reading_s
from wenchang_tui.agent.scenarios import IDENTITIES, WALKTHROUGHS, WRITE_ROLES, Say, Use, Walkthrough

PAIRS = list(zip(WALKTHROUGHS, walkthroughs.SCENARIOS, strict=True))
IDS = [scenario.title for scenario in walkthroughs.SCENARIOS]


def uses(walkthrough: Walkthrough) -> list[Use]:
    return [beat for beat in walkthrough.beats if isinstance(beat, Use)]


@pytest.mark.parametrize(("script", "scenario"), PAIRS, ids=IDS)
def test_the_script_makes_the_calls_of_the_acceptance_scenarios(
    script: Walkthrough, scenario: walkthroughs.Scenario
) -> None:
    mine = [(use.number, use.tool, use.arguments, use.caller.lower(), use.new_session) for use in uses(script)]
    theirs = [(step.number, step.tool, step.arguments, step.caller, step.new_session) for step in scenario.steps]
    assert mine == theirs
    seeds = [(seed.path, seed.description, seed.aliases, seed.content) for seed in script.seeds]
    assert seeds == [(seed.path, seed.description, seed.aliases, seed.content) for seed in scenario.seeds]


def test_the_script_plays_under_the_identities_and_the_policy_of_the_scenarios() -> None:
    assert {name.lower(): identity for name, identity in IDENTITIES.items()} == walkthroughs.CALLERS
    assert dict(walkthroughs.POLICY.write_roles) == WRITE_ROLES


@pytest.mark.parametrize(("script", "scenario"), PAIRS, ids=IDS)
def test_playing_gives_every_answer_to_the_letter_and_leaves_the_right_files(
    script: Walkthrough, scenario: walkthroughs.Scenario
) -> None:
    seen: list[Call] = []
    performance = Performance(script, seen.append)
    assert performance.start() is None
    try:
        played = list(iter(performance.play_next, None))
    finally:
        performance.close()
    answers = [each for each in played if isinstance(each.beat, Use)]
    assert [each.beat for each in played] == list(script.beats)
    for each, step in zip(answers, scenario.steps, strict=True):
        assert each.answer == step.answer
        assert list(each.answer or {}) == list(step.answer)
        assert each.is_error == step.is_error
    ended = [call for call in seen if not call.is_pending]
    assert [(call.tool, call.caller.lower()) for call in ended] == [(s.tool, s.caller) for s in scenario.steps]
    assert {call.client for call in ended} == {"inkwell"}
    left = {}
    for listed in performance.workspace.storage.list_page("", None, 1000):
        stored = performance.workspace.storage.get(listed.key)
        assert stored is not None
        left[listed.key] = (stored.data.decode(), dict(stored.metadata), str(stored.version))
    assert left == scenario.left


def test_a_performance_ends_with_its_server_and_says_so_when_it_is_asked_to_go_on() -> None:
    others = threading.enumerate()
    performance = Performance(WALKTHROUGHS[5])
    assert performance.start() is None
    performance.play_next()
    performance.close()
    assert performance.url is None
    with pytest.raises(ConnectionError):
        performance.play_next()
    assert performance.position == 1
    for thread in threading.enumerate():
        if thread.name == "wenchang-mcp" and thread not in others:
            thread.join(LIMIT_S)
            assert not thread.is_alive()


def test_a_long_sentence_takes_longer_to_read_than_a_short_one() -> None:
    assert reading_s(Say("", "long " * 20)) > reading_s(Say("", "short"))
