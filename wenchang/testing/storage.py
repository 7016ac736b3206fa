"""The suite that any storage must pass: every line of the contract in `wenchang.storage`, checked from outside.

It knows nothing of how a back end works and needs no clock, no network and no patching. Each test starts from a fresh
and empty storage. Keys stay moderate, because a back end may refuse what its medium cannot spell: with `ValueError`, or
with `NameTooLongError`, before anything is written.
"""

from collections.abc import MutableMapping
from types import MappingProxyType

from wenchang.errors import NameTooLongError
from wenchang.storage import ListedObject, Storage
from wenchang.testing._storage_checks import (
    all_rows,
    listed_keys,
    object_at,
    only_row,
    refused,
    require,
    require_object,
)
from wenchang.testing._storage_races import StorageRaces
from wenchang.version_token import VersionToken

BODIES = (
    b"",
    b"\n",
    b"- [stated] a\n- [observed] b",
    b"a\r\nb\rc\x0b\x0c\x1c\n\n",
    b"\xef\xbb\xbfwith a byte-order mark",
    b"\xff\xfe\x00 not UTF-8 \xc3",
    b"{}\x00\x1a",
    bytes(range(256)) * 40,
)

TEXTS = (
    "",
    " ",
    "  edges \t",
    "two\nlines",
    "three\r\nmore\rlines\n",
    "\x00\x07\x1b\x7f\x85\u2028",
    "caf\u00e9, cafe\u0301, 乔, \U0001f600",
    "%, %41, %zz, 100%25, a+b, ?x=1&y#z",
    "=?utf-8?q?caf=C3=A9?=, \\n, \\u00e9, &amp;",
    '["Qiao", "Lin"] {"a": "b"}',
    "x" * 2000,
)

KEYS = (
    "k",
    "a",
    "a-b",
    "a/b",
    "a/b.md",
    "a/b.md.bak",
    "a/b/c",
    "a//b",
    "/lead",
    "trail/",
    "r0after",
    "p 1",
    "p%201",
    "100%",
    "100%25",
    "%",
    "+&?#=*",
    "con",
    "dot.",
    "caf\u00e9",
    "cafe\u0301",
    "乔",
    "\uff5a",
    "\U0001f600",
)

STRANGE_KEYS = ("", ".", "..", "a/../b", "a/./b", "~", "a\\b", "a\nb", "a\rb", "a\x00b", "\ud800", "k" * 300)


