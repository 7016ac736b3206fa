import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang_tui.model.content import Content
from wenchang_tui.model.merging import Side, merge_aliases, merge_bodies, merge_contents

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d", "\n"]), max_size=7).map("".join)


@pytest.mark.parametrize(
    ("base", "theirs", "mine", "merged"),
    [
        ("a\nb\nc\n", "a\nb\nc\nd\n", "A\nb\nc\n", "A\nb\nc\nd\n"),
        ("a\nb\nc\n", "b\nc\n", "a\nb\nC\n", "b\nC\n"),
        ("a\nb\n", "a\nb\n", "x\n", "x\n"),
        ("a\n", "a\nsame\n", "a\nsame\n", "a\nsame\n"),
        ("a\nb\nc\nd\n", "a\nx\nc\nd\n", "a\nb\nc\ny\nd\n", "a\nx\nc\ny\nd\n"),
        ("", "", "new\n", "new\n"),
        ("a\r\nb\r\n", "a\r\nb\r\nc\r\n", "A\r\nb\r\n", "A\r\nb\r\nc\r\n"),
    ],
)
def test_changes_in_different_places_come_together(base: str, theirs: str, mine: str, merged: str) -> None:
    merge = merge_bodies(base, theirs, mine)
    assert merge.clashes == ()
    assert merge.text() == merged


def test_the_same_place_changed_twice_is_a_clash_with_a_choice() -> None:
    merge = merge_bodies("a\nb\nc\n", "a\ntheirs\nc\n", "a\nmine\nc\n")
    (clash,) = merge.clashes
    region = merge.regions[clash]
    assert (region.base, region.theirs, region.mine) == (("b\n",), ("theirs\n",), ("mine\n",))
    assert merge.text() == "a\nmine\nc\n"
    assert merge.text({clash: Side.THEIRS}) == "a\ntheirs\nc\n"
    assert merge.text({clash: Side.BOTH}) == "a\ntheirs\nmine\nc\n"
    assert merge.text({clash: Side.BASE}) == "a\nb\nc\n"


def test_both_lines_stay_two_lines_where_the_first_had_no_end() -> None:
    merge = merge_bodies("a\n", "a\ntheirs", "a\nmine")
    assert merge.text(dict.fromkeys(merge.clashes, Side.BOTH)) == "a\ntheirs\nmine"


@given(TEXTS, TEXTS, TEXTS)
def test_each_side_can_be_had_whole(base: str, theirs: str, mine: str) -> None:
    regions = merge_bodies(base, theirs, mine).regions
    for side, text in ((Side.BASE, base), (Side.THEIRS, theirs), (Side.MINE, mine)):
        assert "".join("".join(region.lines(side)) for region in regions) == text


@given(TEXTS, TEXTS)
def test_a_change_of_one_side_is_taken_whole(base: str, changed: str) -> None:
    assert merge_bodies(base, changed, base).text() == changed
    assert merge_bodies(base, base, changed).text() == changed
    assert merge_bodies(base, changed, changed).text() == changed
    assert not merge_bodies(base, changed, base).clashes


@given(TEXTS, TEXTS, TEXTS)
def test_what_both_agree_on_is_never_a_clash(base: str, theirs: str, mine: str) -> None:
    merge = merge_bodies(base, theirs, mine)
    for at in merge.clashes:
        region = merge.regions[at]
        assert region.base != region.theirs != region.mine != region.base


def test_aliases_are_merged_one_by_one() -> None:
    merge = merge_aliases(("a", "b", "c"), ("b", "c", "theirs"), ("a", "b", "mine"))
    assert (merge.merged, merge.is_clash) == (("b", "theirs", "mine"), False)
    assert merge_aliases(("a",), ("a",), ("b", "a")).merged == ("b", "a")
    assert merge_aliases(("a",), ("a", "x"), ("a", "x")).merged == ("a", "x")
    assert merge_aliases((), ("x",), ("y", "x")).merged == ("x", "y")


def test_fields_are_merged_one_by_one() -> None:
    base, theirs = Content("a\n", "old", ("x",)), Content("a\nb\n", "old", ("x", "y"))
    merge = merge_contents(base, theirs, Content("a\n", "new", ("x",)))
    assert merge.is_clean
    assert merge.content() == Content("a\nb\n", "new", ("x", "y"))


def test_two_descriptions_are_a_clash() -> None:
    merge = merge_contents(Content(description="old"), Content(description="theirs"), Content(description="mine"))
    assert not merge.is_clean
    assert merge.description.is_clash
    assert merge.content().description == "mine"
