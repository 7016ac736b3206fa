"""The tools of a provider as plain methods, and what else the tests of the file memory share."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wenchang.filememory import FileMemoryProvider, Session


@dataclass
class Memory:
    provider: FileMemoryProvider
    root: Path
    session: Session | None = None

    def call(self, tool: str, **arguments: Any) -> str:
        return self.provider.call(f"file_memory_{tool}", arguments, self.session)

    def write(self, file_name: str, content: str = "", description: str | None = None) -> str:
        return self.call("write", file_name=file_name, content=content, description=description)

    def read(self, file_name: str) -> str:
        return self.call("read", file_name=file_name)

    def delete(self, file_name: str) -> str:
        return self.call("delete", file_name=file_name)

    def ls(self, glob_pattern: str | None = None) -> list[dict[str, str]]:
        rows: list[dict[str, str]] = json.loads(self.call("ls", glob_pattern=glob_pattern))
        return rows

    def names(self, glob_pattern: str | None = None) -> list[str]:
        return [row["name"] for row in self.ls(glob_pattern)]

    def grep(self, regex_pattern: str, glob_pattern: str | None = None) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(
            self.call("grep", regex_pattern=regex_pattern, glob_pattern=glob_pattern)
        )
        return rows

    def replace(self, file_name: str, old: str, new: str, replace_all: bool | None = None) -> str:
        return self.call("replace", file_name=file_name, old_string=old, new_string=new, replace_all=replace_all)

    def replace_lines(self, file_name: str, *edits: tuple[int, str]) -> str:
        rows = [{"line_number": number, "new_line": line} for number, line in edits]
        return self.call("replace_lines", file_name=file_name, edits=rows)

    @property
    def index(self) -> str:
        return (self.root / "memories.md").read_bytes().decode()


@dataclass
class DictSession:
    values: dict[str, Any] = field(default_factory=dict)

    def get(self, key: str) -> Any:
        return self.values.get(key)

    def set(self, key: str, value: Any) -> None:
        self.values[key] = value


def files(folder: Path) -> set[str]:
    """The names of all files, those of sub-folders with their paths; no file of ours is ever left in the staging."""
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
