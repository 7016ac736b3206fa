"""Archives from anywhere: whole ones are read, all others are refused in a sentence."""

import hashlib
import io
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tui.model.entities import METADATA, fill
from wenchang.core import ExportedObject, MemoryStore
from wenchang.storage.memory import InMemoryStorage
from wenchang.version_token import VersionToken
from wenchang_tui.model.archive import ArchiveError, Totals, write_archive
from wenchang_tui.model.archive_reading import open_archive

LARGEST = 1 << 20
KEY = "user/u/notes/a.md"


def line(key: object = KEY, body: bytes = b"body", **changes: object) -> dict[str, Any]:
    record = {
        "key": key,
        "metadata": METADATA,
        "version": "1",
        "size": len(body),
        "sha256": hashlib.sha256(body).hexdigest(),
    }
    return {**record, **changes}


def pack(
    path: Path, lines: list[Any] | bytes, members: dict[str, bytes] | None = None, method: int = zipfile.ZIP_DEFLATED
) -> Path:
    """A zip file with any manifest and any members."""
    text = lines if isinstance(lines, bytes) else b"".join(json.dumps(one).encode() + b"\n" for one in lines)
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, body in (members or {KEY: b"body"}).items():
            archive.writestr(name, body)
        archive.writestr("manifest.jsonl", text)
    return path


def read_all(path: Path, largest: int = LARGEST) -> dict[str, bytes]:
    with open_archive(path, largest) as archive:
        return {found.key: archive.read(found) for found in archive.contents.objects}


def refused(path: Path, *words: str, largest: int = LARGEST) -> None:
    with pytest.raises(ArchiveError) as caught:
        read_all(path, largest)
    assert str(path) in caught.value.problem.sentence
    for word in words:
        assert word in caught.value.problem.sentence


def test_an_archive_tells_what_it_holds(tmp_path: Path) -> None:
    body = b"other"
    path = pack(tmp_path / "u.zip", [line(), line("user/u/x", body)], {KEY: b"body", "user/u/x": body})
    with open_archive(path, LARGEST) as archive:
        contents = archive.contents
        assert (contents.scope, contents.entity, contents.totals) == ("user", "u", Totals(2, 9))
        assert archive.read(contents.objects[1]) == body
        assert contents.objects[0].metadata == METADATA


def test_members_that_the_manifest_does_not_name_are_passed_over(tmp_path: Path) -> None:
    path = pack(tmp_path / "u.zip", [line()], {KEY: b"body", "../../evil": b"x", "__MACOSX/._a": b"x"})
    assert read_all(path) == {KEY: b"body"}
    assert list(tmp_path.iterdir()) == [path]


def test_a_compressed_member_may_be_stored_as_well(tmp_path: Path) -> None:
    assert read_all(pack(tmp_path / "u.zip", [line()], method=zipfile.ZIP_STORED)) == {KEY: b"body"}


@pytest.mark.parametrize("data", [b"", b"text", b"PK\x03\x04", b"PK\x05\x06" + b"\xff" * 18])
def test_what_is_no_zip_file_is_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "u.zip"
    path.write_bytes(data)
    refused(path)


def test_a_zip_file_without_a_manifest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "u.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(KEY, b"body")
    refused(path, "manifest.jsonl")


@pytest.mark.parametrize(
    ("manifest", "word"),
    [
        (b"", "no objects"),
        (b"\n\n", "no objects"),
        (b"{", "manifest.jsonl"),
        (b"\xff\xfe\xff", "manifest.jsonl"),
        (b"[" * 100_000, "manifest.jsonl"),
        (b"9" * 10_000, "manifest.jsonl"),
        (b"[]\n", "manifest.jsonl"),
        (b'{"key": "user/u/x"}\n', "metadata"),
        ([line(), line()], "twice"),
        ([line(), line("user/other/notes/a.md")], "user/other/notes/a.md is not of user/u"),
        ([line("a/b")], "manifest.jsonl"),
        ([line("../../x")], "no key of an entity"),
        ([line("/etc/passwd/x")], "no key of an entity"),
        ([line("user//x")], "no key of an entity"),
        ([line(7)], "manifest.jsonl"),
        ([line(version=None)], "another form"),
        ([line(sha256=1)], "another form"),
        ([line(size=-1)], "another form"),
        ([line(size=True)], "another form"),
        ([line(size=4.0)], "another form"),
        ([line(metadata=[])], "manifest.jsonl"),
        ([line(metadata={"a": 1})], "another form"),
        ([line(member=1)], "another form"),
    ],
)
def test_a_manifest_of_another_form_is_refused(tmp_path: Path, manifest: list[Any] | bytes, word: str) -> None:
    refused(pack(tmp_path / "u.zip", manifest), word)


