"""The part of the transport suite about changes inside a file: appending, replacing, and the metadata beside them."""

from functools import partial
from typing import Any

from wenchang.errors import ReplaceFactMatchError
from wenchang.testing._transport_checks import (
    FACT,
    Memory,
    metadata,
    require,
    require_absent,
    require_conflict,
    require_refusal,
)

OTHER_FACT = "- [observed] Drafts in the morning."


class Appends:
    """One fact line more, at the version that was read."""

    def test_two_appends_at_one_version_are_one_append_and_a_conflict(self, memory: Memory) -> None:
        """And the retry at the conflict's version adds the line once."""
        start = memory.create("")
        first = memory.append(start, FACT)
        error = require_conflict(first, "a second append_line", lambda: memory.append(start, OTHER_FACT))
        memory.client.append_line(start.path, OTHER_FACT, error.version, source=memory.source)
        content = memory.client.read_file(start.path).content
        require(content == f"{FACT}\n{OTHER_FACT}\n", "a repeated append_line lost or doubled a line")

    def test_lines_are_separated(self, memory: Memory) -> None:
        """A newline is put in where the content does not end with one, and only there."""
        for number, (before, after) in enumerate(
            (("", f"{FACT}\n"), ("x", f"x\n{FACT}\n"), ("x\n", f"x\n{FACT}\n"), ("x\n\n", f"x\n\n{FACT}\n"))
        ):
            appended = memory.append(memory.create(before, memory.path(f"n{number}")), FACT)
            require(appended.content == after, f"append_line to {before!r} gave {appended.content!r}")
            memory.require_stands(appended, "after append_line")

    def test_append_never_creates(self, memory: Memory) -> None:
        """Not even at the version of another file."""
        version = memory.create("x", memory.path("other")).version
        path = memory.path()
        require_absent(
            path,
            "append_line to an absent file",
            lambda: memory.client.append_line(path, FACT, version, source=memory.source),
        )
        require_absent(path, "reading after append_line", lambda: memory.client.read_file(path))

    def test_only_one_fact_line_can_be_appended(self, memory: Memory) -> None:
        """No other text, and no two lines."""
        file = memory.create("x\n")
        error = ValueError("line must be a single fact line and source must be non-empty")
        for line in ("", "plain", "- [Stated] x", "- [stated] ", f"{FACT}\n", f"{FACT}\n{OTHER_FACT}"):
            require_refusal(error, f"append_line of {line!r}", partial(memory.append, file, line))
        memory.require_stands(file, "after refused appends")


class Replacements:
    """One span that occurs once."""

    def test_the_one_match_is_replaced(self, memory: Memory) -> None:
        """Literally: neither text is a pattern. An empty new text removes the span."""
        file = memory.create("a.b\na+b \\1\n")
        file = memory.exchange(file, "a+b \\1", "\\g<0> $1 {0}")
        require(file.content == "a.b\n\\g<0> $1 {0}\n", f"replace_fact gave {file.content!r}")
        file = memory.exchange(file, "a.b\n", "")
        require(file.content == "\\g<0> $1 {0}\n", f"an empty new_string gave {file.content!r}")
        memory.require_stands(file, "after replace_fact")

    def test_no_match_and_many_matches_are_told(self, memory: Memory) -> None:
        """With the content, and overlapping matches counted."""
        file = memory.create("aaa b b\n")
        for old, count in (("c", 0), ("b", 2), ("aa", 2), ("a", 3)):
            expected = ReplaceFactMatchError(file.path, file.content, file.version, count)
            require_refusal(expected, f"replace_fact with {count} matches", partial(memory.exchange, file, old, "x"))
        memory.require_stands(file, "after refused replacements")

    def test_a_stale_replacement_of_a_unique_span_is_applied_to_what_stands(self, memory: Memory) -> None:
        """Nothing of the newer content is lost."""
        stale = memory.create("a\nb\n")
        memory.replace(stale, "a\nc\n", metadata("newer", ("n",)))
        file = memory.exchange(stale, "a", "x")
        require(file.content == "x\nc\n", f"a stale replace_fact gave {file.content!r}")
        require(file.metadata.description == "newer", "a stale replace_fact lost the newer description")
        require(file.metadata.aliases == ("n",), "a stale replace_fact lost the newer aliases")
        memory.require_stands(file, "after a stale replace_fact")

    def test_a_stale_replacement_of_another_span_is_a_conflict(self, memory: Memory) -> None:
        """When it occurs no longer, or more than once."""
        stale = memory.create("a\n")
        newer = memory.replace(stale, "b b\n")
        for old in ("a", "b"):
            require_conflict(newer, "a stale replace_fact", partial(memory.exchange, stale, old, "x"))
        memory.require_stands(newer, "after a stale replace_fact")

    def test_nothing_cannot_be_replaced(self, memory: Memory) -> None:
        """An empty old text is a mistake of the caller."""
        file = memory.create("a")
        error = ValueError("old_string and source must be non-empty")
        require_refusal(error, "replace_fact of an empty text", lambda: memory.exchange(file, "", "x"))


