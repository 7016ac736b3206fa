"""Two people changed one file: base, theirs and mine side by side, and what becomes of each difference."""

from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from wenchang_tui.model.alias_line import aliases_to_line
from wenchang_tui.model.content import Content as FileContent
from wenchang_tui.model.linting import Field
from wenchang_tui.model.merging import ContentMerge, Side
from wenchang_tui.model.settling import Piece, Settling
from wenchang_tui.screens.dialog import Dialog
from wenchang_tui.widgets.bars import KeyHints, PaneTitle, SizeGuard
from wenchang_tui.widgets.commands import Need, Where, bindings, by_action, unmet
from wenchang_tui.widgets.diff_view import DiffText
from wenchang_tui.widgets.file_view import draw_line
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.safe_text import safe
from wenchang_tui.widgets.text_lines import TextLine

_MOST_ROWS = 7
_ROOMY = 34
_SIDES = {Side.BASE: "before", Side.THEIRS: "theirs", Side.MINE: "mine", Side.BOTH: "both"}
_WHAT_TO_DO = "Nothing is lost: choose for each difference, t, m or b; then ^s saves."
_COLUMNS = (Column("where", "difference", 13), Column("side", "becomes", 9), Column("text", "as it becomes"))


@dataclass(frozen=True, slots=True)
class Merged:
    """What a person made of it; `is_final` when it shall be saved at once rather than adjusted first."""

    content: FileContent
    is_final: bool


