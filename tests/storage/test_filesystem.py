"""The folder storage where it meets the file system: names, foreign files, edits, modes, locks."""

import json
import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.errors import NameTooLongError
from wenchang.storage import PreconditionFailedError, filesystem
from wenchang.storage._names import decode_segment, decode_segments, encode_segment
from wenchang.storage.filesystem import FilesystemStorage, LockTimeoutError, key_of
from wenchang.version_token import VersionToken

KEY = "user/u-1/notes/a.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def storage(root: Path) -> FilesystemStorage:
    return FilesystemStorage(root, durable=False)


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def files(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())


def keys(storage: FilesystemStorage, prefix: str = "") -> list[str]:
    return [row.key for row in storage.list_page(prefix, None, 1000)]


# Names


def test_an_object_is_a_body_and_a_sidecar_under_its_percent_encoded_key(root: Path) -> None:
    version = FilesystemStorage(root).put("project/p 1/notes/é.md", b"body\r\n", {"description": "d"})
    folder = root / "project" / "p%201" / "notes"
    assert sorted(path.name for path in folder.iterdir()) == ["%C3%A9.md%meta", "%C3%A9.md%obj"]
    assert (folder / "%C3%A9.md%obj").read_bytes() == b"body\r\n"
    sidecar = json.loads((folder / "%C3%A9.md%meta").read_text())
    assert sidecar["version"] == version
    assert sidecar["metadata"] == {"description": "d"}
    assert sidecar["body"]["size"] == 6


