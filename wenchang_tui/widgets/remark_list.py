"""What is worth saying about the file being edited; Enter goes to the place."""

from wenchang_tui.model.linting import Field, Level, Remark
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

_TONES = {Level.ERROR: "bad", Level.WARNING: "warn", Level.NOTE: "dim"}
_FLAGS = {Level.ERROR: "!", Level.WARNING: "~", Level.NOTE: "·"}
_COLUMNS = (Column("where", "", 11), Column("text", ""))


class RemarkList(RowList[Remark]):
    """The remarks, the weightiest first."""

    def __init__(self) -> None:
        super().__init__(_COLUMNS, _key, _look, header=False, marks=False, id="remarks", empty="nothing to remark")


def summary(remarks: tuple[Remark, ...]) -> str:
    """How many of each weight."""
    counts = {level: sum(remark.level is level for remark in remarks) for level in Level}
    words = (f"{count} {level}{'' if count == 1 else 's'}" for level, count in counts.items() if count)
    return ", ".join(words) or "nothing to remark"


def place_of(remark: Remark) -> str:
    """Where it is."""
    if remark.field is not Field.BODY:
        return remark.field.value
    return f"line {remark.line}" if remark.line else "body"


def _key(remark: Remark) -> str:
    return f"{remark.field}\0{remark.line}\0{remark.text}"


def _look(remark: Remark) -> Look:
    tone = _TONES[remark.level]
    return Look({"where": Cell(place_of(remark), tone), "text": Cell(remark.text, tone)}, _FLAGS[remark.level])
