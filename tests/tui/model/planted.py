"""A store with 40 faults of every kind that a store can have, planted beside files that are sound."""

import json
import os
import time
from pathlib import Path

from wenchang.storage import Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model.findings import Kind
from wenchang_tui.model.settings import Settings

LIMITS = Settings(source="person", max_file_bytes=64, max_files=10)
GOOD = {"description": "Salt roads", "aliases": "[]", "sources": "[]", "last-updated": "2026-01-01T00:00:00Z"}
FACT = b"- [stated] Salt pays the river toll.\n"
_MANY = json.dumps([f"another name {number}" for number in range(500)])
_LONG_AGO = 7_200

OBJECTS: tuple[tuple[Kind, str, bytes, dict[str, str]], ...] = (
    (Kind.MALFORMED_METADATA, "user/broken/notes/none.md", FACT, {}),
    (Kind.MALFORMED_METADATA, "user/broken/notes/half.md", FACT, {"description": "Half"}),
    (Kind.MALFORMED_METADATA, "user/broken/notes/aliases.md", FACT, {**GOOD, "aliases": "salt, road"}),
    (Kind.MALFORMED_METADATA, "user/broken/notes/sources.md", FACT, {**GOOD, "sources": "{}"}),
    (Kind.MALFORMED_METADATA, "user/broken/notes/time.md", FACT, {**GOOD, "last-updated": "yesterday"}),
    (Kind.MALFORMED_METADATA, "user/broken/system/lines.md", FACT, {**GOOD, "description": "Two\nlines"}),
    (Kind.NOT_A_PATH, "stray/stray/stray", FACT, GOOD),
    (Kind.NOT_A_PATH, "project/lost/a.md", FACT, GOOD),
    (Kind.NOT_A_PATH, "project/lost/notes/deep/a.md", FACT, GOOD),
    (Kind.NOT_A_PATH, "project/lost/notes/a.txt", FACT, GOOD),
    (Kind.NOT_UTF8, "user/bytes/notes/latin.md", b"caf\xe9", GOOD),
    (Kind.NOT_UTF8, "user/bytes/system/wide.md", b"\xff\xfea\x00", GOOD),
    (Kind.TOO_LARGE, "user/large/notes/lines.md", FACT * 5, GOOD),
    (Kind.TOO_LARGE, "user/large/notes/line.md", b"x" * 65, GOOD),
    (Kind.METADATA_TOO_LARGE, "user/wide/notes/words.md", FACT, {**GOOD, "description": "long " * 2_000}),
    (Kind.METADATA_TOO_LARGE, "user/wide/notes/names.md", FACT, {**GOOD, "aliases": _MANY}),
    (Kind.DUPLICATE_ALIAS, "user/twice/notes/a.md", FACT, {**GOOD, "aliases": '["salt", "Salt"]'}),
    (Kind.DUPLICATE_ALIAS, "user/twice/notes/b.md", FACT, {**GOOD, "aliases": '["x", "y", "x"]'}),
    (Kind.SHARED_ALIAS, "user/shared/notes/b.md", FACT, {**GOOD, "aliases": '["ROAD", "b"]'}),
    (Kind.SHARED_ALIAS, "user/shared/system/c.md", FACT, {**GOOD, "aliases": '["road"]'}),
    (Kind.VAGUE_DESCRIPTION, "user/vague/notes/empty.md", FACT, {**GOOD, "description": ""}),
    (Kind.VAGUE_DESCRIPTION, "user/vague/notes/misc.md", FACT, {**GOOD, "description": "Misc. notes"}),
    (Kind.VAGUE_DESCRIPTION, "user/vague/system/todo.md", b"no fact\n", {**GOOD, "description": "TODO"}),
    (Kind.SAME_LOOKING, "user/looks/notes/caf\u00e9.md", FACT, GOOD),
    (Kind.SAME_LOOKING, "user/looks/system/s\u0430lt.md", FACT, GOOD),
    (Kind.UNREACHABLE, "user/reach/My Notes/a.md", FACT, GOOD),
    (Kind.UNREACHABLE, "user/reach/notes/a\u200b.md", FACT, GOOD),
    (Kind.UNREACHABLE, "user/reach/Notes/b.md", FACT, GOOD),
    (Kind.SYNC_CONFLICT, "user/synced/notes/a.sync-conflict-20260101-120000-ABCDEFG.md", FACT, GOOD),
    (Kind.SYNC_CONFLICT, "user/synced/notes/a (Lin's conflicted copy 2026-01-01).md", FACT, GOOD),
)
COUNTED = ((Kind.FILE_CAP, "user/full/", 10), (Kind.NEAR_FILE_CAP, "user/near/", 9))
BESIDE: tuple[tuple[Kind, str], ...] = (
    (Kind.LONE_BODY, "user/halves/notes/body.md%obj"),
    (Kind.LONE_BODY, "user/halves/system/b%20c.md%obj"),
    (Kind.LEFTOVER, "user/halves/notes/sidecar.md%meta"),
    (Kind.LEFTOVER, "user/halves/notes/record.md%next"),
    (Kind.LEFTOVER, "user/halves/notes/no key.md%obj"),
    (Kind.LEFTOVER, "user/halves/%tmp-0123456789abcdef"),
    (Kind.SYNC_CONFLICT, "user/halves/notes/a.md%obj (1)"),
    (Kind.SYNC_CONFLICT, "user/halves/notes/a.sync-conflict-20260101-120000-ABCDEFG.md%obj"),
)
BY_THEMSELVES = tuple((kind, key) for kind, key, _, _ in OBJECTS)
IN_OBJECTS = (*BY_THEMSELVES, *((kind, prefix) for kind, prefix, _ in COUNTED))
"""What is to be found in a store of any kind."""
IN_FOLDER = (*IN_OBJECTS, *BESIDE)
"""What is to be found in a folder."""

