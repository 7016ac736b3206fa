"""The version of a stored object, as callers see it: an opaque text to keep and hand back.

Nothing outside a storage or `MemoryStore` compares tokens, and nothing anywhere parses them leniently: a token
that a storage does not recognise is a mismatch, never an error of its own.
"""

from typing import NewType

VersionToken = NewType("VersionToken", str)
"""Names one state of one object. Never reused for a key, also across delete and re-create."""