class _RoundTrips:
    """What is put is what is read."""

    def test_is_a_storage(self, storage: Storage) -> None:
        """It has the methods of the protocol."""
        require(isinstance(storage, Storage), "a method of the protocol is missing")

    def test_a_fresh_storage_is_empty(self, storage: Storage) -> None:
        """Nothing is listed, nothing is read."""
        require(not listed_keys(storage), "the storage supplied by the fixture is not empty")
        require(storage.get("k") is None, "get of an absent key is not None")

    def test_bodies_are_kept_byte_for_byte(self, storage: Storage) -> None:
        """Line ends, marks, zero bytes, what is not UTF-8, and nothing at all."""
        for data in BODIES:
            storage.put("k", data, {"a": "b"})
            found = object_at(storage, "k").data
            require(type(found) is bytes and found == data, f"the body {data[:24]!r} was not kept")

    def test_metadata_is_kept_character_for_character(self, storage: Storage) -> None:
        """Line breaks, control characters, edge spaces, other scripts, per cent signs, on reading and on listing."""
        for text in TEXTS:
            storage.put("k", b"", {"description": text, "last-updated": text})
            given = {"description": text, "last-updated": text}
            require(dict(object_at(storage, "k").metadata) == given, f"get changed the metadata text {text[:24]!r}")
            require(dict(only_row(storage).metadata) == given, f"list_page changed the metadata text {text[:24]!r}")

    def test_an_empty_map_is_kept(self, storage: Storage) -> None:
        """No metadata is metadata too."""
        storage.put("k", b"x", {})
        require(dict(object_at(storage, "k").metadata) == {}, "empty metadata was not read back empty")
        require(dict(only_row(storage).metadata) == {}, "empty metadata was not listed empty")

    def test_put_replaces_the_whole_object(self, storage: Storage) -> None:
        """A shorter body and fewer metadata keys leave nothing of the old ones, with and without a version."""
        storage.put("k", b"a long body", {"a": "1", "b": "2"})
        version = storage.put("k", b"short", {"b": "3"})
        require_object(storage, "k", b"short", {"b": "3"})
        storage.put_if_version("k", b"", {"c": "4"}, version)
        require_object(storage, "k", b"", {"c": "4"})

    def test_keys_of_every_kind_are_kept(self, storage: Storage) -> None:
        """Also where one is the beginning, the folder or the encoding of another."""
        for key in KEYS:
            storage.put(key, key.encode(), {"key": key})
        for key in KEYS:
            require_object(storage, key, key.encode(), {"key": key})
        require(listed_keys(storage) == sorted(KEYS), "the keys listed are not the keys put")

    def test_a_strange_key_is_kept_or_refused(self, storage: Storage) -> None:
        """Never changed, never half stored."""
        kept = []
        for key in STRANGE_KEYS:
            try:
                storage.put(key, b"strange", {"key": repr(key)})
            except (ValueError, NameTooLongError):
                continue
            kept.append(key)
            require_object(storage, key, b"strange", {"key": repr(key)})
        require(listed_keys(storage) == sorted(kept), "the keys listed are not the keys that were accepted")

    def test_only_the_exact_key_is_read(self, storage: Storage) -> None:
        """Neither a prefix, nor another case, nor another spelling of it."""
        storage.put("a/caf\u00e9 1", b"x", {})
        for other in ("a", "a/", "a/caf\u00e9", "a/caf\u00e9 1/", "a/cafe\u0301 1", "a/Caf\u00e9 1", "a/caf%C3%A9%201"):
            require(storage.get(other) is None, f"get({other!r}) found an object put under another key")

    def test_the_mapping_is_copied_in(self, storage: Storage) -> None:
        """What the caller does to it afterwards changes nothing; a read-only mapping will do."""
        given = {"a": "1"}
        version = storage.put("k", b"x", given)
        given["a"] = "changed"
        require_object(storage, "k", b"x", {"a": "1"})
        given = {"a": "2"}
        storage.put_if_version("k", b"x", given, version)
        given.clear()
        require_object(storage, "k", b"x", {"a": "2"})
        storage.put("k", b"x", MappingProxyType({"a": "3"}))
        require_object(storage, "k", b"x", {"a": "3"})

    def test_copies_of_the_mapping_are_handed_out(self, storage: Storage) -> None:
        """Writing into one changes nothing, and it does not follow later writes."""
        storage.put("k", b"x", {"a": "1"})
        for metadata in (object_at(storage, "k").metadata, only_row(storage).metadata):
            if isinstance(metadata, MutableMapping):
                metadata["a"] = "changed"
            require_object(storage, "k", b"x", {"a": "1"})
        read, listed = object_at(storage, "k"), only_row(storage)
        storage.put("k", b"y", {"a": "2"})
        require(dict(read.metadata) == {"a": "1"}, "metadata already read changed with a later put")
        require(dict(listed.metadata) == {"a": "1"}, "metadata already listed changed with a later put")


