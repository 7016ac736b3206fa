"""Memory that an AI agent writes to itself.

Small markdown files with four metadata fields, kept in a local folder or a bucket, guarded by versions on
every write. Start at `wenchang.core.MemoryStore`; importing this package alone loads nothing else.
"""

__version__ = "0.1.1"
