import pytest

from wenchang_tui.widgets import marks as module
from wenchang_tui.widgets.marks import Marks


def test_of_too_many_marks_the_latest_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST", 3)
    marks = Marks()
    for key in ("a", "b", "c", "a", "d"):
        marks.add([key])
    assert ([key for key in "abcd" if key in marks], len(marks)) == (["a", "c", "d"], 3)
    marks.discard("c")
    marks.discard("c")
    assert "c" not in marks
    marks.add("wxyz")
    assert [key for key in "acdwxyz" if key in marks] == ["x", "y", "z"]