class MetadataEdits:
    """Aliases are added, a description replaces, and what is left out stays."""

    def test_aliases_are_added_in_order(self, memory: Memory) -> None:
        """Stored ones first and as they were; new ones once each, exactly compared."""
        file = memory.create("a\n", given=metadata("d", ("b", "b", "a")))
        file = memory.append(file, FACT, aliases=["c", "a", "C", "c"])
        require(file.metadata.aliases == ("b", "b", "a", "c", "C"), f"append_line gave {file.metadata.aliases!r}")
        file = memory.exchange(file, "a\n", "x\n", aliases=("z", "b"))
        require(file.metadata.aliases == ("b", "b", "a", "c", "C", "z"), f"replace_fact gave {file.metadata.aliases!r}")
        memory.require_stands(file, "after aliases were added")

    def test_a_description_replaces(self, memory: Memory) -> None:
        """An empty one too."""
        file = memory.create("a\n", given=metadata("first"))
        file = memory.append(file, FACT, description="second")
        require(file.metadata.description == "second", "append_line kept the description")
        file = memory.exchange(file, "a\n", "b\n", description="")
        require(file.metadata.description == "", "replace_fact kept the description")
        memory.require_stands(file, "after a description was replaced")

    def test_what_is_left_out_stays(self, memory: Memory) -> None:
        """And no aliases given are no change."""
        file = memory.create("a\n", given=metadata("d", ("x",), frozenset({"one"})))
        file = memory.append(file, FACT)
        file = memory.append(file, OTHER_FACT, aliases=[])
        file = memory.exchange(file, "a\n", "b\n", aliases=(), description=None)
        kept = file.metadata.description, file.metadata.aliases, file.metadata.sources
        require(kept == ("d", ("x",), frozenset({"one", memory.source})), f"an edit changed the metadata to {kept!r}")

    def test_a_stale_replacement_adds_to_current_aliases(self, memory: Memory) -> None:
        """Not to those of the version that was read."""
        stale = memory.create("a\n", given=metadata("d", ("old",)))
        memory.replace(stale, "a\nb\n", metadata("d", ("new",)))
        file = memory.exchange(stale, "a", "x", aliases=["more"], description="latest")
        require(file.metadata.aliases == ("new", "more"), f"a stale replace_fact gave {file.metadata.aliases!r}")
        require(file.metadata.description == "latest", "a stale replace_fact dropped the description")

    def test_wrong_aliases_and_descriptions_are_told(self, memory: Memory) -> None:
        """Before anything is written."""
        file = memory.create("a\n")
        wrong: tuple[tuple[dict[str, Any], Exception], ...] = (
            ({"aliases": "ab"}, TypeError("aliases must be a sequence of str, not str")),
            ({"aliases": {"a"}}, TypeError("aliases must be a sequence of str, not set")),
            ({"aliases": ["a", 1]}, TypeError("aliases entry must be str, got int")),
            ({"description": 1}, TypeError("description must be a str, not int")),
            ({"description": "a\nb"}, ValueError("description must not contain a newline or carriage return")),
            ({"description": "a\rb"}, ValueError("description must not contain a newline or carriage return")),
        )
        for given, error in wrong:
            require_refusal(error, f"append_line with {given}", partial(memory.append, file, FACT, **given))
            require_refusal(error, f"replace_fact with {given}", partial(memory.exchange, file, "a", "b", **given))
        memory.require_stands(file, "after refused metadata")
