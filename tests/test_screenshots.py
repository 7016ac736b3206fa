"""The pictures in `screenshots/` can still be made, and each is there."""

import pytest

from tests.screenshots import BUCKET_SCENES, FOLDER, RECORDING, SCENES, picture


@pytest.mark.parametrize("name", [*SCENES, "bucket-versions"])
async def test_a_screen_still_renders(
    name: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", "")
    drawn = await picture(name)
    assert "wenchang" in drawn
    known = ("house-style", "p-ninth-examination", "house&#160;style", "hanlin-memory", "station-01.md")
    assert any(name in drawn for name in known)
    assert "http://127" not in drawn.replace("http://127.0.0.1:4100/mcp", "")


def test_every_picture_of_the_readme_is_there() -> None:
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    shown = {line.partition("(screenshots/")[2].rstrip(")") for line in readme.splitlines() if line.startswith("![")}
    assert shown
    assert shown <= {path.name for path in FOLDER.iterdir()}
    assert {path.stem for path in FOLDER.glob("*.svg")} == {*SCENES, *BUCKET_SCENES, "session", "growth"}


def test_the_recording_shows_every_frame_and_is_quick_to_load() -> None:
    drawn = (FOLDER / "session.svg").read_bytes()
    assert drawn.count(b'<g class="frame"') == len(RECORDING)
    assert len(drawn) < 1_000_000
