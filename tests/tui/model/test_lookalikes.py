import pytest

from wenchang.paths import PathParts
from wenchang_tui.model.lookalikes import look_of, lookalikes, told_apart


@pytest.mark.parametrize(
    ("one", "other"),
    [("café", "cafe\u0301"), ("a", "A"), ("ab", "a\u200bb"), ("a b", "a  b"), ("paper", "рареr"), ("❤", "❤\ufe0f")],
)
def test_names_that_look_the_same(one: str, other: str) -> None:
    assert look_of(one) == look_of(other)


@pytest.mark.parametrize(("one", "other"), [("cafe", "café"), ("a", "b"), ("a-b", "a_b"), ("han-lu", "han-zhou")])
def test_names_that_do_not(one: str, other: str) -> None:
    assert look_of(one) != look_of(other)


def files(*names: str, area: str = "notes") -> list[PathParts]:
    return [PathParts("user", "u", area, name) for name in names]


def test_files_that_look_like_another_of_their_area_are_found() -> None:
    one_area = files("café", "cafe\u0301", "tea", "rules", "rules\u200b", "rules\u202e")
    found = lookalikes([*one_area, *files("te\u0430", area="other")])
    assert found == {file for file in one_area if file.name != "tea"}
    assert lookalikes(files("Tea", "tea")) == frozenset()


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("rules", "rules"),
        ("rules\u200b", r"rules\u200b"),
        ("rules\u202e", r"rules\u202e"),
        ("rules\ufffd", r"rules\ufffd"),
        ("café", "café"),
        ("cafe\u0301", r"cafe\u0301"),
        ("\u212bngström", r"\u212bngstr\xf6m"),
        ("te\u0430", r"te\u0430"),
        ("林樵\u200b", r"林樵\u200b"),
        ("👩\u200d🎓", "👩\u200d🎓"),
    ],
)
def test_what_makes_a_name_look_like_another_is_spelled_out(name: str, spelling: str) -> None:
    assert told_apart(name) == spelling
