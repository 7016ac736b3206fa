"""The floors of the house: what may import what, read from the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

FLOORS: dict[str, int] = {
    "wenchang": 0,
    "wenchang._types": 0,
    "wenchang.version_token": 1,
    "wenchang.paths": 1,
    "wenchang.file_format": 1,
    "wenchang.index_cache": 1,
    "wenchang.prompts": 1,
    "wenchang.errors": 2,
    "wenchang.identity": 3,
    "wenchang.scope": 4,
    "wenchang.storage": 3,
    "wenchang.core": 5,
    "wenchang.transport": 6,
    "wenchang.gate": 7,
    "wenchang.tools": 7,
    "wenchang.mcp": 8,
    "wenchang.testing": 9,
    "wenchang.filememory": 9,
    "wenchang_tui.model": 10,
    "wenchang_tui.agent": 11,
    "wenchang_tui.config": 10,
    "wenchang_tui.widgets": 12,
    "wenchang_tui.screens": 13,
    "wenchang_tui.ending": 14,
    "wenchang_tui.app": 15,
    "wenchang_tui.web": 14,
    "wenchang_tui.cli": 16,
    "wenchang_tui": 17,
}

THIRD_PARTY: dict[str, tuple[str, ...]] = {
    "google": ("wenchang.storage.gcs",),
    "requests": ("wenchang.storage.gcs",),
    "mcp": ("wenchang.mcp", "wenchang.filememory.mcp", "wenchang_tui.agent"),
    "orjson": ("wenchang.storage._sidecar",),
    "re2": ("wenchang.filememory",),
    "pytest": ("wenchang.testing",),
    "textual": (
        "wenchang_tui.widgets",
        "wenchang_tui.screens",
        "wenchang_tui.ending",
        "wenchang_tui.app",
        "wenchang_tui.web",
    ),
    "textual_serve": ("wenchang_tui.web",),
    "aiohttp": ("wenchang_tui.web",),
    "rich": ("wenchang_tui.widgets", "wenchang_tui.screens", "wenchang_tui.cli"),
    "click": ("wenchang_tui.cli",),
    "platformdirs": ("wenchang_tui.config",),
    "uvicorn": ("wenchang_tui.agent",),
    "anyio": ("wenchang_tui.agent", "wenchang.filememory.mcp"),
    "yaml": ("wenchang_tui.model",),
    "watchfiles": ("wenchang_tui.model",),
}


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources() -> Iterator[tuple[str, Path]]:
    for package in ("wenchang", "wenchang_tui"):
        for path in sorted((ROOT / package).rglob("*.py")):
            yield module_of(path), path


def imports(path: Path) -> Iterator[str]:
    """Every imported module, `from a import b` as `a.b` where that is a module, wherever in the file it stands."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                file = ROOT / inner.replace(".", "/")
                is_module = file.is_dir() or file.with_suffix(".py").is_file()
                yield inner if is_module else str(node.module)


def within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def room(module: str) -> str:
    """The longest name in `FLOORS` that `module` belongs to."""
    if module == "wenchang_tui.__main__":
        return "wenchang_tui"
    rooms = [name for name in FLOORS if within(module, name) and name != "wenchang_tui"]
    if module == "wenchang_tui":
        return module
    assert rooms, f"{module} has no floor: give it one in FLOORS"
    return max(rooms, key=len)


def test_no_import_runs_up_the_floors() -> None:
    for module, path in sources():
        for imported in imports(path):
            if not within(imported, "wenchang", "wenchang_tui"):
                continue
            mine, theirs = room(module), room(imported)
            assert mine == theirs or FLOORS[theirs] < FLOORS[mine], (
                f"{module} (floor {FLOORS[mine]}) imports {imported} (floor {FLOORS[theirs]})"
            )


def test_each_third_party_library_has_its_place() -> None:
    for module, path in sources():
        for imported in imports(path):
            places = THIRD_PARTY.get(imported.split(".")[0])
            assert places is None or within(module, *places), (
                f"{module} imports {imported}, which belongs in {', '.join(places)}"
            )


def test_no_two_files_import_each_other() -> None:
    graph = {module: set(imports(path)) for module, path in sources()}
    for module in graph:
        seen: set[str] = set()
        ahead = [m for m in graph[module] if m in graph]
        while ahead:
            step = ahead.pop()
            assert step != module, f"{module} imports itself through {sorted(seen)}"
            if step not in seen:
                seen.add(step)
                ahead.extend(m for m in graph[step] if m in graph)


def test_types_are_no_way_around_the_floors() -> None:
    for module, path in sources():
        names = {n.id for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Name)}
        assert "TYPE_CHECKING" not in names, f"{module} hides an import behind TYPE_CHECKING"


@pytest.mark.parametrize("package", ["wenchang_tui/model", "wenchang_tui/agent"])
def test_the_model_knows_no_screen(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        for imported in imports(path):
            assert not within(imported, "textual"), f"{module_of(path)} imports {imported}"