_SOUND = (
    *(("user/" + entity + "/notes/a.md", "[]") for entity in ("synced", "bytes", "halves", "calm")),
    ("user/looks/notes/cafe\u0301.md", "[]"),
    ("user/looks/system/salt.md", "[]"),
    ("user/shared/notes/a.md", '["road", "way"]'),
    ("user/other/notes/a.md", '["road"]'),
)


def plant(storage: Storage) -> None:
    """The faults of objects, and sound files beside them."""
    for key, aliases in _SOUND:
        storage.put(key, FACT, {**GOOD, "aliases": aliases})
    for _, key, data, metadata in OBJECTS:
        storage.put(key, data, metadata)
    for _, prefix, count in COUNTED:
        for number in range(count):
            storage.put(f"{prefix}notes/{number}.md", FACT, GOOD)
            storage.put(f"{prefix}system/{number}.md", FACT, GOOD)


def plant_folder(root: Path) -> None:
    """All the faults, those beside the objects included."""
    plant(FilesystemStorage(root, durable=False))
    long_ago = time.time() - _LONG_AGO
    for _, name in BESIDE:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(FACT)
        os.utime(path, (long_ago, long_ago))


SOUND_FILES = 2_000
_BODIES = (
    "- [stated] Salt pays the river toll.\n- [inferred] Silver does not. [2026-01-01]\n",
    "# Heading\r\n\r\nplain text\r\n- [stated] \u5869 and \u00e9t\u00e9, \u05e9\u05dc\u05d5\u05dd \U0001f30a\r\n",
    "\ufeffone\u2028two\x85three\x0bfour\x0cfive\rsix",
    "",
    "x" * 16_384,
)
_NAMES = ("day-{}", "\u5869-{}", "\u00e9t\u00e9 {}", "Lin's {} (draft)", "v1.{}")


def sow(storage: Storage) -> None:
    """Files that are all sound, up to a limit here and there: five entities in two scopes, six areas each."""
    for number in range(SOUND_FILES):
        scope, entity = ("user", "project")[number % 2], f"e{number % 5}"
        area = ("system", "notes", "people", "work_log", "2026", "a-b")[number % 6]
        key = f"{scope}/{entity}/{area}/{_NAMES[number % 7 % 5].format(number)}.md"
        metadata = {
            **GOOD,
            "description": f"What day {number} brought",
            "aliases": json.dumps([f"day {number}", f"\u65e5 {number}"][: number % 3]),
            "sources": json.dumps(["agent", "person"][: number % 3]),
        }
        storage.put(key, _BODIES[number % 11 % 5].encode(), metadata)
