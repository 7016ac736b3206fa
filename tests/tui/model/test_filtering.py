from datetime import UTC, datetime

import pytest

from wenchang.file_format import FileMetadata
from wenchang.paths import parse_path
from wenchang.version_token import VersionToken
from wenchang_tui.model.catalog import FileRow
from wenchang_tui.model.filtering import parse_filter, sort_rows

NOW = datetime(2026, 1, 10, 12, tzinfo=UTC)


def row(name: str, description: str = "", *aliases: str, source: str = "web", day: int = 1, size: int = 1) -> FileRow:
    key = f"s/e/a/{name}.md"
    metadata = FileMetadata(description, aliases, frozenset({source}), datetime(2026, 1, day, tzinfo=UTC))
    return FileRow(key, parse_path(key), metadata, VersionToken("1"), size, None)


BROKEN = FileRow("s/e/odd", None, None, VersionToken("1"), None, "not a memory path")
QIAO = row("lin-qiao", "The protagonist", "Café regular", "林樵", source="Inkwell", day=9, size=300)
HAN = row("han-zhou", "A rival", "Han", source="seed-job", day=2, size=20)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", [QIAO, HAN, BROKEN]),
        ("qiao", [QIAO]),
        ("PROTAGONIST", [QIAO]),
        ("cafe\u0301", [QIAO]),
        ("林", [QIAO]),
        ("a rival", [HAN]),
        ("!han", [QIAO, BROKEN]),
        ("odd", [BROKEN]),
        ("by:inkwell", [QIAO]),
        ("!by:inkwell", [HAN, BROKEN]),
        ("since:2026-01-09", [QIAO]),
        ("since:3d", [QIAO]),
        ("since:48h", [QIAO]),
        ("since:2w", [QIAO, HAN]),
        ("is:cut", [HAN]),
        ("!is:cut qiao", [QIAO]),
        ("by: since: is: !", [QIAO, HAN, BROKEN]),
        ("other:word", []),
        ("[", []),
    ],
)
def test_a_filter_shows(text: str, shown: list[FileRow]) -> None:
    chosen = parse_filter(text)
    assert chosen.error is None
    assert [r for r in (QIAO, HAN, BROKEN) if chosen.matches(r, now=NOW, cut={HAN.key})] == shown


@pytest.mark.parametrize("text", ["is:odd", "since:soon", "since:9999999999999w", "since:2026-13-01"])
def test_a_date_that_is_none_is_explained_and_hides_nothing(text: str) -> None:
    chosen = parse_filter(f"{text} qiao")
    assert chosen.error is not None
    assert text.partition(":")[2] in chosen.error
    assert chosen.matches(QIAO, now=NOW)


@pytest.mark.parametrize(
    ("column", "order"),
    [
        ("description", [HAN, QIAO, BROKEN]),
        ("updated", [HAN, QIAO, BROKEN]),
        ("size", [HAN, QIAO, BROKEN]),
        ("sources", [QIAO, HAN, BROKEN]),
        ("aliases", [QIAO, HAN, BROKEN]),
    ],
)
def test_rows_sort_by_a_column_and_unknown_values_come_last_either_way(column: str, order: list[FileRow]) -> None:
    assert sort_rows([BROKEN, QIAO, HAN], column) == order
    assert sort_rows([BROKEN, QIAO, HAN], column, reverse=True) == [order[1], order[0], BROKEN]


def test_a_row_without_a_name_sorts_by_its_key() -> None:
    assert sort_rows([BROKEN, QIAO, HAN], "name", reverse=True) == [BROKEN, QIAO, HAN]