@pytest.mark.parametrize("changes", [{"size": 3}, {"size": 5}, {"size": 0}, {"sha256": "0" * 64}, {"sha256": ""}])
def test_a_body_that_is_not_the_announced_one_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    refused(pack(tmp_path / "u.zip", [line(**changes)]), f"the body of {KEY}")


def test_a_missing_body_is_refused(tmp_path: Path) -> None:
    refused(pack(tmp_path / "u.zip", [line("user/u/absent")]), "user/u/absent")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compression_without_bounds_is_refused(tmp_path: Path, method: int) -> None:
    refused(pack(tmp_path / "u.zip", [line()], method=method), "compressed in a way")


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = pack(tmp_path / "u.zip", [line()])
    data = bytearray(path.read_bytes())
    directory = data.index(b"PK\x01\x02")
    data[directory + 8] |= 1
    path.write_bytes(data)
    refused(path, "encrypted")


def test_an_object_out_of_all_proportion_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = bytes(LARGEST + 1)
    refused(pack(tmp_path / "u.zip", [line(body=bomb)], {KEY: bomb}), KEY, "1,048,577", "1,048,576")
    assert read_all(pack(tmp_path / "v.zip", [line(body=bomb[1:])], {KEY: bomb[1:]})) == {KEY: bomb[1:]}


def test_of_a_body_that_is_larger_than_announced_no_more_than_that_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    read = zipfile.ZipExtFile.read

    def reading(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        asked.append(-1 if n is None else n)
        return read(self, n)

    monkeypatch.setattr(zipfile.ZipExtFile, "read", reading)
    refused(pack(tmp_path / "u.zip", [line()], {KEY: bytes(50_000_000)}), f"the body of {KEY}")
    assert asked[-1] == 5
    assert -1 not in asked


def test_a_manifest_out_of_all_proportion_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wenchang_tui.model.archive_reading._LARGEST_MANIFEST", 100)
    refused(pack(tmp_path / "u.zip", [line()]), "manifest.jsonl is 101 bytes or more")


def whole_archive() -> bytes:
    storage, file = InMemoryStorage(), io.BytesIO()
    fill(storage)
    write_archive(file, MemoryStore(storage).iter_export("user", "u"))
    return file.getvalue()


def test_bytes_that_were_changed_are_noticed_or_do_not_matter(tmp_path: Path) -> None:
    """Any damage is an `ArchiveError`, an error of the file system, or harmless; never anything else."""
    whole, path, chance = whole_archive(), tmp_path / "u.zip", random.Random(7)
    path.write_bytes(whole)
    expected = read_all(path)
    found_out = 0
    for _ in range(600):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(data[: chance.choice((len(data), chance.randrange(len(data))))])
        try:
            assert read_all(path).items() <= expected.items()
        except (ArchiveError, OSError):
            found_out += 1
    assert found_out > 300


texts = st.text(st.characters(), max_size=8)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rests=st.sets(texts, min_size=1, max_size=5), metadata=st.dictionaries(texts, texts, max_size=3), data=st.binary()
)
def test_any_key_metadata_and_body_come_back(
    tmp_path: Path, rests: set[str], metadata: dict[str, str], data: bytes
) -> None:
    objects = [ExportedObject(f"user/u/{rest}", data, metadata, VersionToken("1")) for rest in sorted(rests)]
    path = tmp_path / "u.zip"
    with path.open("wb") as file:
        write_archive(file, objects)
    with open_archive(path, LARGEST) as archive:
        found = archive.contents.objects
        assert [(one.key, one.metadata) for one in found] == [(one.key, metadata) for one in objects]
        assert all(archive.read(one) == data for one in found)


def test_a_member_that_lies_outside_the_file_is_damage(tmp_path: Path) -> None:
    path = pack(tmp_path / "a.zip", [line()])
    data = bytearray(path.read_bytes())
    directory = data.rindex(b"PK\x05\x06") + 16  # where it is said to begin, from which all else is counted
    data[directory : directory + 4] = (len(data) * 2).to_bytes(4, "little")
    path.write_bytes(data)
    refused(path)
