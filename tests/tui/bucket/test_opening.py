"""Opening a bucket: what it asks for, what a person reads when it fails, and what stays off the terminal."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.gcs.emulator import free_port
from tests.gcs.proxy import Fault, Proxy
from tests.tui.bucket.conftest import OpenBucket
from tests.tui.cli.conftest import Cli
from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.storage import ChildListing, VersionHistory
from wenchang.storage.gcs import GcsStorage
from wenchang_tui.cli import opening
from wenchang_tui.model.demo import build_demo
from wenchang_tui.model.problems import OpenError, describe
from wenchang_tui.model.read_only import ReadOnlyError
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.targets import UnknownTargetError, open_target


def problem_of(target: str) -> tuple[str, str, str]:
    with pytest.raises(OpenError) as refusal:
        open_target(target, Settings())
    problem = refusal.value.problem
    return problem.title, problem.sentence, problem.next_step


def test_opening_is_one_request(target: str, proxy: Proxy) -> None:
    workspace = open_target(target, Settings(page_size=7))
    assert proxy.kinds() == ["list"]
    assert (workspace.target, workspace.kind, workspace.root) == (target, "bucket", None)
    assert workspace.catalog.is_far
    assert workspace.catalog.scopes() == ()


def test_a_slash_behind_the_name_is_passed_over(target: str) -> None:
    assert open_target(f"{target}/", Settings()).target == target


def test_a_project_to_bill_reaches_every_request(target: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_QUOTA_PROJECT", "payer")
    storage = open_target(target, Settings()).storage
    version = storage.put_if_version("k", b"x", {}, None)
    storage.get("k")
    storage.delete_if_version("k", version)
    assert {seen.kind for seen in proxy.seen} == {"list", "upload", "metadata", "media", "delete"}
    assert {seen.query.get("userProject") for seen in proxy.seen} == {"payer"}


def test_a_bucket_that_bills_its_users_says_where_to_name_a_project(target: str, proxy: Proxy) -> None:
    proxy.faults = [Fault("list", status=400, message="Bucket is a requester pays bucket but no user project.")]
    title, _, next_step = problem_of(target)
    assert title == "Requester pays"
    assert "GOOGLE_CLOUD_QUOTA_PROJECT" in next_step


def test_what_cannot_be_opened_is_one_line_and_code_3(
    cli: Cli, target: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("tree", "gs://no-such-bucket").failed(3, "No such bucket", "'no-such-bucket'")
    cli("index", "gs://").failed(3, "Not a bucket name", "gs://NAME")
    cli("tree", f"{target}/user").failed(3, "Not a bucket name")
    proxy.faults = [Fault("list", status=403, message="nobody does not have storage.objects.list access")]
    cli("tree", target, "--json").failed(3, "No permission", "Storage Object User")
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"127.0.0.1:{free_port()}")
    cli("tree", target).failed(3, "Emulator not reached", "STORAGE_EMULATOR_HOST")


def test_a_person_at_a_terminal_sees_what_is_waited_for(
    cli: Cli, target: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "QUIET_SECONDS", 0)
    proxy.faults = [Fault("list", "answer"), Fault("list", status=503)]
    assert cli("tree", target).err == "", "a script hears nothing"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    proxy.faults = [Fault("list", "answer"), Fault("list", status=503)]
    heard = cli("tree", target).err
    assert heard == f"waiting for {target}, ctrl+c gives up\nretrying: Cloud Storage answered 503\n"


def test_kinds_that_are_not_known_are_told_from_those_that_are() -> None:
    with pytest.raises(UnknownTargetError, match="gs://BUCKET"):
        open_target("s3://bucket", Settings())


def test_a_read_only_bucket_refuses_changes_and_still_tells_levels_and_versions(open_bucket: OpenBucket) -> None:
    build_demo(open_bucket().storage)
    workspace = open_bucket(Settings(read_only=True))
    assert isinstance(workspace.storage, ChildListing)
    assert isinstance(workspace.storage, VersionHistory)
    assert workspace.catalog.scopes() == open_bucket().catalog.scopes()
    with pytest.raises(ReadOnlyError):
        workspace.storage.put("k", b"", {})
    with pytest.raises(ReadOnlyError):
        workspace.store.purge("user", workspace.catalog.entities("user")[0])


def test_what_the_service_refuses_later_is_said_in_plain_words(open_bucket: OpenBucket, proxy: Proxy) -> None:
    storage = open_bucket().storage
    titles = {}
    for status in (401, 403, 404, 412, 501):
        proxy.faults = [Fault("list", status=status, message="secret words of the service")]
        with pytest.raises(Exception, match=r"secret words|cannot be refreshed") as refusal:
            storage.list_page("", None, 1)
        problem = describe(refusal.value)
        assert "secret" not in f"{problem.sentence} {problem.next_step}"
        titles[status] = problem.title
    refused = "Refused by Cloud Storage"
    assert titles == {
        401: "No Google Cloud credentials",
        403: "No permission",
        404: "No such bucket",
        412: refused,
        501: refused,
    }


PROGRAM = """
import logging, sys, warnings
from wenchang_tui.cli.program import run
assert not [name for name in sys.modules if name.split(".")[0] == "google"]
code = run(["tree", sys.argv[1], "--json"])
logging.getLogger("google.auth").warning("of google")
logging.getLogger("urllib3.connectionpool").warning("of urllib3")
warnings.warn_explicit("of google", UserWarning, "x.py", 1, "google.auth._default")
sys.exit(code)
"""


def test_nothing_of_google_is_loaded_early_or_heard(target: str) -> None:
    command = [sys.executable, "-c", PROGRAM, target]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[3])
    assert (ended.returncode, ended.stderr) == (0, "")
    assert json.loads(ended.stdout) == {"target": target, "scopes": [], "problems": 0}


def test_commands_show_a_bucket_like_a_folder(cli: Cli, target: str, storage: GcsStorage) -> None:
    build_demo(storage)
    demo = cli("tree", "--demo", "--json").json
    found = cli("tree", target, "--json").json
    assert found["target"] == target
    assert without_versions(found["scopes"]) == without_versions(demo["scopes"])
    assert found["problems"] == demo["problems"]


def without_versions(value: object) -> object:
    if isinstance(value, dict):
        return {key: without_versions(item) for key, item in value.items() if key != "version"}
    return [without_versions(item) for item in value] if isinstance(value, list) else value


def test_index_and_show_read_a_bucket(cli: Cli, target: str, storage: GcsStorage) -> None:
    metadata = FileMetadata("what it is", ("alias",), frozenset(), datetime(2026, 1, 1, tzinfo=UTC))
    written = MemoryStore(storage).write_file("user/u/notes/n.md", "text", metadata, None, source="test")
    shown = cli("show", target, "user/u/notes/n", "--json").json
    assert (shown["content"], shown["version"], shown["aliases"]) == ("text", written.version, ["alias"])
    index = cli("index", target, "--json").json
    assert [(entry["entity"], entry["version"]) for entry in index["entries"]] == [("u", written.version)]
