"""Memory in a folder of small text files, for an agent that gets seven tools over it.

A second, simpler store beside the scoped one: no versions, no areas, no provenance, and a layout that the Go, .NET and
Python providers of the same name can share. Do not put both into one folder. Needs the extra `filememory`.
"""

from wenchang.filememory.errors import FileMemoryClosedError, FileMemoryError
from wenchang.filememory.provider import FileMemoryProvider, Invocation, Tool
from wenchang.filememory.tools import (
    TOOL_NAMES,
    DeleteFileToolName,
    GrepToolName,
    LsToolName,
    ReadFileToolName,
    ReplaceLinesToolName,
    ReplaceToolName,
    WriteToolName,
)
from wenchang.filememory.values import ContextMessage, ListEntry, Session, State

__all__ = [
    "TOOL_NAMES",
    "ContextMessage",
    "DeleteFileToolName",
    "FileMemoryClosedError",
    "FileMemoryError",
    "FileMemoryProvider",
    "GrepToolName",
    "Invocation",
    "ListEntry",
    "LsToolName",
    "ReadFileToolName",
    "ReplaceLinesToolName",
    "ReplaceToolName",
    "Session",
    "State",
    "Tool",
    "WriteToolName",
]
