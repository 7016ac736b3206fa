"""The levels of a store as a tree: scopes, entities, areas, each read when it is opened, page by page.

The tree shows what there is and says where the cursor stands; what lies at that place is for others to list.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from textual.binding import BindingType

from wenchang.scope import SYSTEM_AREA
from wenchang_tui.model.catalog import Catalog, Count
from wenchang_tui.model.problems import Problem
from wenchang_tui.widgets.commands import Where, bindings
from wenchang_tui.widgets.lane import IsCancelled, Lane
from wenchang_tui.widgets.marks import Marks
from wenchang_tui.widgets.row_list import Cell, Column, Look, RowList
from wenchang_tui.widgets.tree_lines import AREA_DEPTH, Branch, Leaf, LeafLine, Line, State, lines, places, spoken_count
from wenchang_tui.widgets.tree_lines import parent_of as parent_of

COUNT_LIMIT = 1_000


@dataclass(frozen=True, slots=True)
class Children:
    """Names directly below a branch, up to `more_after` where there are more, and those `beyond` that are there."""

    names: tuple[str, ...]
    more_after: str | None
    beyond: tuple[str, ...]


Counted: TypeAlias = tuple[str, Count]
Found: TypeAlias = Children | Counted


class MemoryTree(RowList[Line]):
    """Scopes, entities and areas. `Highlighted` carries the prefix under the cursor."""

    DEFAULT_CSS = """
    MemoryTree { background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Where.TREE)]

    def __init__(self, catalog: Catalog, title: str) -> None:
        columns = (Column("label", ""), Column("count", "", 5, right=True, rank=1))
        super().__init__(columns, lambda line: line.key, self._draw, header=False, marks=False)
        self._catalog = catalog
        self._root = Branch("", title, 0)
        self._branches = {"": self._root}
        self._lanes: dict[str, Lane[Found]] = {}
        self._counting = Lane[Counted](self, self._receive_count, self._end_count)
        self._counted = ""
        self._wanted: str | None = None
        self._sought: str | None = None
        self._capped: Mapping[str, int] = {}
        self._changed = Marks()

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
        self._wanted, self._sought = prefix, None
        self._approach()

    def show_changed(self, keys: Iterable[str]) -> None:
        """Mark the places of changed files and read again what is open above them; the cursor stays."""
        changed = {place for key in keys for place in places(key)}
        self._changed.add(changed - {self.place})
        for place in changed:
            branch = self._branches.get(place)
            if branch is not None and self._catalog.is_far:
                branch.count = None
            if branch is not None and branch.state is State.LOADED:
                self._load(branch, recount=changed)
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
        was_counting = self._counting.cancel()
        for branch in busy:
            if branch.state is State.LOADING:
                branch.state, branch.is_open = State.NEW, False
        self._show()
        return bool(busy) or was_counting

    # opening and closing

    def action_open(self) -> None:
        """Open the branch under the cursor; a failed one tries again, and one that has more shows more."""
        line = self.current
        if isinstance(line, LeafLine) and line.leaf is Leaf.MORE:
            self._load_more(line.branch)
        elif line is not None:
            self._open(self._branches[line.prefix])

    def action_choose(self) -> None:
        """The same as opening."""
        self.action_open()

    def action_close(self) -> None:
        """Close the branch, or go to the one above it."""
        line = self.current
        if isinstance(line, LeafLine):
            self.move_to_key(line.prefix)
        elif line is not None and line.is_open and line.prefix:
            line.is_open = False
            self._show()
        elif line is not None:
            self.move_to_key(parent_of(line.prefix))

    def action_count(self) -> None:
        """Count what lies below the branch under the cursor."""
        prefix, catalog = self.place, self._catalog
        self._counted = prefix
        self._counting.run(lambda _: iter([(prefix, catalog.count(prefix))]))
        self.refresh()

    def clicked(self, x: int, chain: int) -> None:
        """A click on the triangle opens or closes, and so does a second click anywhere."""
        line = self.current
        if isinstance(line, LeafLine):
            self.action_open()
        elif line is not None:
            on_triangle = 1 <= x - line.depth < 3
            if on_triangle or chain > 1:
                (self.action_close if line.is_open else self.action_open)()

    def _open(self, branch: Branch) -> None:
        if branch.depth == AREA_DEPTH:
            return
        branch.is_open = True
        if branch.state in (State.NEW, State.FAILED):
            branch.state = State.LOADING
            self._load(branch)
        self._show()

    def _load(self, branch: Branch, recount: set[str] | None = None) -> None:
        """Read a branch from its beginning, as far as it is shown; count all below, or what is new or to `recount`."""
        last = max((child.label for child in branch.listed), default="")
        level = Level(branch.prefix, (), None, last, frozenset(branch.beyond))
        kept = () if recount is None else [child.label for child in branch.children if child.prefix not in recount]
        self._run(branch, lambda is_cancelled: self._read(level, frozenset(kept), is_cancelled))

    def _load_more(self, branch: Branch) -> None:
        """Read the next page of a branch."""
        names = tuple(child.label for child in branch.listed)
        level = Level(branch.prefix, names, branch.more_after, "", frozenset(branch.beyond))
        self._run(branch, lambda is_cancelled: self._read(level, frozenset(names), is_cancelled))

    def _run(self, branch: Branch, work: Callable[[IsCancelled], Iterator[Found]]) -> None:
        def found(value: Found) -> None:
            self._receive(branch, value)

        def ended(problem: Problem | None) -> None:
            self._end(branch, problem)

        lane = self._lanes.setdefault(branch.prefix, Lane(self, found, ended))
        lane.on_busy = self._follow
        lane.run(work)

    def _read(self, level: "Level", counted: Container[str], is_cancelled: IsCancelled) -> Iterator[Found]:
        """The names of a level, then what lies below those that are not `counted` yet."""
        children = level.read(self._catalog, is_cancelled)
        yield children
        if self._catalog.is_far:  # a count is a request for each name, and nobody has asked for it
            return
        for name in children.names:
            if is_cancelled():
                return
            if name not in counted:
                prefix = f"{level.prefix}{name}/"
                yield prefix, self._catalog.count(prefix, COUNT_LIMIT)

    def _follow(self) -> None:
        """While anything is being read, the seconds that takes are shown."""
        self.auto_refresh = 0.5 if any(lane.busy for lane in self._lanes.values()) else None

    def _receive(self, branch: Branch, found: Found) -> None:
        if not isinstance(found, Children):
            self._receive_count(found)
            return
        at_more, before = self.current_key == LeafLine(branch, Leaf.MORE).key, len(branch.listed)
        branch.state = State.LOADED
        branch.more_after, branch.beyond = found.more_after, set(found.beyond)
        branch.children = [self._child(branch, name) for name in (*found.names, *found.beyond)]
        self._show()
        if at_more and (new := branch.listed[before:]):
            self.move_to_key(new[0].key)
        self._approach()

    def _receive_count(self, counted: Counted) -> None:
        prefix, count = counted
        self._branches[prefix].count = count
        self._fit(count)
        self.refresh()

    def _end_count(self, problem: Problem | None) -> None:
        if problem is not None:
            self.notify(problem.sentence, title=problem.title, severity="error")
        self.refresh()

    def _fit(self, count: Count) -> None:
        """Make the column as wide as what stands in it."""
        label, counts = self.columns
        if len(spoken_count(count)) > (counts.width or 0):
            self.columns = (label, replace(counts, width=len(spoken_count(count))))

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
        above = [self._branches[place] for place in places(wanted)[:-1] if place in self._branches]
        for branch in above:
            if not branch.is_open:
                self._open(branch)
        is_loading = any(branch.state is State.LOADING for branch in above)
        if self.move_to_key(wanted) or not (is_loading or self._reach_beyond(above[-1], wanted)):
            self._wanted = None

    def _reach_beyond(self, branch: Branch, wanted: str) -> bool:
        """Whether the way to `wanted` may go on behind the children of `branch` that are read; look for it there."""
        name = wanted.removeprefix(branch.prefix).partition("/")[0]
        end, sought = branch.more_after, f"{branch.prefix}{name}/"
        if end is None or name <= end or sought == self._sought:
            return False
        self._sought = sought
        branch.beyond.add(name)
        branch.state = State.LOADING
        self._load(branch, recount=set())
        return True

    # drawing

    def _show(self) -> None:
        self.set_rows(list(lines(self._root)))

    def _draw(self, line: Line) -> Look:
        return self._draw_leaf(line) if isinstance(line, LeafLine) else self._draw_branch(line)

    def _draw_leaf(self, line: LeafLine) -> Look:
        indent, lane = " " * line.depth, self._lanes[line.prefix]
        problem = line.branch.problem
        if line.leaf is Leaf.FAILED and problem is not None:
            return Look({"label": Cell(f"{indent}Enter tries again: {problem.sentence}", "bad")}, "!")
        if line.leaf is Leaf.MORE and not lane.busy:
            return Look({"label": Cell(f"{indent}more: Enter", "accent")})
        seconds = int(lane.elapsed)
        return Look({"label": Cell(f"{indent}loading…{f' {seconds} s' if seconds else ''}", "dim")})

    def _draw_branch(self, branch: Branch) -> Look:
        triangle = "  " if branch.depth == AREA_DEPTH else ("▾ " if branch.is_open else "▸ ")
        note, note_tone = self._note(branch)
        text = f"{' ' * branch.depth}{triangle}{branch.label}"
        changed = branch.prefix in self._changed
        is_counted = self._counting.busy and branch.prefix == self._counted
        count = "…" if is_counted else spoken_count(branch.count)
        cells = {
            "label": Cell(text, "strong" if branch.depth < 2 else "", note, note_tone),
            "count": Cell(count, "dim"),
        }
        return Look(cells, "~" if changed else " ", "changed" if changed else "")

    def _note(self, branch: Branch) -> tuple[str, str]:
        cut = self._capped.get(branch.prefix, 0)
        if cut:
            return f"{cut} cut", "warn"
        is_system = branch.depth == AREA_DEPTH and branch.label == SYSTEM_AREA
        return ("read-only" if is_system else ""), "dim"


@dataclass(frozen=True, slots=True)
class Level:
    """What is to be read below `prefix`: behind the `names` that are there, a page from `after` on, or all to `last`.

    Of those `beyond` that it is found out whether they are there, each by a request.
    """

    prefix: str
    names: tuple[str, ...]
    after: str | None
    last: str
    beyond: frozenset[str]

    def read(self, catalog: Catalog, is_cancelled: IsCancelled) -> Children:
        """Ask page by page."""
        names, after = list(self.names), self.after
        while True:
            page = catalog.names(self.prefix, after)
            names += page.names
            after = page.next_after
            if after is None or after >= self.last or is_cancelled():
                break
        behind = sorted(name for name in self.beyond if after is not None and name > after)
        there = (name for name in behind if catalog.page(f"{self.prefix}{name}/", limit=1).rows)
        return Children(tuple(names), after, tuple(there))