@pytest.mark.parametrize(
    ("segment", "name"),
    [
        ("", "%"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("a.", "a%2E"),
        ("a ", "a%20"),
        ("100%25", "100%2525"),
        ("a b", "a%20b"),
        ("~", "%7E"),
        ("con", "%63on"),
        ("NUL.tar.gz", "%4EUL.tar.gz"),
        ("com1.md", "%63om1.md"),
        ("comet", "comet"),
        ("a\x00b", "a%00b"),
        ("\ud800", "%ED%A0%80"),
        ("\U0001f600", "%F0%9F%98%80"),
    ],
)
def test_each_segment_has_one_portable_name(segment: str, name: str) -> None:
    assert encode_segment(segment) == name
    assert decode_segment(name) == segment


@given(st.text(st.characters(codec=None, exclude_characters="/"), max_size=12))
def test_names_and_segments_are_exact_inverses(segment: str) -> None:
    name = encode_segment(segment)
    assert decode_segment(name) == segment
    assert name.isascii()
    assert name not in ("", ".", "..")
    assert not set(name) & set('/\\<>:"|?* ')
    assert not name.endswith((".", "%obj", "%meta", "%next", "%lock"))


@given(st.text("a.%2Eocn", max_size=6))
def test_a_name_that_no_segment_is_spelled_as_decodes_to_nothing(name: str) -> None:
    segment = decode_segment(name)
    assert segment is None or encode_segment(segment) == name


@given(st.lists(st.sampled_from(["", "a", "b.md", ".", "a.", "con", "com1.x", "%", "%63on", "é", "b\n"]), unique=True))
def test_names_of_a_folder_decode_together_as_one_by_one(names: list[str]) -> None:
    one_by_one = {segment: name for name in names if (segment := decode_segment(name)) is not None}
    assert decode_segments(names) == one_by_one


@pytest.mark.parametrize(
    "key", ["user/u/notes/" + "é" * 50 + ".md", "user/" + "x" * 251 + "/a/b.md", "/".join(["d" * 99] * 60)]
)
def test_a_name_too_long_is_refused_before_anything_is_written(root: Path, key: str) -> None:
    storage = FilesystemStorage(root)
    with pytest.raises(NameTooLongError) as caught:
        storage.put(key, b"", {})
    assert caught.value.size > caught.value.limit
    assert caught.value.path == key
    assert not root.exists()
    assert storage.get(key) is None


def test_the_longest_name_that_fits_is_kept(storage: FilesystemStorage) -> None:
    key = f"user/u/notes/{'x' * 250}"
    storage.put(key, b"whole", {})
    assert storage.get(key) is not None
    with pytest.raises(NameTooLongError) as caught:
        storage.put(key + "x", b"", {})
    assert (caught.value.size, caught.value.limit) == (256, 255)
    assert keys(storage) == [key]


@pytest.mark.parametrize("suffix", ["%obj", "%meta", "%next"])
def test_every_file_of_an_object_leads_back_to_its_key(root: Path, suffix: str) -> None:
    assert key_of(root, root / "project" / "p%201" / f"%C3%A9.md{suffix}") == "project/p 1/é.md"


@pytest.mark.parametrize("path", ["", "a", "a%lock", "a%tmp-0011", "a b%obj", "x/.git%2/a%obj", "../a%obj"])
def test_a_foreign_file_leads_to_no_key(root: Path, path: str) -> None:
    assert key_of(root, root / path) is None


@pytest.fixture
def case_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls that find a file answer as on a disk that ignores case."""

    def on_disk(path: str) -> str:
        folder, name = os.path.split(path)
        if folder == path or not os.access(folder := on_disk(folder), os.F_OK):
            return path
        return os.path.join(folder, next((n for n in os.listdir(folder) if n.lower() == name.lower()), name))

    for name in ("stat", "lstat", "open"):
        real = getattr(os, name)

        def folded(path: str, *args: object, real: Callable[..., object] = real, **kwargs: object) -> object:
            return real(on_disk(path), *args, **kwargs)

        monkeypatch.setattr(os, name, folded)


@pytest.mark.parametrize("other", ["user/u/notes/A.md", "user/u/Notes/a.md", "User/u/notes/a.md"])
@pytest.mark.usefixtures("case_is_ignored")
def test_a_name_that_the_disk_takes_for_another_is_absent_and_not_written(
    storage: FilesystemStorage, other: str
) -> None:
    version = storage.put("user/u/notes/a.md", b"first", {})
    assert storage.get(other) is None
    with pytest.raises(PreconditionFailedError):
        storage.put(other, b"second", {})
    with pytest.raises(PreconditionFailedError):
        storage.put_if_version(other, b"second", {}, None)
    with pytest.raises(PreconditionFailedError):
        storage.delete_if_version(other, version)
    assert keys(storage) == ["user/u/notes/a.md"]
    storage.put_if_version("user/u/notes/a.md", b"third", {}, version)
    found = storage.get("user/u/notes/a.md")
    assert found is not None
    assert found.data == b"third"


# Foreign files


def test_an_error_in_a_listing_names_the_whole_path(
    root: Path, storage: FilesystemStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.put(KEY, b"mine", {})

    def refuse(path: str, *_: object, **__: object) -> bytes:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(filesystem, "read_bytes", refuse)
    with pytest.raises(PermissionError) as caught:
        keys(storage)
    assert caught.value.filename == str(root / "user/u-1/notes/a.md%meta")


def test_a_pipe_or_a_socket_named_like_a_sidecar_breaks_no_listing(
    root: Path, storage: FilesystemStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.put(KEY, b"mine", {})
    monkeypatch.chdir(root / "user/u-1/notes")
    for name in ("pipe", "quiet", "socket"):
        Path(f"{name}%obj").write_bytes(b"a body without a sidecar")
    os.mkfifo("quiet%meta")
    os.mkfifo("pipe%meta")
    writer = os.open("pipe%meta", os.O_RDWR)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket%meta")
        assert keys(storage) == [KEY]
        assert storage.get("user/u-1/notes/pipe") is None
        assert storage.get("user/u-1/notes/quiet") is None
        assert storage.get("user/u-1/notes/socket") is None
    os.close(writer)


def test_foreign_files_and_leftovers_are_no_records_and_stay(root: Path, storage: FilesystemStorage) -> None:
    storage.put(KEY, b"mine", {})
    folder = root / "user/u-1/notes"
    foreign = {
        folder / "lone%obj": b"a body without a sidecar",
        folder / "lone2%meta": b'{"version": "1", "metadata": {}}',
        folder / "a.md%tmp-0123456789abcdef": b"half",
        folder / "a (conflicted copy).md%obj": b"from a sync program",
        folder / ".DS_Store": b"",
        root / "README.txt": b"",
        root / "user/%GG/x%obj": b"",
        root / ".git/config": b"",
    }
    for path, data in foreign.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / os.fsdecode(b"caf\xe9%obj")).write_bytes(b"a name that is not UTF-8")
    os.mkfifo(folder / "pipe%obj")
    (folder / "folder%obj").mkdir()
    assert keys(storage) == [KEY]
    assert storage.get("user/u-1/notes/pipe") is None
    assert storage.get("user/u-1/notes/folder") is None
    assert storage.get("user/u-1/notes/lone") is None
    storage.put(KEY, b"again", {})
    assert {path: path.read_bytes() for path in foreign} == foreign


def test_symbolic_links_are_not_followed(root: Path, storage: FilesystemStorage, tmp_path: Path) -> None:
    outside = FilesystemStorage(tmp_path / "outside", durable=False)
    outside.put("secret/b.md", b"outside", {})
    storage.put(KEY, b"inside", {})
    (root / "link").symlink_to(tmp_path / "outside", target_is_directory=True)
    (root / "user/loop").symlink_to(root / "user", target_is_directory=True)
    folder = root / "user/u-1/notes"
    (folder / "b.md%obj").symlink_to(tmp_path / "outside/secret/b.md%obj")
    (folder / "b.md%meta").symlink_to(tmp_path / "outside/secret/b.md%meta")

    assert keys(storage) == [KEY]
    assert keys(storage, "link/secret/") == []
    assert storage.get("link/secret/b.md") is None
    assert storage.get("user/u-1/notes/b.md") is None
    with pytest.raises(NotADirectoryError, match="symbolic link"):
        storage.put("link/secret/b.md", b"new", {})
    storage.put("user/u-1/notes/b.md", b"replaces the links", {})
    assert (tmp_path / "outside/secret/b.md%obj").read_bytes() == b"outside"
    assert files(tmp_path / "outside") == ["secret%lock", "secret/b.md%meta", "secret/b.md%obj"]


def test_the_root_itself_may_be_a_link(root: Path, storage: FilesystemStorage, tmp_path: Path) -> None:
    storage.put(KEY, b"x", {})
    (tmp_path / "alias").symlink_to(root, target_is_directory=True)
    linked = FilesystemStorage(tmp_path / "alias")
    assert keys(linked) == [KEY]
    linked.put(KEY, b"y", {})
    assert (root / "user/u-1/notes/a.md%obj").read_bytes() == b"y"


def test_a_sidecar_that_cannot_be_read_is_a_malformed_object_under_a_version(
    root: Path, storage: FilesystemStorage
) -> None:
    storage.put(KEY, b"body", {"description": "d"})
    sidecar = root / "user/u-1/notes/a.md%meta"
    for raw in (
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"version": 1, "metadata": {}}',
        b'{"version": "1", "metadata": {"a": 1}}',
    ):
        sidecar.write_bytes(raw)
        found, (listed,) = storage.get(KEY), storage.list_page("", None, 10)
        assert found is not None
        assert (found.data, found.metadata) == (b"body", {})
        assert (listed.version, listed.metadata) == (found.version, {})
        storage.put_if_version(KEY, b"body", {"description": "d"}, found.version)
    assert keys(storage) == [KEY]


def test_a_sidecar_without_a_stamp_is_read(root: Path, storage: FilesystemStorage) -> None:
    folder = root / "user/u-1/notes"
    folder.mkdir(parents=True)
    (folder / "a.md%obj").write_bytes(b"body")
    (folder / "a.md%meta").write_text('{"version": "abc", "metadata": {"description": "d"}}')
    found, (listed,) = storage.get(KEY), storage.list_page("", None, 10)
    assert found is not None
    assert (found.data, found.metadata, found.version) == (b"body", {"description": "d"}, "abc")
    assert (listed.version, listed.size) == ("abc", 4)


def test_a_folder_that_may_not_be_read_is_an_error_not_an_empty_listing(
    root: Path, storage: FilesystemStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage.put(KEY, b"", {})

    def denied(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os, "listdir", denied)
    with pytest.raises(PermissionError):
        storage.list_page("", None, 10)


@pytest.fixture
def closed(root: Path, storage: FilesystemStorage, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An entity whose folder another user made, and nobody else may read."""
    storage.put("user/u-1/notes/a.md", b"", {})
    storage.put("user/u-2/notes/a.md", b"", {})
    listdir, folder = os.listdir, root / "user/u-1"

    def list_unless_closed(path: str) -> list[str]:
        if path == str(folder):
            raise PermissionError(13, "Permission denied", path)
        return listdir(path)

    monkeypatch.setattr(os, "listdir", list_unless_closed)
    return folder


@pytest.mark.usefixtures("closed")
def test_a_folder_that_may_not_be_read_is_met_where_it_is(storage: FilesystemStorage) -> None:
    assert storage.list_children("", None, 10) == ["user/"]
    assert storage.list_children("user/", None, 10) == ["user/u-1/", "user/u-2/"]
    with pytest.raises(PermissionError):
        storage.list_children("user/u-1/", None, 10)
    assert keys(storage, "user/u-2/") == ["user/u-2/notes/a.md"]


def test_levels_are_told_of_what_holds_objects(root: Path, storage: FilesystemStorage) -> None:
    wanted = ["a-b/x/n", "a/b/c/n.md", "a/b-c/d/n.md", "a/é/d/n.md", "stray", "b/n"]
    for key in wanted:
        storage.put(key, b"", {})
    (root / "empty/folder").mkdir(parents=True)
    (root / ".git").mkdir()
    for prefix in ("", "a/", "a/b", "a/b/", "b/", "none/", "st"):
        below = [key.removeprefix(prefix) for key in wanted if key.startswith(prefix)]
        children = sorted({prefix + rest[: rest.index("/") + 1] for rest in below if "/" in rest})
        for after in (None, *children):
            behind = [child for child in children if after is None or child > after]
            assert storage.list_children(prefix, after, 10) == behind
            assert storage.list_children(prefix, after, 1) == behind[:1]


# Edits from outside


def test_an_edit_in_place_within_the_same_clock_tick_is_a_new_version(root: Path, storage: FilesystemStorage) -> None:
    path = root / "user/u-1/notes/a.md%obj"
    for _ in range(50):
        written = storage.put(KEY, b"hello", {"description": "d"})
        with path.open("r+b") as body:
            body.write(b"jello")
        found, (listed,) = storage.get(KEY), storage.list_page("", None, 10)
        assert found is not None
        assert found.data == b"jello"
        assert found.metadata == {"description": "d"}
        assert written != found.version == listed.version
        with pytest.raises(PreconditionFailedError):
            storage.put_if_version(KEY, b"lost update", {}, written)
        with pytest.raises(PreconditionFailedError):
            storage.delete_if_version(KEY, written)


def test_an_edit_that_is_taken_back_or_changes_nothing_keeps_the_version(
    root: Path, storage: FilesystemStorage
) -> None:
    written = storage.put(KEY, b"hello", {})
    path = root / "user/u-1/notes/a.md%obj"
    path.write_bytes(b"other")
    path.write_bytes(b"hello")
    found, (listed,) = storage.get(KEY), storage.list_page("", None, 10)
    assert found is not None
    assert found.version == listed.version == written
    storage.put_if_version(KEY, b"next", {}, written)


def test_an_editor_that_saves_by_rename_is_an_edit(root: Path, storage: FilesystemStorage) -> None:
    written = storage.put(KEY, b"hello", {})
    folder = root / "user/u-1/notes"
    (folder / "a.md%obj~").write_bytes(b"edited")
    (folder / "a.md%obj~").replace(folder / "a.md%obj")
    found = storage.get(KEY)
    assert found is not None
    assert found.data == b"edited"
    edited = storage.put_if_version(KEY, b"next", {}, found.version)
    assert len({written, found.version, edited}) == 3


def test_a_copied_store_keeps_its_versions(root: Path, storage: FilesystemStorage, tmp_path: Path) -> None:
    version = storage.put(KEY, b"hello", {"description": "d"})
    for path in root.rglob("*"):
        if path.is_file():
            target = tmp_path / "copy" / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    copy = FilesystemStorage(tmp_path / "copy")
    found, (listed,) = copy.get(KEY), copy.list_page("", None, 10)
    assert found is not None
    assert found.version == listed.version == version


# Modes, folders, leftovers


def test_new_files_are_private_and_existing_modes_are_kept(root: Path, storage: FilesystemStorage) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    storage.put(KEY, b"a", {})
    folder = root / "user/u-1/notes"
    assert [mode(path) for path in (root, root / "user", folder)] == [0o700] * 3
    assert [mode(folder / name) for name in ("a.md%obj", "a.md%meta")] == [0o600] * 2
    (folder / "a.md%obj").chmod(0o644)
    (folder / "a.md%meta").chmod(0o640)
    folder.chmod(0o750)
    storage.put(KEY, b"b", {})
    assert [mode(folder / name) for name in ("a.md%obj", "a.md%meta")] == [0o644, 0o640]
    assert mode(folder) == 0o750


def test_the_umask_narrows_what_is_new(root: Path, storage: FilesystemStorage) -> None:
    os.umask(0o277)
    root.mkdir(mode=0o700)
    root.chmod(0o700)
    storage.put("k", b"a", {})
    assert stat.S_IMODE((root / "k%obj").stat().st_mode) == 0o400


def test_a_delete_removes_the_folders_it_empties(root: Path, storage: FilesystemStorage) -> None:
    first, second = storage.put(KEY, b"a", {}), storage.put("user/u-2/notes/b.md", b"b", {})
    storage.delete_if_version(KEY, first)
    assert files(root) == ["user/u-2%lock", "user/u-2/notes/b.md%meta", "user/u-2/notes/b.md%obj"]
    storage.delete_if_version("user/u-2/notes/b.md", second)
    assert list(root.iterdir()) == []
    storage.put(KEY, b"again", {})
    assert keys(storage) == [KEY]


def test_leftovers_of_dead_writers_go_with_the_last_object_of_a_folder(root: Path, storage: FilesystemStorage) -> None:
    version = storage.put(KEY, b"a", {})
    folder = root / "user/u-1/notes"
    (folder / "%tmp-00112233445566aa").write_bytes(b"what a dead writer was about to say")
    (folder / "b.md%next").write_bytes(b"the record of a body that never came")
    storage.delete_if_version(KEY, version)
    assert list(root.iterdir()) == []


def test_a_write_sweeps_old_leftovers_and_spares_recent_ones(root: Path, storage: FilesystemStorage) -> None:
    folder = root / "user/u-1/notes"
    folder.mkdir(parents=True)
    old, recent = folder / "%tmp-0011", folder / "%tmp-0022"
    old.write_bytes(b"")
    recent.write_bytes(b"")
    os.utime(old, (1, 1))
    storage.put(KEY, b"", {})
    assert not old.exists()
    assert recent.exists()


def test_a_page_of_one_area_looks_only_into_its_folder(
    storage: FilesystemStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for area in ("a", "b", "c"):
        for number in range(3):
            storage.put(f"user/u/{area}/{number}.md", b"", {})
    seen: list[str] = []
    real = os.listdir

    def listdir(path: str) -> list[str]:
        seen.append(os.path.basename(path))
        return real(path)

    monkeypatch.setattr(os, "listdir", listdir)
    assert len(storage.list_page("user/u/b/", None, 2)) == 2
    assert seen == ["b"]
    seen.clear()
    assert [row.key for row in storage.list_page("user/u/", "user/u/b/1.md", 2)] == ["user/u/b/2.md", "user/u/c/0.md"]
    assert seen == ["u", "b", "c"]


# Locks

HOLD_A_LOCK = """
import sys, time
from wenchang.storage._lock import acquire
acquire(sys.argv[1], 5)
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(root: Path, storage: FilesystemStorage) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock of the entity u-1."""
    storage.put(KEY, b"before", {})
    command = [sys.executable, "-c", HOLD_A_LOCK, str(root / "user/u-1%lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_held_lock_stops_writers_of_its_entity_alone_and_no_reader(
    holder: "subprocess.Popen[str]", storage: FilesystemStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filesystem, "_LOCK_SECONDS", 0.05)
    with pytest.raises(LockTimeoutError) as caught:
        storage.put(KEY, b"after", {})
    assert caught.value.lock.endswith("user/u-1%lock".replace("/", os.sep))
    assert "%lock" in str(caught.value)
    assert "u-1" not in str(caught.value)
    found = storage.get(KEY)
    assert found is not None
    assert found.data == b"before"
    assert keys(storage) == [KEY]
    storage.put("user/u-2/notes/a.md", b"another entity", {})


def test_the_lock_of_a_dead_process_blocks_nobody(
    holder: "subprocess.Popen[str]", root: Path, storage: FilesystemStorage
) -> None:
    holder.kill()
    holder.wait()
    assert (root / "user/u-1%lock").exists()
    storage.put(KEY, b"after", {})
    found = storage.get(KEY)
    assert found is not None
    assert found.data == b"after"


def test_writers_and_deleters_that_take_folders_from_under_each_other_lose_nothing(root: Path) -> None:
    """Each thread makes and deletes its own object; folders and lock files come and go all the time."""
    failures: list[BaseException] = []

    def churn(number: int) -> None:
        storage = FilesystemStorage(root, durable=False)
        key = f"user/u-{number % 2}/notes/{number}.md" if number < 6 else f"user/{number}"
        try:
            for turn in range(40):
                body = f"{turn}".encode()
                version = storage.put_if_version(key, body, {}, None)
                found = storage.get(key)
                assert found is not None
                assert (found.data, found.version) == (body, version)
                storage.delete_if_version(key, VersionToken(version))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=churn, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert [path.name for path in root.iterdir() if path.name != "user%lock"] == []
