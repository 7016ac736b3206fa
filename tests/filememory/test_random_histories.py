"""Random histories of all tools against two dictionaries, and through reopened providers."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.filememory.helpers import Memory, files
from wenchang.filememory import FileMemoryError, FileMemoryProvider
from wenchang.filememory.index import render_index, sort_key
from wenchang.filememory.values import ListEntry

names = st.sampled_from(["a.md", "A.md", "a.txt", "a", ".env", "é b.md"])
texts = st.text(st.sampled_from("ab\n\r é\ufeff\ud800"), max_size=6)
steps = st.one_of(
    st.tuples(st.just("write"), names, texts, st.none() | texts),
    st.tuples(st.just("delete"), names),
    st.tuples(st.just("replace"), names, texts, texts),
    st.tuples(st.just("reopen")),
)


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda fd: None)


class Model:
    """What a folder should hold."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.descriptions: dict[str, str] = {}

    def write(self, name: str, text: str, description: str | None) -> None:
        self.texts[name] = text
        self.descriptions.pop(name, None)
        if description and description.strip():
            self.descriptions[name] = description

    def delete(self, name: str) -> None:
        self.texts.pop(name, None)
        self.descriptions.pop(name, None)

    def replace(self, name: str, old: str, new: str) -> None:
        """An edit keeps a leading mark, and does not see it."""
        if name not in self.texts:
            return
        mark = "\ufeff" if self.texts[name].startswith("\ufeff") else ""
        text = self.texts[name].removeprefix("\ufeff")
        if old and old in text:
            self.texts[name] = mark + text.replace(old, new)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(steps, max_size=12))
def test_a_folder_is_what_its_history_made_it(
    tmp_path_factory: pytest.TempPathFactory, history: list[tuple[str, ...]]
) -> None:
    root = tmp_path_factory.mktemp("root")
    memory, model = Memory(FileMemoryProvider(root), root), Model()
    for step, *arguments in history:
        cleaned = [a and a.replace("\ud800", "\ufffd") for a in arguments]
        if step == "reopen":
            memory.provider.close()
            memory = Memory(FileMemoryProvider(root), root)
        elif step == "replace":
            try:
                memory.call(
                    "replace",
                    **dict(zip(("file_name", "old_string", "new_string"), arguments, strict=True)),
                    replace_all=True,
                )
            except FileMemoryError as refused:
                assert str(refused).startswith("old_string ")  # noqa: PT017
            model.replace(*cleaned)
        else:
            getattr(memory, step)(*arguments)
            getattr(model, step)(*cleaned)
            check_index(memory, model)
    check(memory, model)


def entries(model: Model) -> list[ListEntry]:
    return [
        ListEntry(name, description=model.descriptions.get(name, "").removeprefix("\ufeff"))
        for name in sorted(model.texts, key=sort_key)
    ]


def check_index(memory: Memory, model: Model) -> None:
    assert memory.index == render_index(entries(model))


def check(memory: Memory, model: Model) -> None:
    rows = [(row["name"], row.get("description", "")) for row in memory.ls()]
    assert rows == [(entry.name, entry.description) for entry in entries(model)]
    for name, text in model.texts.items():
        assert memory.read(name) == text.removeprefix("\ufeff")
        assert (memory.root / name).read_bytes().decode() == text
    expected = {*model.texts, *(f"{name}_description.md" for name in model.descriptions), "memories.md"}
    assert files(Path(memory.root)) - {"memories.md"} == expected - {"memories.md"}
