from wenchang_tui.model.content import Content
from wenchang_tui.model.linting import Field
from wenchang_tui.model.merging import Side, merge_contents
from wenchang_tui.model.settling import Settling

BASE = Content("one\ntwo\nthree\nfour\n", "what", ("a", "b"))


def settling(theirs: Content, mine: Content) -> Settling:
    return Settling(merge_contents(BASE, theirs, mine))


def test_changes_of_one_side_alone_are_settled_and_can_be_settled_otherwise() -> None:
    theirs = Content("one!\ntwo\nthree\nfour\n", "what", ("a", "b"))
    mine = Content("one\ntwo\nthree\nfour!\n", "what else", ("a", "b"))
    both = settling(theirs, mine)
    assert both.waiting == 0
    assert both.content == Content("one!\ntwo\nthree\nfour!\n", "what else", ("a", "b"))
    assert [(piece.field, piece.line, piece.side) for piece in both.pieces] == [
        (Field.DESCRIPTION, None, Side.MINE),
        (Field.BODY, 1, Side.THEIRS),
        (Field.BODY, 4, Side.MINE),
    ]
    other = both.choose(both.pieces[1].key, Side.MINE).choose(Field.DESCRIPTION, Side.THEIRS)
    assert other.content == Content("one\ntwo\nthree\nfour!\n", "what", ("a", "b"))


def test_a_clash_waits_and_takes_either_side_or_both() -> None:
    clash = settling(Content("one\nTHEIRS\nthree\nfour\n"), Content("one\nMINE\nthree\nfour\n"))
    (piece,) = [piece for piece in clash.pieces if piece.field is Field.BODY]
    assert (piece.side, piece.base, piece.theirs, piece.mine) == (None, "two\n", "THEIRS\n", "MINE\n")
    assert clash.waiting == 1
    bodies = {side: clash.choose(piece.key, side).content.body for side in Side}
    assert bodies == {
        Side.BASE: "one\ntwo\nthree\nfour\n",
        Side.THEIRS: "one\nTHEIRS\nthree\nfour\n",
        Side.MINE: "one\nMINE\nthree\nfour\n",
        Side.BOTH: "one\nTHEIRS\nMINE\nthree\nfour\n",
    }
    assert clash.choose(piece.key, Side.BOTH).waiting == 0


def test_fields_are_settled_one_by_one() -> None:
    fields = settling(Content(BASE.body, "theirs", ("a", "b", "c")), Content(BASE.body, "mine", ("b",)))
    assert fields.waiting == 1
    assert fields.content == Content(BASE.body, "mine", ("b", "c"))
    assert fields.choose(Field.DESCRIPTION, Side.BOTH).choices == {}
    assert fields.choose(Field.DESCRIPTION, Side.THEIRS).content.description == "theirs"
    assert fields.choose(Field.ALIASES, Side.THEIRS).content.aliases == ("a", "b", "c")
    assert fields.choose(Field.ALIASES, Side.BASE).content.aliases == ("a", "b")


def test_everything_can_be_taken_from_one_side() -> None:
    theirs = Content("one!\ntwo?\nthree\nfour\n", "theirs", ("c",))
    mine = Content("one\ntwo!\nthree\nfour!\n", "mine", ())
    assert settling(theirs, mine).choose_all(Side.THEIRS).content == theirs
    assert settling(theirs, mine).choose_all(Side.MINE).content == mine
