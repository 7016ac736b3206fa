"""What the tree of a memory is made of: its branches, the lines they give, and the places of a key."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from wenchang_tui.model.catalog import Count
from wenchang_tui.model.problems import Problem

AREA_DEPTH = 3


class State(Enum):
    """How far a branch has been read."""

    NEW = auto()
    LOADING = auto()
    LOADED = auto()
    FAILED = auto()


class Leaf(Enum):
    """A line that is no place, below the branch that it speaks of; the value tells its key from that of the branch."""

    LOADING = "\0loading"
    FAILED = "\0failed"
    MORE = "\0more"


@dataclass(slots=True)
class Branch:
    """A place in the tree, and a line of it. `prefix` ends in a slash, and is empty for the whole store.

    Of a place that holds many, `children` are those up to the name `more_after`, and behind it the `beyond`, which
    somebody went to.
    """

    prefix: str
    label: str
    depth: int
    state: State = State.NEW
    is_open: bool = False
    children: list["Branch"] = field(default_factory=list)
    more_after: str | None = None
    beyond: set[str] = field(default_factory=set)
    count: Count | None = None
    problem: Problem | None = None

    @property
    def key(self) -> str:
        """What the list knows it by."""
        return self.prefix

    @property
    def listed(self) -> list["Branch"]:
        """The children up to where more of them begin."""
        end = self.more_after
        return self.children if end is None else [child for child in self.children if child.label <= end]


@dataclass(frozen=True, slots=True)
class LeafLine:
    """A line below a branch that says how its reading stands."""

    branch: Branch
    leaf: Leaf

    @property
    def prefix(self) -> str:
        """The place it is about."""
        return self.branch.prefix

    @property
    def depth(self) -> int:
        """That of the children."""
        return self.branch.depth + 1

    @property
    def key(self) -> str:
        """What the list knows it by."""
        return f"{self.branch.prefix}{self.leaf.value}"


Line = Branch | LeafLine


def lines(branch: Branch) -> Iterator[Line]:
    """The lines of a branch and, while it is open, of all below it."""
    yield branch
    if not branch.is_open:
        return
    if branch.state is State.FAILED:  # what was read before stays, and who stood there stays there
        yield LeafLine(branch, Leaf.FAILED)
    if branch.state is State.LOADING:
        yield LeafLine(branch, Leaf.LOADING)
    listed = branch.listed
    yield from _below(listed)
    if branch.more_after is not None:
        yield LeafLine(branch, Leaf.MORE)
        yield from _below(branch.children[len(listed) :])


def _below(children: Iterable[Branch]) -> Iterator[Line]:
    for child in children:
        yield from lines(child)


def spoken_count(count: Count | None) -> str:
    """How many files, and before it how many of them cannot be read."""
    if count is None:
        return ""
    files = f"{count.files:,}{'+' if count.more else ''}"
    return f"!{count.problems} {files}" if count.problems else files


def places(key: str) -> list[str]:
    """The prefixes that `key` lies in, from the whole store down: of a prefix, itself included."""
    parts = key.split("/")[:-1]
    return ["/".join(parts[:depth]) + "/" if depth else "" for depth in range(min(len(parts), AREA_DEPTH) + 1)]


def parent_of(prefix: str) -> str:
    """The prefix one level up; that of the whole store is its own."""
    above = prefix.removesuffix("/").rpartition("/")[0]
    return f"{above}/" if above else ""