class MergeScreen(Dialog[Merged | None]):
    """The differences one by one; `None` when nothing was decided."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.MERGE, Where.DIALOG)]
    DEFAULT_CSS = """
    MergeScreen {
        align: center middle;
        & > #box {
            width: 100%;
            height: 1fr;
            border: round $warning;
            border-title-color: $warning;
            background: $surface;
        }
        & #why { padding: 0 1; height: auto; color: $text-muted; }
        & #sides { height: 1fr; }
        & #sides > Vertical { width: 1fr; border-right: vkey $panel-lighten-1; }
        & #sides > #mine-side { border-right: none; }
        & #result-pane { height: 1fr; display: none; }
        &.-roomy #result-pane, &.-result #result-pane { display: block; }
        &.-result #sides { display: none; }
    }
    """

    def __init__(self, merge: ContentMerge, title: str, sentence: str) -> None:
        super().__init__()
        self.settling = Settling(merge)
        self._title = title
        self._sentence = sentence
        self.list = RowList[Piece](_COLUMNS, lambda piece: piece.key, self._draw, marks=False, id="pieces")
        self.texts = {side: DiffText(id=side.value) for side in (Side.BASE, Side.THEIRS, Side.MINE)}
        self.result = DiffText(id="result")
        self.title_line = PaneTitle()

    def compose(self) -> ComposeResult:
        """Why, the differences, the three sides of one, and the whole that they lead to."""
        with Vertical(id="box") as box:
            box.border_title = safe(self._title)
            yield Static(safe(f"{self._sentence}\n{_WHAT_TO_DO}"), id="why")
            yield self.title_line
            yield self.list
            with Horizontal(id="sides"):
                for side, text in self.texts.items():
                    with Vertical(id=f"{side.value}-side"):
                        yield PaneTitle(_SIDES[side])
                        yield text
            with Vertical(id="result-pane"):
                yield PaneTitle("the whole, as settled so far")
                yield self.result
        yield KeyHints()
        yield SizeGuard()

    def on_mount(self) -> None:
        """Begin with the first that waits."""
        self.set_focus(self.list)
        self.list.styles.height = min(_MOST_ROWS, len(self.settling.pieces)) + 1
        self._refresh()
        self.action_next()

    def on_resize(self) -> None:
        """The whole is always in sight where there is room for it."""
        self.set_class(self.size.height >= _ROOMY, "-roomy")

    # settling

    def _refresh(self) -> None:
        pieces, waiting = self.settling.pieces, self.settling.waiting
        self.list.set_rows(pieces)
        self.title_line.left = Content(f"{len(pieces)} difference{'' if len(pieces) == 1 else 's'}")
        state = f"! {waiting} to choose" if waiting else "all settled: ^s saves"
        self.title_line.right = Content(state)
        content = self.settling.content
        head = [
            TextLine(content.description, "strong"),
            TextLine(aliases_to_line(content.aliases), "", "aliases  ", "dim"),
            TextLine("─" * 24, "rule"),
        ]
        self.result.show(head, content.body.split("\n"), draw_line, keep_scroll=True)
        self._show_sides()
        self.refresh_bindings()

    @on(RowList.Highlighted)
    def _show_sides(self) -> None:
        piece = self.list.current
        if piece is None:
            return
        for side, text in self.texts.items():
            text.show([*_side_lines(piece, side)])

    def action_settle(self, side: str) -> None:
        """Settle the difference under the cursor."""
        piece = self.list.current
        if piece is not None:
            self.settling = self.settling.choose(piece.key, Side(side))
            self._refresh()

    def action_settle_all(self, side: str) -> None:
        """Settle every difference the same way."""
        self.settling = self.settling.choose_all(Side(side))
        self._refresh()

    def action_next(self) -> None:
        """The next difference that waits, around the end."""
        pieces = self.settling.pieces
        at = self.list.cursor
        waiting = (piece for piece in (*pieces[at + 1 :], *pieces[: at + 1]) if piece.side is None)
        if (piece := next(waiting, None)) is not None:
            self.list.move_to_key(piece.key)

    @on(RowList.Chosen)
    def _go_on(self) -> None:
        self.action_next()

    def action_result(self) -> None:
        """The whole, or the sides of one difference."""
        self.toggle_class("-result")

    # leaving

    def action_save(self) -> None:
        """Save it as settled."""
        self.dismiss(Merged(self.settling.content, is_final=True))

    def action_adjust(self) -> None:
        """Go on in the editor."""
        self.dismiss(Merged(self.settling.content, is_final=False))

    def action_close(self) -> None:
        """Decide nothing."""
        self.dismiss(None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """What waits for a choice cannot be saved."""
        command = by_action(action, Where.MERGE)
        met = set() if self.settling.waiting else {Need.SETTLED}
        return None if command is not None and unmet(command, met) else True

    def _draw(self, piece: Piece) -> Look:
        where = f"line {piece.line}" if piece.field is Field.BODY else piece.field.value
        if piece.side is None:
            text = f"{_first(piece.theirs)}  or  {_first(piece.mine)}"
            return Look({"where": Cell(where, "bad"), "side": Cell("choose", "bad"), "text": Cell(text)}, "!")
        text = _first(piece.theirs if piece.side is Side.BOTH else _text(piece, piece.side))
        tones = {Side.THEIRS: "warn", Side.MINE: "good"}
        side = Cell(_SIDES[piece.side], tones.get(piece.side, "accent"))
        return Look({"where": Cell(where), "side": side, "text": Cell(text, "dim")})


def _text(piece: Piece, side: Side) -> str:
    return {Side.BASE: piece.base, Side.THEIRS: piece.theirs}.get(side, piece.mine)


def _first(text: str) -> str:
    lines = text.split("\n")
    more = f"  (+{len(lines) - 2} lines)" if len(lines) > 2 else ""
    return (lines[0] or "nothing") + more


def _side_lines(piece: Piece, side: Side) -> list[TextLine]:
    """The lines of one side; those that the base lacks are marked."""
    text, base = _text(piece, side), piece.base.split("\n")
    if not text:
        return [TextLine("nothing here", "dim")]
    lines = text.removesuffix("\n").split("\n")
    is_new = [side is not Side.BASE and line not in base for line in lines]
    return [
        TextLine(line, "added" if new else "", "+ " if new else "  ", "added" if new else "dim")
        for line, new in zip(lines, is_new, strict=True)
    ]
