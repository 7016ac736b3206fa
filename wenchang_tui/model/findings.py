"""What a health check can find, as values: which fault, where, what it breaks for whom, and what can be done."""

from dataclasses import dataclass
from enum import StrEnum

from wenchang.version_token import VersionToken


class Kind(StrEnum):
    """What kind of fault a finding is."""

    MALFORMED_METADATA = "malformed-metadata"
    NOT_A_PATH = "not-a-memory-path"
    NOT_UTF8 = "not-utf8"
    TOO_LARGE = "too-large"
    METADATA_TOO_LARGE = "metadata-too-large"
    FILE_CAP = "file-cap"
    NEAR_FILE_CAP = "near-file-cap"
    DUPLICATE_ALIAS = "duplicate-alias"
    SHARED_ALIAS = "shared-alias"
    VAGUE_DESCRIPTION = "vague-description"
    SAME_LOOKING = "same-looking-names"
    UNREACHABLE = "unreachable-name"
    SYNC_CONFLICT = "sync-conflict"
    LONE_BODY = "body-without-sidecar"
    LEFTOVER = "leftover"
    # Of a file memory alone:
    UNREADABLE = "unreadable"
    BYTE_ORDER_MARK = "byte-order-mark"
    WIDE_MODE = "open-to-others"
    LEGACY_DESCRIPTION = "legacy-description"
    AMBIGUOUS_DESCRIPTION = "ambiguous-description"
    ORPHAN_DESCRIPTION = "orphan-description"
    SKIPPED = "link-or-special-file"
    STALE_INDEX = "stale-index"
    MISSING_INDEX = "missing-index"
    UNREADABLE_INDEX = "unreadable-index"
    BEYOND_INDEX = "beyond-index"


class Severity(StrEnum):
    """`ERROR`: something fails. `WARNING`: something will, or is out of reach. `NOTE`: it could be better."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. `key` is the object, `SCOPE/ENTITY/` for a whole entity, a path in the folder for a mere file.

    `detail` says what is there, `breaks` what fails for whom, `repair` what can be done. `version` is the one looked
    at, `None` for what is no object; `subject` the text it is about, such as an alias.
    """

    kind: Kind
    severity: Severity
    key: str
    detail: str
    breaks: str
    repair: str
    version: VersionToken | None = None
    subject: str = ""
