"""The seven tools of one session: what an agent calls, bound to the caller's identity.

A method's docstring is what the agent reads of it, so these are written for an agent, each to stand on its own. Checks
run in one order everywhere: location, permission, remaining arguments, client. Agent layer, sections 4.1 and 4.2.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from wenchang._types import exact_str, really, type_name
from wenchang.core import ListCursor, ListPage, MemoryFile, MemoryIndex
from wenchang.errors import InvalidArgumentError
from wenchang.file_format import FileMetadata, MetadataFormatError
from wenchang.identity import Identity, IdentityResolver, resolve_identity
from wenchang.scope import ScopePolicy, check_write
from wenchang.tools.arguments import (
    alias_list,
    exact_text,
    fact_line,
    file_path,
    listing_prefix,
    one_line_description,
    quoted_text,
    utf8_text,
    version_token,
)
from wenchang.tools.descriptions import checked_product, describe
from wenchang.transport import TransportClient

TOOL_NAMES = (
    "get_memory_index",
    "read_file",
    "list_prefix",
    "write_file",
    "append_line",
    "replace_fact",
    "delete_file",
)
"""The tools, in the order in which they are always listed."""

_UNUSED_TIME = datetime(1970, 1, 1, tzinfo=UTC)  # a store stamps its own time on every write


class MemoryTools:
    """The tools of one session: one client, one identity, one policy.

    `source` names the product in every file it writes; `product` names it in the tool descriptions. Raises `TypeError`
    or `ValueError` for what a host got wrong; what an agent gets wrong is a `wenchang.errors.InvalidArgumentError`.
    """

    def __init__(
        self,
        client: TransportClient,
        identity: Identity,
        policy: ScopePolicy,
        *,
        source: str,
        product: str | None = None,
    ) -> None:
        if not isinstance(client, TransportClient):
            raise TypeError("client must satisfy TransportClient")
        if not really(identity, Identity):
            raise TypeError(f"identity must be an Identity, not {type_name(identity)}")
        if not really(policy, ScopePolicy):
            raise TypeError(f"policy must be a ScopePolicy, not {type_name(policy)}")
        if not really(source, str):
            raise TypeError(f"source must be a str, not {type_name(source)}")
        if not exact_str(source):
            raise ValueError("source must be non-empty")
        self._client = client
        self._identity = identity
        self._policy = policy
        self._source = exact_str(source)
        self._product = checked_product(product)

    @property
    def client(self) -> TransportClient:
        """How these tools reach the store."""
        return self._client

    @property
    def identity(self) -> Identity:
        """On whose behalf these tools act."""
        return self._identity

    @property
    def policy(self) -> ScopePolicy:
        """Which roles may write where."""
        return self._policy

    @property
    def source(self) -> str:
        """The product, as files name it."""
        return self._source

    @property
    def product(self) -> str | None:
        """The product, as descriptions name it."""
        return self._product

    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The tools by name, in the order of `TOOL_NAMES`."""
        return MappingProxyType({name: getattr(self, name) for name in TOOL_NAMES})

    def descriptions(self) -> Mapping[str, str]:
        """What an agent reads of each tool, in the order of `TOOL_NAMES`."""
        return tool_descriptions(self._product)

    def get_memory_index(self) -> MemoryIndex:
        """Load the index of a memory that outlasts this conversation; call this before any other memory tool.

        There is one entry for each file, with its description, aliases, sources, time of the last change and version,
        but without its content: fetch that with read_file.

        A file is named by three parts. The scope says whose memory it is, the area is a topic within the scope, the
        name is the file's own. Use them exactly as an entry shows them. A name goes without `.md`. The owner within a
        scope is filled in for you and is never an argument. Areas are lowercase ASCII slugs: a letter or digit first,
        then letters, digits, `-` or `_`. You may open an area by writing the first file in it.

        The area `system/` of any scope is curated by people: read it, but never write to it.

        When memory is larger than the index may be, `capped` tells how many files of which scope and area were left
        out. Page through those with list_prefix(scope, area).
        """
        # From the grants themselves: a subclass of Identity could redirect its methods.
        entities = {scope: grant.entity_id for scope, grant in self._identity.grants.items()}
        return self._client.get_memory_index(entities)

    def read_file(self, scope: str, area: str, name: str) -> MemoryFile:
        """Read a memory file.

        Returns its content, description, aliases, sources, time of the last change, and the version that every later
        change of this file asks for. Any area may be read, `system/` included.
        """
        return self._client.read_file(file_path(self._identity, scope, area, name))

    def list_prefix(self, scope: str, area: str | None = None, cursor: str | None = None) -> ListPage:
        """List the files in one area of a memory scope, or in the whole scope, page by page.

        Entries are those of the index: description, aliases and version, but no content. While `next_cursor` is not
        null there is more: call again with it as `cursor` and with the same scope and area. A page may be short, or
        even empty, before the last one.
        """
        prefix = listing_prefix(self._identity, scope, area)
        if cursor is None:
            return self._client.list_prefix(prefix)
        position = ListCursor(exact_text("cursor", cursor))
        try:
            return self._client.list_prefix(prefix, position)
        except (MetadataFormatError, UnicodeDecodeError):
            raise  # both are ValueErrors, and about stored data instead of the cursor
        except ValueError as error:
            # The store's own text shows the prefix, and in it the entity.
            detail = "cursor is not valid for this scope and area; list again without a cursor"
            raise InvalidArgumentError("cursor", detail) from error

    def write_file(
        self,
        scope: str,
        area: str,
        name: str,
        content: str,
        description: str,
        aliases: Sequence[str],
        expected_version: str | None,
    ) -> MemoryFile:
        """Create a memory file, or replace a whole one.

        To create, pass null as `expected_version`; to replace, pass the version you read. The content, the description
        (one line that says what the file is about) and the aliases (other names the subject goes by) replace what was
        there; nothing is merged, so repeat whatever should stay.

        A file may hold a limited number of bytes. A larger one is rejected, with its size and the limit: split the
        subject into several files.

        Conflicts are expected: someone else may have changed or created the file meanwhile. The error then carries the
        current content and version. Work your change into that content and call again with that version.
        """
        path = self._writable_path(scope, area, name)
        body = utf8_text("content", content)
        metadata = FileMetadata(
            one_line_description(description), alias_list(aliases), frozenset(), last_updated=_UNUSED_TIME
        )
        version = None if expected_version is None else version_token(expected_version)
        return self._client.write_file(path, body, metadata, version, source=self._source)

    def append_line(
        self,
        scope: str,
        area: str,
        name: str,
        line: str,
        expected_version: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """Add one fact line at the end of a memory file that exists.

        A fact line carries a label in brackets: [stated] for what the user said, [observed] for what you saw,
        [inferred] for what you concluded; [system] marks curated facts. For example:
        `- [stated] Prefers short chapters.`

        Pass the version you read as `expected_version`. The size limit of a file applies to the outcome.

        Given `aliases` are added to those the file has, and none is ever removed; to replace the whole set use
        write_file. A given `description` replaces the old one; leave it out to keep that.

        Conflicts are expected: someone else may have changed the file meanwhile. The error then carries the current
        content and version. Work your change into that content and call again with that version, unless the line is
        there already.
        """
        path = self._writable_path(scope, area, name)
        return self._client.append_line(
            path,
            fact_line(line),
            version_token(expected_version),
            source=self._source,
            aliases=None if aliases is None else alias_list(aliases),
            description=None if description is None else one_line_description(description),
        )

    def replace_fact(
        self,
        scope: str,
        area: str,
        name: str,
        old_string: str,
        new_string: str,
        expected_version: str,
        aliases: Sequence[str] | None = None,
        description: str | None = None,
    ) -> MemoryFile:
        """Change one passage of a memory file, quoting it.

        `old_string` must occur exactly once in the content; `new_string` takes its place, and an empty one removes it.
        When `old_string` occurs more than once, or not at all, the error carries the content and version, so that you
        can quote a passage that is unique.

        Pass the version you read as `expected_version`. The size limit of a file applies to the outcome.

        Given `aliases` are added to those the file has, and none is ever removed; to replace the whole set use
        write_file. A given `description` replaces the old one; leave it out to keep that.

        Conflicts are expected: someone else may have changed the file meanwhile. The error then carries the current
        content and version. Work your change into that content and call again with that version.
        """
        path = self._writable_path(scope, area, name)
        return self._client.replace_fact(
            path,
            quoted_text(old_string),
            utf8_text("new_string", new_string),
            version_token(expected_version),
            source=self._source,
            aliases=None if aliases is None else alias_list(aliases),
            description=None if description is None else one_line_description(description),
        )

    def delete_file(self, scope: str, area: str, name: str, expected_version: str) -> None:
        """Delete a memory file for good.

        Pass the version you read as `expected_version`.

        Conflicts are expected: someone else may have changed the file meanwhile. The error then carries the current
        content and version. Fold what that change means into your decision: call again with that version only if the
        file should still go.
        """
        path = self._writable_path(scope, area, name)
        self._client.delete_file(path, version_token(expected_version))

    def _writable_path(self, scope: str, area: str, name: str) -> str:
        path = file_path(self._identity, scope, area, name)
        check_write(path, self._identity, self._policy)
        return path


def bind_tools(
    client: TransportClient,
    resolver: IdentityResolver[Any],
    credentials: object,
    policy: ScopePolicy,
    *,
    source: str,
    product: str | None = None,
) -> MemoryTools:
    """The tools for whoever `credentials` belong to; the credentials themselves are not kept.

    Raises `wenchang.errors.ResolverFailureError`, then what `MemoryTools` raises.
    """
    identity = resolve_identity(resolver, credentials)
    return MemoryTools(client, identity, policy, source=source, product=product)


def tool_descriptions(product: str | None = None) -> Mapping[str, str]:
    """What an agent reads of each tool, in the order of `TOOL_NAMES`; `product` is named in each first line.

    Raises `TypeError` or `ValueError` for a product that is no single line of text.
    """
    methods = {name: getattr(MemoryTools, name) for name in TOOL_NAMES}
    return describe(methods, checked_product(product))