class _Versions:
    """Versions are new with every write, and guard the next one."""

    def test_every_method_tells_the_same_version(self, storage: Storage) -> None:
        """The one returned by a put is read, listed, and accepted."""
        for version in (storage.put("k", b"1", {}), storage.put_if_version("new", b"2", {}, None)):
            require(isinstance(version, str), "a version is not a str")
            listed = {row.version for row in storage.list_page("", None, 10)}
            read = {found.version for key in listed_keys(storage) if (found := storage.get(key))}
            require(version in read, "get tells another version than the put that wrote the object")
            require(version in listed, "list_page tells another version than the put that wrote the object")
        version = storage.put_if_version("k", b"3", {}, object_at(storage, "k").version)
        require(object_at(storage, "k").version == version, "put_if_version returned another version than get tells")
        storage.delete_if_version("k", version)
        storage.delete_if_version("new", only_row(storage).version)
        require(not listed_keys(storage), "deleted objects are still listed")

    def test_every_put_makes_a_new_version(self, storage: Storage) -> None:
        """Also one that changes nothing."""
        versions = [storage.put("k", b"same", {"a": "b"}) for _ in range(5)]
        versions.append(storage.put_if_version("k", b"same", {"a": "b"}, versions[-1]))
        require(len(set(versions)) == len(versions), "two puts of one object share a version")

    def test_versions_are_not_reused_after_a_delete(self, storage: Storage) -> None:
        """An object deleted and created again has none of its former versions, however often."""
        versions: list[VersionToken] = []
        for create in range(4):
            versions.append(storage.put_if_version("k", b"1", {}, None))
            versions.extend(storage.put("k", b"2", {}) for _ in range(create))
            storage.delete_if_version("k", versions[-1])
        require(len(set(versions)) == len(versions), "a version came back after a delete")

    def test_create_needs_an_absent_object(self, storage: Storage) -> None:
        """An expected version of `None` never replaces, and creates again after a delete."""
        version = storage.put_if_version("k", b"1", {"a": "1"}, None)
        with refused(storage, "k", "put_if_version(None) over an object"):
            storage.put_if_version("k", b"2", {}, None)
        storage.delete_if_version("k", version)
        require(storage.get("k") is None, "a deleted object is still read")
        storage.put_if_version("k", b"3", {"a": "3"}, None)
        require_object(storage, "k", b"3", {"a": "3"})

    def test_replace_needs_the_current_version(self, storage: Storage) -> None:
        """A former version is refused, also after a delete, and nothing has changed."""
        former = storage.put("k", b"1", {})
        current = storage.put_if_version("k", b"2", {"a": "2"}, former)
        with refused(storage, "k", "put_if_version at a former version"):
            storage.put_if_version("k", b"3", {}, former)
        storage.delete_if_version("k", current)
        for version in (former, current):
            with refused(storage, "k", "put_if_version at a version of a deleted object"):
                storage.put_if_version("k", b"3", {}, version)
        storage.put("k", b"4", {})
        for version in (former, current):
            with refused(storage, "k", "put_if_version at a version from before the delete"):
                storage.put_if_version("k", b"3", {}, version)

    def test_delete_needs_the_current_version(self, storage: Storage) -> None:
        """A former version is refused, an absent object too; other objects stay."""
        storage.put("k2", b"stays", {})
        former = storage.put("k", b"1", {})
        current = storage.put("k", b"2", {})
        with refused(storage, "k", "delete_if_version at a former version"):
            storage.delete_if_version("k", former)
        storage.delete_if_version("k", current)
        require(listed_keys(storage) == ["k2"], "delete_if_version did not delete exactly its object")
        with refused(storage, "k", "delete_if_version of an absent object"):
            storage.delete_if_version("k", current)

    def test_an_unrecognised_version_is_a_mismatch(self, storage: Storage) -> None:
        """Never parsed leniently, never an error of its own, and never taken for `None`."""
        for wrong in _near(storage.put("k", b"1", {"a": "1"})):
            for key in ("k", "absent"):
                with refused(storage, key, f"put_if_version at {wrong!r}"):
                    storage.put_if_version(key, b"2", {}, wrong)
                with refused(storage, key, f"delete_if_version at {wrong!r}"):
                    storage.delete_if_version(key, wrong)

    def test_writes_leave_other_objects_alone(self, storage: Storage) -> None:
        """Their versions too, so that a reader's version of one is good whatever happens to another."""
        version = storage.put("a/b", b"1", {"a": "1"})
        for other in ("a", "a/b.md", "a/b/c", "a/bc"):
            storage.delete_if_version(other, storage.put(other, b"2", {}))
            storage.put(other, b"3", {})
        require_object(storage, "a/b", b"1", {"a": "1"})
        require(object_at(storage, "a/b").version == version, "writing other objects changed an object's version")


