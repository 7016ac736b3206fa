"""The demo store: what an agent remembers of Tianlong's novel, *The Ninth Examination*. What everybody sees first."""

from wenchang.identity import Identity, ScopeGrant
from wenchang.storage import Storage

DEMO_IDENTITY = Identity(
    {
        "user": ScopeGrant("u-tianlong", "owner"),
        "project": ScopeGrant("p-ninth-examination", "member"),
        "organization": ScopeGrant("o-hanlin-press", "member"),
    }
)
DEMO_WRITE_ROLES = {"organization": frozenset({"admin", "owner"})}


def build_demo(storage: Storage) -> None:
    """Write the demo into an empty storage: the same files, texts and times every time."""
