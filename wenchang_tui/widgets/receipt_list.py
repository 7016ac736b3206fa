"""The receipts of a session, the latest first."""

from wenchang_tui.model.receipts import Ending, Receipt
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

COLUMNS = (
    Column("at", "", 8, sortable=False),
    Column("deed", "", 7, sortable=False),
    Column("entity", "", 26, cut_start=True, sortable=False),
    Column("ending", "", 9, sortable=False),
    Column("result", "", sortable=False),
)
_TONES = {Ending.DONE: "good", Ending.CANCELLED: "warn", Ending.FAILED: "bad"}
_MOST_ROWS = 4


class ReceiptList(RowList[Receipt]):
    """One line for each receipt; it is as high as it has to be."""

    def __init__(self) -> None:
        super().__init__(COLUMNS, _key, _draw, header=False, marks=False, id="receipts")

    def add(self, receipt: Receipt) -> None:
        """Put a receipt first, under the cursor."""
        self.set_rows([receipt, *self.rows], to_top=True)
        self.styles.height = min(_MOST_ROWS, len(self.rows))


def _key(receipt: Receipt) -> str:
    return f"{receipt.began.isoformat()} {receipt.deed} {receipt.entity}"


def _draw(receipt: Receipt) -> Look:
    tone = _TONES[receipt.ending]
    cells = {
        "at": Cell(f"{receipt.began:%H:%M:%S}", "dim"),
        "deed": Cell(receipt.deed.value, "strong"),
        "entity": Cell(receipt.entity),
        "ending": Cell(receipt.ending.value, tone),
        "result": Cell(receipt.result),
    }
    return Look(cells, "!" if receipt.ending is Ending.FAILED else " ")
