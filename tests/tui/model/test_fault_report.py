from pathlib import Path

from wenchang_tui.config import write_whole
from wenchang_tui.model.fault_report import fault_details, fault_summary


def test_the_place_of_a_fault_is_ours_and_what_it_quotes_is_in_the_details_alone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    secret = "STORED\x1b[2J"
    try:
        write_whole(tmp_path / "file" / secret / "x", "")
    except OSError as error:
        summary, details = fault_summary(error), fault_details(error)
    assert summary.startswith(
        "wenchang had to end, by a fault of its own: NotADirectoryError in write_whole, config.py"
    )
    assert "STORED" not in summary
    assert "STORED" in details
    assert "\x1b" not in details


def test_a_fault_that_was_never_raised_has_no_place() -> None:
    assert fault_summary(ValueError("x")) == "wenchang had to end, by a fault of its own: ValueError."
