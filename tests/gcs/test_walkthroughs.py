"""The acceptance scenarios over a bucket: the same answers and the same objects left, versions being numbered."""

import json
from collections.abc import Mapping, Sequence

import pytest

from tests.walkthroughs import CALLERS, SCENARIOS, Scenario, World
from wenchang.errors import WenchangError
from wenchang.storage import ListedObject, StoredObject
from wenchang.storage.gcs import GcsStorage
from wenchang.tools import render_error, render_result
from wenchang.version_token import VersionToken


class Numbered:
    """A storage that calls the versions of another by the number of the write that made them."""

    def __init__(self, storage: GcsStorage) -> None:
        self._storage = storage
        self._versions: list[VersionToken] = []

    def get(self, key: str) -> StoredObject | None:
        found = self._storage.get(key)
        return found and StoredObject(found.data, found.metadata, self._number(found.version))

    def put(self, key: str, data: bytes, metadata: Mapping[str, str]) -> VersionToken:
        return self._note(self._storage.put(key, data, metadata))

    def put_if_version(
        self, key: str, data: bytes, metadata: Mapping[str, str], expected: VersionToken | None
    ) -> VersionToken:
        return self._note(self._storage.put_if_version(key, data, metadata, expected and self._version(expected)))

    def delete_if_version(self, key: str, expected: VersionToken) -> None:
        self._storage.delete_if_version(key, self._version(expected))

    def list_page(self, prefix: str, start_after: str | None, limit: int) -> Sequence[ListedObject]:
        rows = self._storage.list_page(prefix, start_after, limit)
        return [ListedObject(row.key, row.metadata, self._number(row.version), row.size) for row in rows]

    def _note(self, version: VersionToken) -> VersionToken:
        self._versions.append(version)
        return self._number(version)

    def _number(self, version: VersionToken) -> VersionToken:
        return VersionToken(str(self._versions.index(version) + 1))

    def _version(self, number: VersionToken) -> VersionToken:
        known = dict(zip(map(self._number, self._versions), self._versions, strict=True))
        return known.get(number, VersionToken("1"))


@pytest.mark.parametrize("cached", [False, True], ids=["uncached", "cached"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.title)
def test_the_tools_answer_as_the_walkthrough_says(storage: GcsStorage, scenario: Scenario, cached: bool) -> None:
    world = World(scenario.seeds, cached=cached, storage=Numbered(storage))
    sessions = {caller: world.tools(caller) for caller in CALLERS}
    for step in scenario.steps:
        if step.new_session:
            sessions[step.caller] = world.tools(step.caller)
        try:
            answer = render_result(sessions[step.caller].tools()[step.tool](**step.arguments))
        except WenchangError as error:
            answer = render_error(error)
        assert json.dumps(answer) == json.dumps(step.answer), step.number
    assert world.left() == scenario.left
