"""The six acceptance scenarios as data: what lies in the store, who calls what, what must come back, what is left.

Nothing here decides how a tool is called; a test plays `Scenario.steps` through `bind_tools`, an MCP client, or
whatever else serves the tools, and compares every answer with `Step.answer`, key order included.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from wenchang.core import MemoryStore
from wenchang.file_format import FileMetadata
from wenchang.identity import Identity, SandboxResolver, ScopeGrant
from wenchang.index_cache import IndexCache, InMemoryIndexCache
from wenchang.scope import ScopePolicy
from wenchang.storage import Storage
from wenchang.storage.memory import InMemoryStorage
from wenchang.tools import MemoryTools, bind_tools
from wenchang.transport import InProcessClient

POLICY = ScopePolicy({"organization": frozenset({"admin", "owner"})})
SOURCE = "inkwell-web"

TIANLONG = Identity(
    {
        "user": ScopeGrant("u-tianlong", "owner"),
        "project": ScopeGrant("p-ninth-examination", "member"),
        "organization": ScopeGrant("o-hanlin-press", "member"),
    }
)
DIYA = Identity({"project": ScopeGrant("p-ninth-examination", "member")})
CALLERS = {"tianlong": TIANLONG, "diya": DIYA}

RECOVERABLE = (
    " This is normal coordination, not an error the user needs to know about. Use the details above to correct the call"
    " and retry in the same turn, without asking the user."
)
PERMANENT = " Do not retry: retrying will not succeed."


def ticking_clock() -> Callable[[], datetime]:
    """Midnight of 2026 on the first call, one second later on each further one."""
    moments = iter(range(10**6))
    return lambda: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=next(moments))


@dataclass(frozen=True, slots=True)
class Seed:
    """A file that is there before the agent acts."""

    path: str
    description: str
    aliases: tuple[str, ...]
    content: str


@dataclass(frozen=True, slots=True)
class Step:
    """One call and its whole answer. A step opens a new session of its caller when `new_session` is set."""

    number: str
    tool: str
    arguments: Mapping[str, Any]
    answer: Mapping[str, Any]
    caller: str = "tianlong"
    new_session: bool = False

    @property
    def is_error(self) -> bool:
        return "error" in self.answer


@dataclass(frozen=True, slots=True)
class Scenario:
    """A walkthrough; `left` is every stored object afterwards: body, stored metadata, version, by path."""

    title: str
    seeds: tuple[Seed, ...]
    steps: tuple[Step, ...]
    left: Mapping[str, tuple[str, Mapping[str, str], str]] = field(default_factory=dict)


class World:
    """A fresh store with the common clock, seeded by `seed-job`, and the tools of its callers.

    A `storage` that is given has to be empty, and to number its writes from 1.
    """

    def __init__(self, seeds: tuple[Seed, ...] = (), *, cached: bool = False, storage: Storage | None = None) -> None:
        cache = InMemoryIndexCache()
        self.storage = storage or InMemoryStorage()
        self.store = MemoryStore(
            self.storage,
            clock=ticking_clock(),
            index_cache=IndexCache(get=cache.get, set=cache.set) if cached else None,
        )
        self.client = InProcessClient(self.store)
        for seed in seeds:
            metadata = FileMetadata(seed.description, seed.aliases, frozenset(), datetime(2020, 1, 1, tzinfo=UTC))
            self.store.write_file(seed.path, seed.content, metadata, None, source="seed-job")

    def tools(self, caller: str) -> MemoryTools:
        """A new session of `caller`."""
        resolver = SandboxResolver(CALLERS[caller])
        return bind_tools(self.client, resolver, None, POLICY, source=SOURCE)

    def left(self) -> Mapping[str, tuple[str, Mapping[str, str], str]]:
        """Every stored object, as `Scenario.left` has it."""
        found = {}
        for listed in self.storage.list_page("", None, 1000):
            stored = self.storage.get(listed.key)
            assert stored is not None
            found[listed.key] = (stored.data.decode(), dict(stored.metadata), str(stored.version))
        return found


def stored(description: str, aliases: str, sources: str, seconds: int) -> dict[str, str]:
    """The metadata map of a stored object, last written `seconds` after midnight."""
    return {
        "description": description,
        "aliases": aliases,
        "sources": sources,
        "last-updated": f"2026-01-01T00:00:0{seconds}Z",
    }


EMPTY_INDEX: dict[str, Any] = {"entries": [], "capped": []}

PROSE_STYLE = {
    "scope": "user",
    "area": "preferences",
    "name": "prose-style",
    "content": "- [stated] Writes in close third person, past tense.\n",
    "version": "1",
    "description": "Prose style preferences",
    "aliases": ["narration", "voice"],
    "sources": ["inkwell-web"],
    "last_updated": "2026-01-01T00:00:00Z",
}

PREFERENCE_SURVIVES = Scenario(
    title="a preference survives into a new session",
    seeds=(),
    steps=(
        Step("1.1", "get_memory_index", {}, EMPTY_INDEX),
        Step(
            "1.2",
            "write_file",
            {
                "scope": "user",
                "area": "preferences",
                "name": "prose-style",
                "content": "- [stated] Writes in close third person, past tense.\n",
                "description": "Prose style preferences",
                "aliases": ["narration", "voice"],
                "expected_version": None,
            },
            PROSE_STYLE,
        ),
        Step(
            "1.3",
            "get_memory_index",
            {},
            {"entries": [{k: v for k, v in PROSE_STYLE.items() if k != "content"}], "capped": []},
            new_session=True,
        ),
        Step("1.4", "read_file", {"scope": "user", "area": "preferences", "name": "prose-style"}, PROSE_STYLE),
    ),
    left={
        "user/u-tianlong/preferences/prose-style.md": (
            "- [stated] Writes in close third person, past tense.\n",
            stored("Prose style preferences", '["narration", "voice"]', '["inkwell-web"]', 0),
            "1",
        )
    },
)

TIMELINE = {"scope": "project", "area": "timeline", "name": "main-timeline"}
TIMELINE_LINES = (
    "- [stated] Lin Qiao sits the provincial examination in the autumn of year 1.\n"
    "- [stated] The Yunmen flood happens the night before the results.\n"
)
DIYAS_LINE = "- [stated] Han Zhou is posted to the northern garrison in the winter of year 2."
TIANLONGS_LINE = "- [stated] Lin Qiao leaves the capital in the spring of year 3."
TIMELINE_METADATA = {"description": "Order of events in the novel", "aliases": ["chronology", "timeline"]}

APPEND_AFTER_A_LOST_RACE = Scenario(
    title="append to the timeline, losing a race first",
    seeds=(
        Seed(
            "project/p-ninth-examination/timeline/main-timeline.md",
            "Order of events in the novel",
            ("chronology", "timeline"),
            TIMELINE_LINES,
        ),
    ),
    steps=(
        Step(
            "2.1",
            "get_memory_index",
            {},
            {
                "entries": [
                    {
                        **TIMELINE,
                        "version": "1",
                        **TIMELINE_METADATA,
                        "sources": ["seed-job"],
                        "last_updated": "2026-01-01T00:00:00Z",
                    }
                ],
                "capped": [],
            },
        ),
        Step(
            "2.2",
            "append_line",
            {**TIMELINE, "line": DIYAS_LINE, "expected_version": "1"},
            {
                **TIMELINE,
                "content": f"{TIMELINE_LINES}{DIYAS_LINE}\n",
                "version": "2",
                **TIMELINE_METADATA,
                "sources": ["inkwell-web", "seed-job"],
                "last_updated": "2026-01-01T00:00:01Z",
            },
            caller="diya",
        ),
        Step(
            "2.3",
            "append_line",
            {**TIMELINE, "line": TIANLONGS_LINE, "expected_version": "1"},
            {
                "error": "VersionConflictError",
                "category": "recoverable",
                "message": "The file at scope project, area timeline, name main-timeline changed since it was read; the"
                " current content and version are attached; merge your change into the current content and retry with"
                " the current version." + RECOVERABLE,
                **TIMELINE,
                "content": f"{TIMELINE_LINES}{DIYAS_LINE}\n",
                "version": "2",
            },
        ),
        Step(
            "2.4",
            "append_line",
            {**TIMELINE, "line": TIANLONGS_LINE, "expected_version": "2"},
            {
                **TIMELINE,
                "content": f"{TIMELINE_LINES}{DIYAS_LINE}\n{TIANLONGS_LINE}\n",
                "version": "3",
                **TIMELINE_METADATA,
                "sources": ["inkwell-web", "seed-job"],
                "last_updated": "2026-01-01T00:00:02Z",
            },
        ),
    ),
    left={
        "project/p-ninth-examination/timeline/main-timeline.md": (
            f"{TIMELINE_LINES}{DIYAS_LINE}\n{TIANLONGS_LINE}\n",
            stored("Order of events in the novel", '["chronology", "timeline"]', '["inkwell-web", "seed-job"]', 2),
            "3",
        )
    },
)

LIN_QIAO = {"scope": "project", "area": "characters", "name": "lin-qiao"}
LIN_QIAO_REST = "- [stated] Is 24 at the start of the novel.\n- [stated] Grew up in Yunmen, a river town.\n"
LIN_QIAO_AFTER = f"- [stated] Has grey eyes.\n{LIN_QIAO_REST}"

CHANGE_ONE_LINE = Scenario(
    title="change one line, then miss",
    seeds=(
        Seed(
            "project/p-ninth-examination/characters/lin-qiao.md",
            "Lin Qiao, the protagonist",
            ("Qiao",),
            f"- [stated] Has brown eyes.\n{LIN_QIAO_REST}",
        ),
    ),
    steps=(
        Step(
            "3.1",
            "get_memory_index",
            {},
            {
                "entries": [
                    {
                        **LIN_QIAO,
                        "version": "1",
                        "description": "Lin Qiao, the protagonist",
                        "aliases": ["Qiao"],
                        "sources": ["seed-job"],
                        "last_updated": "2026-01-01T00:00:00Z",
                    }
                ],
                "capped": [],
            },
        ),
        Step(
            "3.2",
            "replace_fact",
            {
                **LIN_QIAO,
                "old_string": "- [stated] Has brown eyes.",
                "new_string": "- [stated] Has grey eyes.",
                "expected_version": "1",
            },
            {
                **LIN_QIAO,
                "content": LIN_QIAO_AFTER,
                "version": "2",
                "description": "Lin Qiao, the protagonist",
                "aliases": ["Qiao"],
                "sources": ["inkwell-web", "seed-job"],
                "last_updated": "2026-01-01T00:00:01Z",
            },
        ),
        Step(
            "3.3",
            "replace_fact",
            {**LIN_QIAO, "old_string": "Has green eyes.", "new_string": "Has blue eyes.", "expected_version": "2"},
            {
                "error": "ReplaceFactMatchError",
                "category": "recoverable",
                "message": "old_string matched 0 spans in scope project, area characters, name lin-qiao; widen or"
                " correct old_string using the attached current content so it matches." + RECOVERABLE,
                **LIN_QIAO,
                "content": LIN_QIAO_AFTER,
                "version": "2",
                "match_count": 0,
            },
        ),
        Step(
            "3.3 with a stale version",
            "replace_fact",
            {**LIN_QIAO, "old_string": "Has green eyes.", "new_string": "Has blue eyes.", "expected_version": "1"},
            {
                "error": "VersionConflictError",
                "category": "recoverable",
                "message": "The file at scope project, area characters, name lin-qiao changed since it was read; the"
                " current content and version are attached; merge your change into the current content and retry with"
                " the current version." + RECOVERABLE,
                **LIN_QIAO,
                "content": LIN_QIAO_AFTER,
                "version": "2",
            },
        ),
    ),
    left={
        "project/p-ninth-examination/characters/lin-qiao.md": (
            LIN_QIAO_AFTER,
            stored("Lin Qiao, the protagonist", '["Qiao"]', '["inkwell-web", "seed-job"]', 1),
            "2",
        )
    },
)

HAN_ZHOU = {"scope": "project", "area": "characters", "name": "han-zhou"}
SUBPLOT = {"scope": "project", "area": "plot", "name": "smuggler-subplot"}

REMOVE_A_SUBPLOT = Scenario(
    title="remove a subplot and what depended on it",
    seeds=(
        Seed(
            "project/p-ninth-examination/plot/smuggler-subplot.md",
            "Smuggler subplot",
            ("salt smugglers", "ledger"),
            "- [stated] Han Zhou's brother runs salt across the river.\n"
            "- [stated] Lin Qiao finds the ledger in chapter 12.\n",
        ),
        Seed(
            "project/p-ninth-examination/characters/han-zhou.md",
            "Han Zhou, Lin Qiao's rival",
            ("Han",),
            "- [stated] Is Lin Qiao's rival at the examination.\n- [stated] His brother runs salt across the river.\n",
        ),
    ),
    steps=(
        Step("4.1", "delete_file", {**SUBPLOT, "expected_version": "1"}, {"ok": True}),
        Step(
            "4.2",
            "replace_fact",
            {
                **HAN_ZHOU,
                "old_string": "- [stated] His brother runs salt across the river.\n",
                "new_string": "",
                "expected_version": "2",
            },
            {
                **HAN_ZHOU,
                "content": "- [stated] Is Lin Qiao's rival at the examination.\n",
                "version": "3",
                "description": "Han Zhou, Lin Qiao's rival",
                "aliases": ["Han"],
                "sources": ["inkwell-web", "seed-job"],
                "last_updated": "2026-01-01T00:00:02Z",
            },
        ),
        Step(
            "4.3",
            "read_file",
            SUBPLOT,
            {
                "error": "NotFoundError",
                "category": "recoverable",
                "message": "No file exists at scope project, area plot, name smuggler-subplot yet; you may create it."
                + RECOVERABLE,
                **SUBPLOT,
                "reason": "file_absent",
            },
        ),
    ),
    left={
        "project/p-ninth-examination/characters/han-zhou.md": (
            "- [stated] Is Lin Qiao's rival at the examination.\n",
            stored("Han Zhou, Lin Qiao's rival", '["Han"]', '["inkwell-web", "seed-job"]', 2),
            "3",
        )
    },
)

HOUSE_STYLE = {"scope": "organization", "area": "system", "name": "house-style"}
HOUSE_STYLE_LINES = "- [system] Dialogue uses double quotation marks.\n- [system] Spelling follows British English.\n"
HOUSE_RULE = {"scope": "organization", "area": "conventions", "name": "dialogue"}
BOOK_RULE = {"scope": "project", "area": "style", "name": "dialogue"}
BOOK_RULE_LINE = "- [stated] Dialogue uses single quotation marks in this manuscript, an exception to house style.\n"

CURATED_CONTENT = Scenario(
    title="curated content, role gate, and an exception recorded elsewhere",
    seeds=(
        Seed(
            "organization/o-hanlin-press/system/house-style.md",
            "Hanlin Press house style",
            ("style guide", "house style"),
            HOUSE_STYLE_LINES,
        ),
    ),
    steps=(
        Step(
            "5.1",
            "read_file",
            HOUSE_STYLE,
            {
                **HOUSE_STYLE,
                "content": HOUSE_STYLE_LINES,
                "version": "1",
                "description": "Hanlin Press house style",
                "aliases": ["style guide", "house style"],
                "sources": ["seed-job"],
                "last_updated": "2026-01-01T00:00:00Z",
            },
        ),
        Step(
            "5.2",
            "write_file",
            {
                **HOUSE_STYLE,
                "content": "- [system] Dialogue uses single quotation marks.\n",
                "description": "two\nlines, which would be refused too",
                "aliases": [],
                "expected_version": "1",
            },
            {
                "error": "RestrictedScopeError",
                "category": "permanent",
                "message": "The file at scope organization, area system, name house-style cannot be written: the"
                " system/ area of scope organization is read-only (curated content)." + PERMANENT,
                **HOUSE_STYLE,
                "reason": "system_read_only",
            },
        ),
        Step(
            "5.3",
            "write_file",
            {
                **HOUSE_RULE,
                "content": "- [stated] Dialogue uses single quotation marks.\n",
                "description": "Dialogue punctuation",
                "aliases": [],
                "expected_version": None,
            },
            {
                "error": "RestrictedScopeError",
                "category": "permanent",
                "message": "The file at scope organization, area conventions, name dialogue cannot be written: scope"
                " organization is role-gated and the caller lacks a permitted role (admin, owner)." + PERMANENT,
                **HOUSE_RULE,
                "reason": "role_required",
                "required_roles": ["admin", "owner"],
            },
        ),
        Step(
            "5.4",
            "write_file",
            {
                **BOOK_RULE,
                "content": BOOK_RULE_LINE,
                "description": "Dialogue punctuation for this book",
                "aliases": ["quotation marks", "quotes"],
                "expected_version": None,
            },
            {
                **BOOK_RULE,
                "content": BOOK_RULE_LINE,
                "version": "2",
                "description": "Dialogue punctuation for this book",
                "aliases": ["quotation marks", "quotes"],
                "sources": ["inkwell-web"],
                "last_updated": "2026-01-01T00:00:01Z",
            },
        ),
    ),
    left={
        "organization/o-hanlin-press/system/house-style.md": (
            HOUSE_STYLE_LINES,
            stored("Hanlin Press house style", '["style guide", "house style"]', '["seed-job"]', 0),
            "1",
        ),
        "project/p-ninth-examination/style/dialogue.md": (
            BOOK_RULE_LINE,
            stored("Dialogue punctuation for this book", '["quotation marks", "quotes"]', '["inkwell-web"]', 1),
            "2",
        ),
    },
)

ACCOUNT_NUMBER = Scenario(
    title="nothing is written for an account number",
    seeds=(),
    steps=(Step("6.1", "get_memory_index", {}, EMPTY_INDEX),),
)

SCENARIOS = (
    PREFERENCE_SURVIVES,
    APPEND_AFTER_A_LOST_RACE,
    CHANGE_ONE_LINE,
    REMOVE_A_SUBPLOT,
    CURATED_CONTENT,
    ACCOUNT_NUMBER,
)
