"""The findings of a health check: what fails first, each with its place and with what it breaks for whom."""

from collections.abc import Iterable

from wenchang_tui.model.findings import Finding, Severity
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

COLUMNS = (
    Column("severity", "", 7, sortable=False),
    Column("kind", "kind", 21, sortable=False),
    Column("place", "place", cut_start=True, sortable=False),
    Column("breaks", "what it breaks", sortable=False),
)
TONES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.NOTE: "dim"}
_ORDER = list(Severity)


class FindingList(RowList[Finding]):
    """Findings by severity, then by kind and place."""

    def __init__(self) -> None:
        super().__init__(COLUMNS, finding_key, _draw, marks=False, id="findings")

    def show(self, findings: Iterable[Finding]) -> None:
        """Show these. A cursor that nobody moved stays on the first, any other on its finding."""
        ordered = sorted(findings, key=_rank)
        self.styles.height = max(1, len(ordered)) + 1
        self.set_rows(ordered, to_top=self.cursor == 0)


def finding_key(finding: Finding) -> str:
    """What tells a finding from all others of a check."""
    return "\0".join((finding.kind, finding.key, finding.subject))


def kind_name(finding: Finding) -> str:
    """The kind in words."""
    return finding.kind.replace("-", " ").replace("utf8", "UTF-8")


def count_by_severity(findings: Iterable[Finding]) -> str:
    """Such as `1 error, 2 notes`; nothing for no findings."""
    severities = [finding.severity for finding in findings]
    counts = ((severity, severities.count(severity)) for severity in Severity)
    return ", ".join(f"{number:,} {severity}{'' if number == 1 else 's'}" for severity, number in counts if number)


def _rank(finding: Finding) -> tuple[int, str, str, str]:
    return _ORDER.index(finding.severity), finding.kind, finding.key, finding.subject


def _draw(finding: Finding) -> Look:
    tone = TONES[finding.severity]
    cells = {
        "severity": Cell(finding.severity.value, tone),
        "kind": Cell(kind_name(finding), "strong"),
        "place": Cell(finding.key.removesuffix(".md")),
        "breaks": Cell(finding.breaks, "dim"),
    }
    return Look(cells, "!" if finding.severity is Severity.ERROR else " ")
