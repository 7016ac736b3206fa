"""The levels of a store as a tree: scopes, entities, areas, each read when it is opened.

The tree shows what there is and says where the cursor stands; what lies at that place is for others to list.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import ClassVar, TypeAlias

from textual.binding import BindingType

from wenchang.scope import SYSTEM_AREA
from wenchang_tui.model.catalog import Catalog, Count
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList

AREA_DEPTH = 3
COUNT_LIMIT = 1_000


class State(Enum):
    """How far a branch has been read."""

    NEW = auto()
    LOADING = auto()
    LOADED = auto()
    FAILED = auto()


@dataclass(slots=True)
class Branch:
    """One line of the tree. `prefix` ends in a slash, and is empty for the whole store."""

    prefix: str
    label: str
    depth: int
    state: State = State.NEW
    is_open: bool = False
    children: list["Branch"] = field(default_factory=list)
    count: Count | None = None
    problem: Problem | None = None
    leaf: str = ""

    @property
    def key(self) -> str:
        """What the list knows it by; a leaf that says "loading" or "failed" differs from its branch."""
        return f"{self.prefix}{self.leaf}"


@dataclass(frozen=True, slots=True)
class Children:
    """The names that were found directly below a branch."""

    names: tuple[str, ...]


Found: TypeAlias = Children | tuple[str, Count]


class MemoryTree(RowList[Branch]):
    """Scopes, entities and areas. `Highlighted` carries the prefix under the cursor."""

    DEFAULT_CSS = """
    MemoryTree { background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.TREE)]

    def __init__(self, catalog: Catalog, title: str) -> None:
        columns = (Column("label", ""), Column("count", "", 5, right=True, rank=1))
        super().__init__(columns, lambda branch: branch.key, self._draw, header=False, marks=False)
        self._catalog = catalog
        self._root = Branch("", title, 0)
        self._branches = {"": self._root}
        self._lanes: dict[str, Lane[Found]] = {}
        self._wanted: str | None = None
        self._capped: Mapping[str, int] = {}
        self._changed: set[str] = set()

    def on_mount(self) -> None:
        """Open the top level."""
        self._open(self._root)

    @property
    def place(self) -> str:
        """The prefix under the cursor."""
        return self.current.prefix if self.current else ""

    # what others tell it

    def show_capped(self, capped: Mapping[str, int]) -> None:
        """Mark the areas that the index leaves files out of, with how many."""
        self._capped = capped
        self.refresh()

    def reveal(self, prefix: str) -> None:
        """Open what lies above `prefix` and go there as soon as it is read."""
        self._wanted = prefix
        self._approach()

    def show_changed(self, keys: Iterable[str]) -> None:
        """Mark the places of changed files and read again what is open above them; the cursor stays."""
        places = {place for key in keys for place in _places(key)}
        self._changed |= places - {self.place}
        for place in places:
            branch = self._branches.get(place)
            if branch is not None and branch.state is State.LOADED:
                self._load(branch, recount=places)
        self.refresh()

    def reload(self) -> None:
        """Read every open branch again."""
        for branch in list(self._branches.values()):
            if branch.is_open:
                self._load(branch)

    def seen(self, prefix: str) -> None:
        """Take the mark of a change away: somebody looked."""
        self._changed.discard(prefix)
        self.refresh()

    def cancel(self) -> bool:
        """Stop reading; whether anything was being read. What was not read yet is closed again."""
        busy = [self._branches[prefix] for prefix, lane in self._lanes.items() if lane.cancel()]
        for branch in busy:
            if branch.state is State.LOADING:
                branch.state, branch.is_open = State.NEW, False
        self._show()
        return bool(busy)

    # opening and closing

    def action_open(self) -> None:
        """Open the branch under the cursor; a failed one tries again."""
        if self.current is not None:
            self._open(self._branches[self.current.prefix])

    def action_choose(self) -> None:
        """The same as opening."""
        self.action_open()

    def action_close(self) -> None:
        """Close the branch, or go to the one above it."""
        branch = self.current
        if branch is None:
            return
        if branch.is_open and branch.prefix:
            branch.is_open = False
            self._show()
        else:
            self.move_to_key(parent_of(branch.prefix))

    def clicked(self, x: int, chain: int) -> None:
        """A click on the triangle opens or closes, and so does a second click anywhere."""
        branch = self.current
        if branch is not None:
            on_triangle = 1 <= x - branch.depth < 3
            if on_triangle or chain > 1:
                (self.action_close if branch.is_open else self.action_open)()

    def _open(self, branch: Branch) -> None:
        if branch.depth == AREA_DEPTH:
            return
        branch.is_open = True
        if branch.state in (State.NEW, State.FAILED):
            branch.state = State.LOADING
            self._load(branch)
        self._show()

    def _load(self, branch: Branch, recount: set[str] | None = None) -> None:
        def found(value: Found) -> None:
            self._receive(branch, value)

        def ended(problem: Problem | None) -> None:
            self._end(branch, problem)

        def work(is_cancelled: IsCancelled) -> Iterator[Found]:
            return self._read(branch, recount, is_cancelled)

        lane = self._lanes.setdefault(branch.prefix, Lane(self, found, ended))
        lane.on_busy = self._follow
        lane.run(work)

    def _follow(self) -> None:
        """While anything is being read, the seconds that takes are shown."""
        is_loading = any(branch.state is State.LOADING for branch in self._branches.values())
        self.auto_refresh = 0.5 if is_loading else None

    def _read(self, branch: Branch, recount: set[str] | None, is_cancelled: IsCancelled) -> Iterator[Found]:
        names = self._names(branch)
        yield Children(names)
        if self._catalog.is_far:  # a count is a request for each name, and nobody has asked for it
            return
        for name in names:
            prefix = f"{branch.prefix}{name}/"
            if is_cancelled():
                return
            if recount is None or prefix in recount or prefix not in self._branches:
                yield prefix, self._catalog.count(prefix, COUNT_LIMIT)

    def _names(self, branch: Branch) -> tuple[str, ...]:
        match branch.prefix.split("/")[:-1]:
            case []:
                return self._catalog.scopes()
            case [scope]:
                return self._catalog.entities(scope)
            case [scope, entity, *_]:
                return self._catalog.areas(scope, entity)
        return ()

    def _receive(self, branch: Branch, found: Found) -> None:
        if isinstance(found, Children):
            branch.state = State.LOADED
            branch.children = [self._child(branch, name) for name in found.names]
            self._show()
            self._approach()
        else:
            prefix, count = found
            self._branches[prefix].count = count
            self._fit(count)
            self.refresh()

    def _fit(self, count: Count) -> None:
        """Make the column as wide as what stands in it."""
        label, counts = self.columns
        if len(_count(count)) > (counts.width or 0):
            self.columns = (label, replace(counts, width=len(_count(count))))

    def _child(self, branch: Branch, name: str) -> Branch:
        prefix = f"{branch.prefix}{name}/"
        return self._branches.setdefault(prefix, Branch(prefix, name, branch.depth + 1))

    def _end(self, branch: Branch, problem: Problem | None) -> None:
        branch.problem = problem
        if problem is not None:
            branch.state = State.FAILED
        self._show()

    def _approach(self) -> None:
        """Go on towards the place that was asked for; when all above it is read and it is not there, give up."""
        wanted = self._wanted
        if wanted is None:
            return
        above = [self._branches[place] for place in _places(wanted)[:-1] if place in self._branches]
        for branch in above:
            if not branch.is_open:
                self._open(branch)
        if self.move_to_key(wanted) or not any(branch.state is State.LOADING for branch in above):
            self._wanted = None

    # drawing

    def _show(self) -> None:
        self.set_rows(list(_lines(self._root)))

    def _draw(self, branch: Branch) -> Look:
        indent = " " * branch.depth
        if branch.leaf:
            seconds = int(self._lanes[branch.prefix].elapsed)
            waiting = f"loading… {seconds} s" if seconds else "loading…"
            text = branch.problem.sentence if branch.problem else waiting
            note = "Enter tries again" if branch.problem else ""
            label = Cell(f"{indent}{text}", "bad" if branch.problem else "dim", note)
            return Look({"label": label}, "!" if note else " ")
        triangle = "  " if branch.depth == AREA_DEPTH else ("▾ " if branch.is_open else "▸ ")
        note, note_tone = self._note(branch)
        label = Cell(f"{indent}{triangle}{branch.label}", "strong" if branch.depth < 2 else "", note, note_tone)
        changed = branch.prefix in self._changed
        cells = {"label": label, "count": Cell(_count(branch.count), "dim")}
        return Look(cells, "~" if changed else " ", "changed" if changed else "")

    def _note(self, branch: Branch) -> tuple[str, str]:
        cut = self._capped.get(branch.prefix, 0)
        if cut:
            return f"{cut} cut", "warn"
        is_system = branch.depth == AREA_DEPTH and branch.label == SYSTEM_AREA
        return ("read-only" if is_system else ""), "dim"


def _lines(branch: Branch) -> Iterator[Branch]:
    yield branch
    if not branch.is_open:
        return
    if branch.state is State.LOADING:
        yield Branch(branch.prefix, "", branch.depth + 1, leaf="\0loading")
    if branch.state is State.FAILED:
        yield Branch(branch.prefix, "", branch.depth + 1, problem=branch.problem, leaf="\0failed")
    for child in branch.children if branch.state is not State.FAILED else ():
        yield from _lines(child)


def _count(count: Count | None) -> str:
    if count is None:
        return ""
    files = f"{count.files:,}{'+' if count.more else ''}"
    return f"!{count.problems} {files}" if count.problems else files


def _places(key: str) -> list[str]:
    """The prefixes that `key` lies in, from the whole store down: of a prefix, itself included."""
    parts = key.split("/")[:-1]
    return ["/".join(parts[:depth]) + "/" if depth else "" for depth in range(min(len(parts), AREA_DEPTH) + 1)]


def parent_of(prefix: str) -> str:
    """The prefix one level up; that of the whole store is its own."""
    above = prefix.removesuffix("/").rpartition("/")[0]
    return f"{above}/" if above else ""
