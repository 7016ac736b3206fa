"""What many writers were told while they changed the same files, and whether it can all be true.

Every line that anybody writes carries a mark of its own, so that a final state tells which changes are in it. A change
is written down before it is asked for and again when its outcome is known: of a writer that was killed in between, the
outcome is unknown, and nothing it did can prove anything, but it may explain something.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BY_HAND = "saved by hand"
"""The kind of the changes that a person makes."""

_MARK = re.compile(r"<[a-z]+\d+-\d+>")


def marks_in(text: str) -> list[str]:
    """The marks in a text, as often as they stand there."""
    return _MARK.findall(text)


@dataclass(slots=True)
class Change:
    """What one change was to do to the file at `place`; its `outcome` is done, refused or unknown.

    `base` is the version it stood on: `None` for a creation, and for changes that the store puts on a newer one.
    """

    kind: str
    place: str
    base: str | None
    adds: list[str]
    removes: list[str]
    outcome: str = "unknown"
    version: str | None = None


class Journal:
    """One writer's account, a line of JSON for each event; whoever is killed leaves all its lines but the last."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1, encoding="utf-8")
        self._number = 0

    def begin(self, change: Change) -> int:
        """Note what will be asked for; return the number by which to tell what became of it."""
        self._number += 1
        self._write(
            n=self._number,
            kind=change.kind,
            place=change.place,
            base=change.base,
            adds=change.adds,
            removes=change.removes,
        )
        return self._number

    def end(self, number: int, outcome: str, version: str | None = None) -> None:
        """Note what became of a change, and the version that it made."""
        self._write(n=number, outcome=outcome, version=version)

    def saw(self, place: str, version: str, *parts: object, fits: bool) -> None:
        """Note that a version was seen. `parts` is everything that belongs to it, and whether that `fits` together."""
        digest = hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._write(saw=place, version=version, digest=digest, fits=fits)

    def broken(self, what: str) -> None:
        """Note something that must never be."""
        self._write(broken=what)

    def _write(self, **event: Any) -> None:
        self._file.write(json.dumps(event) + "\n")


@dataclass(slots=True)
class History:
    """The accounts of all writers together."""

    changes: list[Change] = field(default_factory=list)
    sights: set[tuple[str, str, str]] = field(default_factory=set)
    misfits: set[tuple[str, str]] = field(default_factory=set)
    seen: int = 0
    broken: list[str] = field(default_factory=list)

    def tally(self) -> Counter[tuple[str, str]]:
        """How many changes of each kind had which outcome."""
        return Counter((change.kind, change.outcome) for change in self.changes)


def read_history(folder: Path) -> History:
    """All journals in a folder."""
    history = History()
    for path in sorted(folder.glob("*.jsonl")):
        _add(history, path)
    return history


def _add(history: History, path: Path) -> None:
    begun: dict[int, Change] = {}
    for event in _events(path):
        match event:
            case {"kind": kind, "n": number}:
                begun[number] = Change(kind, event["place"], event["base"], event["adds"], event["removes"])
            case {"outcome": outcome, "n": number}:
                begun[number].outcome, begun[number].version = outcome, event["version"]
            case {"saw": place}:
                history.seen += 1
                history.sights.add((place, event["version"], event["digest"]))
                if not event["fits"]:
                    history.misfits.add((place, event["version"]))
            case {"broken": what}:
                history.broken.append(f"{path.stem}: {what}")
    history.changes += begun.values()


def _events(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                assert not line.endswith("\n"), f"{path}: {line[:200]!r}"  # its writer was killed in the middle of it


def contradictions(history: History, final: Mapping[str, str]) -> list[str]:
    """What cannot be true, given what stands in each place in the end; empty when nothing was lost, doubled or torn."""
    return [
        *history.broken,
        *_torn(history.sights),
        *_misfitting(history),
        *_forked(history.changes),
        *_lost(history.changes, final),
        *_unasked(history.changes, final),
    ]


def _torn(sights: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    looks: dict[tuple[str, str], set[str]] = defaultdict(set)
    for place, version, digest in sights:
        looks[place, version].add(digest)
    for (place, version), digests in looks.items():
        if len(digests) > 1:
            yield f"torn: {place} at version {version} was seen in {len(digests)} states"


def _misfitting(history: History) -> Iterator[str]:
    """Whoever merges by hand may keep the description of one body with another."""
    by_hand = {(change.place, change.version) for change in history.changes if change.kind == BY_HAND}
    for place, version in history.misfits - by_hand:
        yield f"torn: {place} at version {version} has the description of another body"


def _forked(changes: Iterable[Change]) -> Iterator[str]:
    """Each accepted change has a version of its own, and no two stand on the same one."""
    on: dict[tuple[str, str], list[str]] = defaultdict(list)
    made: dict[tuple[str, str], list[str]] = defaultdict(list)
    for change in changes:
        if change.outcome == "done":
            words = f"{change.kind} of {' '.join(change.adds or change.removes)}"
            if change.base is not None:
                on[change.place, change.base].append(words)
            if change.version is not None:
                made[change.place, change.version].append(words)
    for (place, base), several in on.items():
        if len(several) > 1:
            yield f"forked: {', '.join(several)} were accepted on version {base} of {place}"
    for (place, version), several in made.items():
        if len(several) > 1:
            yield f"reused: {', '.join(several)} made version {version} of {place}"


def _lost(changes: Iterable[Change], final: Mapping[str, str]) -> Iterator[str]:
    """Each accepted mark stands there once, unless somebody who saw it asked for its removal."""
    standing = {place: Counter(marks_in(text)) for place, text in final.items()}
    certain, possible = set(), set()
    for change in changes:
        removed = {(change.place, mark) for mark in change.removes}
        possible |= removed if change.outcome != "refused" else set()
        certain |= removed if change.outcome == "done" else set()
    for change in changes:
        for mark in change.adds if change.outcome == "done" else ():
            times = standing.get(change.place, Counter())[mark]
            if times == 0 and (change.place, mark) not in possible:
                yield f"lost: {mark}, accepted by {change.kind}, is not in {change.place}"
            if times > 1 or (times and (change.place, mark) in certain):
                yield f"came back: {mark} stands {times} times in {change.place}"


def _unasked(changes: Iterable[Change], final: Mapping[str, str]) -> Iterator[str]:
    asked = {(change.place, mark) for change in changes if change.outcome != "refused" for mark in change.adds}
    for place, text in final.items():
        for mark in marks_in(text):
            if (place, mark) not in asked:
                yield f"refused, yet there: {mark} in {place}"