class _Listings:
    """Keys by plain text, in the order of Python strings, a page at a time."""

    def test_rows_tell_what_get_tells(self, storage: Storage) -> None:
        """Key, metadata and version; and the size of the body, where it is told at all."""
        for number, key in enumerate(("a/1", "a/2", "b")):
            storage.put(key, b"x" * number, {"n": str(number)})
        for row in all_rows(storage):
            found = object_at(storage, row.key)
            require(type(row) is ListedObject, "a row is not a ListedObject")
            require(dict(row.metadata) == dict(found.metadata), "list_page and get tell different metadata")
            require(row.version == found.version, "list_page and get tell different versions")
            require(row.size in (None, len(found.data)), "list_page tells a wrong size")

    def test_rows_follow_every_write(self, storage: Storage) -> None:
        """A replaced object is listed as it is now, a deleted one no more."""
        storage.put("a", b"1", {"n": "1"})
        version = storage.put("a", b"2", {"n": "2"})
        require(only_row(storage).version == version, "a replaced object is listed at a former version")
        require(dict(only_row(storage).metadata) == {"n": "2"}, "a replaced object is listed with former metadata")
        storage.delete_if_version("a", version)
        require(not listed_keys(storage), "a deleted object is still listed")

    def test_keys_ascend_as_python_strings(self, storage: Storage) -> None:
        """Not as folders, not as encoded, not without case, not in UTF-16."""
        expected = ["B", "a", "a b", "a%20b", "a-b", "a.b", "a/b", "a/b-c", "a/b/c", "a0", "aB", "ab", "\u00e9"]
        expected += ["\uff5a", "\U0001f600"]
        for key in reversed(expected[::2]):
            storage.put(key, b"", {})
        for key in expected[1::2]:
            storage.put(key, b"", {})
        require(listed_keys(storage) == expected, "keys are not listed in the order of Python strings")

    def test_a_prefix_is_plain_text(self, storage: Storage) -> None:
        """Neither a folder nor a pattern, and of the key as it is spelt, not as it is stored."""
        for key in KEYS:
            storage.put(key, b"", {})
        for prefix in ("", "a", "a/", "a/b", "a/b.", "a//", "/", "p", "p%", "p ", "100%2", "caf", "cafe", "A", "*"):
            expected = [key for key in sorted(KEYS) if key.startswith(prefix)]
            require(listed_keys(storage, prefix) == expected, f"the prefix {prefix!r} lists the wrong keys")

    def test_a_listing_starts_strictly_after_a_key(self, storage: Storage) -> None:
        """Whether or not that key exists, is deleted, or lies outside the prefix."""
        keys = ["a/1", "a/3", "a/5", "b"]
        for key in keys:
            storage.put(key, b"", {})
        storage.delete_if_version("a/4", storage.put("a/4", b"", {}))
        for after in ("", "a", "a/", "a/1", "a/1\x01", "a/2", "a/3", "a/4", "a/5", "a/6", "b", "c", "\U0001f600"):
            for prefix in ("", "a/"):
                page = [row.key for row in storage.list_page(prefix, after, 10)]
                expected = [key for key in keys if key.startswith(prefix) and key > after]
                require(page == expected, f"the wrong keys of {prefix!r} are listed after {after!r}")

    def test_a_page_is_at_most_the_limit(self, storage: Storage) -> None:
        """And holds the first ones, all of them where they fit."""
        keys = [f"k{number}" for number in range(5)]
        for key in keys:
            storage.put(key, b"", {})
        for limit in (1, 2, 4, 5, 6, 1000):
            page = [row.key for row in storage.list_page("k", None, limit)]
            require(page == keys[:limit], f"a page of {limit} does not hold the first {limit} keys")

    def test_paging_drains_exactly(self, storage: Storage) -> None:
        """Every key once, whatever the size of the page."""
        for key in KEYS:
            storage.put(key, b"", {})
        for limit in (1, 2, 5, len(KEYS), len(KEYS) + 1):
            drained: list[str] = []
            while page := storage.list_page("", drained[-1] if drained else None, limit):
                drained += [row.key for row in page]
                require(len(drained) <= len(KEYS), "paging lists a key twice")
            require(drained == sorted(KEYS), f"pages of {limit} do not add up to the whole listing")

    def test_paging_goes_on_from_a_deleted_key(self, storage: Storage) -> None:
        """Deleting what was listed, page by page, empties the storage."""
        for number in range(7):
            storage.put(f"k{number}", b"", {})
        after = None
        while page := storage.list_page("k", after, 3):
            for row in page:
                storage.delete_if_version(row.key, row.version)
            after = page[-1].key
        require(not listed_keys(storage), "deleting page by page left something out")


class StorageConformance(_RoundTrips, _Versions, _Listings, StorageRaces):
    """The contract of `wenchang.storage.Storage`, as tests. Core, section 5.1.

    Subclass it under a name that pytest collects and supply a fixture `storage` that is fresh and empty for each test:

        class TestMyStorage(StorageConformance):
            @pytest.fixture
            def storage(self) -> Storage:
                return MyStorage()
    """


def _near(version: VersionToken) -> list[VersionToken]:
    """Texts that a lenient reader could take for `version`, for no version, or for a number."""
    wide = version.translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"})
    spellings = {f"{version}\n", f"{version} ", f" {version}", f"0{version}", f"+{version}", version + version, wide}
    spellings |= {version[:-1], version.upper(), version.title(), f"{version}.0", "", "0", "007", "-1", "abc", "None"}
    return [VersionToken(text) for text in sorted(spellings - {str(version)})]
