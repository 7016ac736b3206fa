import itertools
from collections import defaultdict

import pytest

from wenchang_tui.widgets.commands import COMMANDS, Command, Need, Where, bindings, by_action, key_labels, unmet

# Places whose keys are live at the same time. A list, a tree or a text under the focus goes before its screen.
TOGETHER = (
    {Where.BROWSE, Where.APP},
    {Where.INDEX, Where.APP},
    {Where.AGENT, Where.APP},
    {Where.SESSION, Where.APP},
    {Where.PLAY, Where.APP},
    {Where.GATE, Where.DIALOG},
    {Where.HEALTH, Where.APP, Where.LIST},
    {Where.HEALTH, Where.APP, Where.TEXT},
    {Where.REPAIR, Where.DIALOG, Where.LIST},
    {Where.OPERATE, Where.APP, Where.LIST},
    {Where.OPERATE, Where.APP, Where.TEXT},
    {Where.VERSIONS, Where.DIALOG, Where.LIST},
    {Where.CONNECT, Where.DIALOG},
    {Where.LIST},
    {Where.TREE, Where.APP, Where.BROWSE},
    {Where.TEXT, Where.APP, Where.BROWSE},
    {Where.PAYLOAD, Where.DIALOG, Where.TEXT},
    {Where.COPY, Where.DIALOG},
    {Where.EDIT, Where.APP},
    {Where.MERGE, Where.DIALOG},
)
# Dialogs ask one question: letters of their own may be the answers.
DIALOGS = {
    Where.WELCOME,
    Where.MERGE,
    Where.GATE,
    Where.CONNECT,
    Where.REPAIR,
    Where.VERSIONS,
    Where.PAYLOAD,
    Where.COPY,
    Where.DIALOG,
}
# Where one types, keys are those of every text field.
TYPED = {Where.WRITING, Where.TYPING}
SCREENS = set(Where) - DIALOGS - TYPED
MOVING = {Where.APP, Where.LIST, Where.TREE, Where.TEXT}
ALSO = {("space", "Play")}
"""A player pauses on space; elsewhere it marks a row."""


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: f"{command.where.name}-{command.name}")
def test_every_command_has_a_name_a_help_and_an_action(command: Command) -> None:
    assert command.name[0].isupper()
    assert command.help[0].isupper()
    assert not command.help.endswith(".")
    assert command.action


@pytest.mark.parametrize("places", TOGETHER, ids=lambda places: "+".join(sorted(place.name for place in places)))
def test_no_two_commands_that_are_live_together_share_a_key(places: set[Where]) -> None:
    live = [command for command in COMMANDS if command.where in places]
    for one, other in itertools.combinations(live, 2):
        assert not set(one.keys) & set(other.keys), f"{one.name} and {other.name}"


def names_by_key(places: set[Where]) -> dict[str, set[str]]:
    names = defaultdict[str, set[str]](set)
    for command in COMMANDS:
        for key in command.keys if command.where in places else ():
            names[key] |= {command.name} - {name for also, name in ALSO if also == key}
    return names


def test_a_key_means_the_same_on_every_screen() -> None:
    assert {key: names for key, names in names_by_key(SCREENS).items() if len(names) > 1} == {}


def test_the_keys_that_move_mean_the_same_in_every_dialog() -> None:
    moving, answers = names_by_key(MOVING), names_by_key(DIALOGS)
    assert {key: answers[key] for key in moving.keys() & answers.keys()} == {}


def test_a_command_has_the_same_key_everywhere() -> None:
    keys = defaultdict[str, list[set[str]]](list)
    for command in COMMANDS:
        is_screen = command.action.startswith("app.go(")
        if command.keys and command.where not in TYPED and not is_screen:
            keys[command.name].append(set(command.keys))
    assert {name for name, sets in keys.items() if not set.intersection(*sets)} == set()


def test_every_command_can_be_reached() -> None:
    assert all(command.keys or command.palette for command in COMMANDS)


def test_bindings_are_made_from_the_registry() -> None:
    made = {binding.action: binding for binding in bindings(Where.BROWSE)}
    assert made["filter"].key == "slash"
    assert made["filter"].priority
    assert made["copy"].tooltip == "Copy body, path, version or JSON"


def test_an_action_finds_its_command_without_its_parameters() -> None:
    command = by_action("search", Where.BROWSE)
    assert command is not None
    assert command.name == "Search"
    assert by_action("search", Where.INDEX) is None


def test_the_first_unmet_need_is_the_reason() -> None:
    copy = by_action("copy", Where.BROWSE)
    assert copy is not None
    assert unmet(copy, {Need.STORE}) is Need.FILE
    assert unmet(copy, {Need.FILE}) is None


def test_keys_read_as_people_write_them() -> None:
    labels = {command.name: key_labels(command) for command in COMMANDS if command.where is Where.APP}
    assert labels["Help"] == "? f1"
    assert labels["Quit"] == "q ^q"
    assert labels["Previous pane"] == "⇧tab"
