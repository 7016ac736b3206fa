"""The table of faults that are to be impossible here: every row is there, and every test that it names."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("FIELD_RULES.md")
LEFT_OUT = {25, 27, 50, 51, 52, 71, 75, 78, 94, 98, 99, 105}
SUITES = "wenchang/testing/*.py"


def rows() -> dict[int, list[str]]:
    """The tests of each row, under its number."""
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.read_text("utf-8").splitlines()]
    numbered = [row for row in cells if len(row) == 3 and row[0].isdecimal()]
    assert len({row[0] for row in numbered}) == len(numbered), "a number stands there twice"
    assert all(row[1] for row in numbered)
    return {int(number): re.findall(r"`(.+?)`", tests) for number, _, tests in numbered}


@lru_cache
def names_in(path: Path) -> frozenset[str]:
    """What pytest would name the tests of a file, those of its classes under the name of the class."""
    return frozenset(_names(ast.parse(path.read_text("utf-8")).body))


def _names(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if name.startswith("test_"):
                yield name
            case ast.ClassDef(name=name):
                yield name
                yield from (f"{name}::{method}" for method in _names(statement.body))


def exists(test: str) -> bool:
    """Whether a test is there, in its file or, for a method of a class, in a suite that the class runs."""
    path, *names = test.split("::")
    if not (ROOT / path).is_file():
        return False
    found = names_in(ROOT / path)
    if len(names) < 2 or "::".join(names) in found:
        return "::".join(names) in found
    shared = {name.partition("::")[2] for suite in ROOT.glob(SUITES) for name in names_in(suite)}
    return names[0] in found and names[1] in shared


def test_every_rule_has_its_row_and_its_tests() -> None:
    assert set(rows()) == set(range(1, 117)) - LEFT_OUT
    assert [number for number, tests in rows().items() if not tests] == []


def test_every_test_that_the_table_names_is_there() -> None:
    assert [(number, test) for number, tests in rows().items() for test in tests if not exists(test)] == []


def test_a_test_that_is_not_there_is_missed() -> None:
    suite = "tests/storage/test_memory.py::TestInMemoryStorage"
    assert exists(f"{suite}::test_no_read_is_torn")
    assert not exists(f"{suite}::test_no_such_thing")
    assert not exists("tests/storage/test_memory.py::test_no_read_is_torn")
    assert not exists("tests/test_field_rules.py::test_no_such_thing")
    assert not exists("tests/no_such_file.py::test_no_read_is_torn")
