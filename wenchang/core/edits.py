"""What an edit makes of a file's text and metadata. Pure; which version it is applied to is decided by the store."""

from dataclasses import dataclass, replace

from wenchang.file_format import FileMetadata


@dataclass(frozen=True, slots=True)
class MetadataEdit:
    """What an append or a replacement does to metadata besides: more aliases, another description, one more source.

    Core, section 6.3.
    """

    source: str
    aliases: tuple[str, ...] = ()
    description: str | None = None

    def apply(self, metadata: FileMetadata) -> FileMetadata:
        """Stored aliases stay first and as they are; each given one that is new follows, once."""
        known = set(metadata.aliases)
        new = [alias for alias in dict.fromkeys(self.aliases) if alias not in known]
        return replace(
            metadata,
            description=metadata.description if self.description is None else self.description,
            aliases=(*metadata.aliases, *new),
            sources=metadata.sources | {self.source},
        )


def append_line(content: str, line: str) -> str:
    """`content` and one more line, with the line break between them that may be missing."""
    separator = "\n" if content and not content.endswith("\n") else ""
    return f"{content}{separator}{line}\n"


def count_spans(content: str, text: str) -> int:
    """At how many positions `text` starts in `content`, overlapping ones included, unlike `str.count`."""
    count, start = 0, content.find(text)
    while start >= 0:
        count, start = count + 1, content.find(text, start + 1)
    return count
