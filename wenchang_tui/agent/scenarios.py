"""The six walkthroughs as a script: what lies in the store, who says what, and which tools are called with what.

Data alone. What must come of the calls is the business of the store; `playback` plays the script.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from wenchang.identity import Identity, ScopeGrant

SOURCE = "inkwell-web"
SEED_SOURCE = "seed-job"
WRITE_ROLES = {"organization": frozenset({"admin", "owner"})}

TIANLONG = "Tianlong"
DIYA = "Diya"
AGENT = "agent"
NARRATOR = ""

IDENTITIES: Mapping[str, Identity] = {
    TIANLONG: Identity(
        {
            "user": ScopeGrant("u-tianlong", "owner"),
            "project": ScopeGrant("p-ninth-examination", "member"),
            "organization": ScopeGrant("o-hanlin-press", "member"),
        }
    ),
    DIYA: Identity({"project": ScopeGrant("p-ninth-examination", "member")}),
}


@dataclass(frozen=True, slots=True)
class Seed:
    """A file that is there before anybody acts."""

    path: str
    description: str
    aliases: tuple[str, ...]
    content: str


@dataclass(frozen=True, slots=True)
class Say:
    """Somebody says something; the narrator has no name."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Use:
    """The agent of a caller uses a tool; in a new session it remembers nothing but what memory holds."""

    number: str
    tool: str
    arguments: Mapping[str, Any]
    caller: str = TIANLONG
    new_session: bool = False

    __hash__ = None  # type: ignore[assignment]


Beat: TypeAlias = Say | Use


@dataclass(frozen=True, slots=True)
class Walkthrough:
    """One story, told in beats."""

    title: str
    seeds: tuple[Seed, ...]
    beats: tuple[Beat, ...]

    __hash__ = None  # type: ignore[assignment]


_PROSE_STYLE = {"scope": "user", "area": "preferences", "name": "prose-style"}

_PREFERENCE_SURVIVES = Walkthrough(
    "A preference outlasts its session",
    (),
    (
        Say(NARRATOR, "Tianlong writes a novel, The Ninth Examination, with an agent that begins each session by "
            "loading its memory. On the first day there is nothing in it."),
        Use("1.1", "get_memory_index", {}),
        Say(TIANLONG, "Before we start: I write in close third person, past tense. Please keep to that."),
        Say(AGENT, "That will matter in every session. It is about Tianlong, so it goes into his own scope, as a "
            "fact he stated."),
        Use("1.2", "write_file", {
            **_PROSE_STYLE,
            "content": "- [stated] Writes in close third person, past tense.\n",
            "description": "Prose style preferences",
            "aliases": ["narration", "voice"],
            "expected_version": None,
        }),
        Say(NARRATOR, "The next day, in a new session. The conversation of yesterday is gone."),
        Say(TIANLONG, "Draft the opening of chapter two."),
        Use("1.3", "get_memory_index", {}, new_session=True),
        Say(AGENT, "The index names a file on prose style. That decides how the chapter has to sound."),
        Use("1.4", "read_file", _PROSE_STYLE),
        Say(AGENT, "“Lin Qiao had not slept. He counted the lamps along the canal…”"),
        Say(NARRATOR, "Close third person, past tense. Nobody had to say it twice."),
    ),
)  # fmt: skip

_TIMELINE = {"scope": "project", "area": "timeline", "name": "main-timeline"}
_TIANLONGS_LINE = "- [stated] Lin Qiao leaves the capital in the spring of year 3."

_LOST_RACE = Walkthrough(
    "A race for the timeline",
    (
        Seed(
            "project/p-ninth-examination/timeline/main-timeline.md",
            "Order of events in the novel",
            ("chronology", "timeline"),
            "- [stated] Lin Qiao sits the provincial examination in the autumn of year 1.\n"
            "- [stated] The Yunmen flood happens the night before the results.\n",
        ),
    ),
    (
        Say(NARRATOR, "The project's memory is shared: Tianlong and Diya, his editor, each have an agent, and both "
            "agents know the same timeline."),
        Use("2.1", "get_memory_index", {}),
        Say(TIANLONG, "Lin Qiao leaves the capital in the spring of year 3. Put that on the timeline."),
        Say(NARRATOR, "In that very moment, at another desk:"),
        Say(DIYA, "Han Zhou is posted to the northern garrison in the winter of year 2. Add it, please."),
        Use("2.2", "append_line", {
            **_TIMELINE,
            "line": "- [stated] Han Zhou is posted to the northern garrison in the winter of year 2.",
            "expected_version": "1",
        }, caller=DIYA),
        Say(AGENT, "As far as Tianlong's agent knows, the timeline is at version 1. It adds the line to that version."),
        Use("2.3", "append_line", {**_TIMELINE, "line": _TIANLONGS_LINE, "expected_version": "1"}),
        Say(NARRATOR, "Refused: the file is not as the agent has seen it. The error brings the current text and "
            "version along, so that nothing is lost and nobody needs to be asked."),
        Say(AGENT, "Diya's line comes before ours, and both can be true. Once more, on version 2."),
        Use("2.4", "append_line", {**_TIMELINE, "line": _TIANLONGS_LINE, "expected_version": "2"}),
        Say(NARRATOR, "Four lines, each of them once. Neither author noticed that there was a race."),
    ),
)  # fmt: skip

_LIN_QIAO = {"scope": "project", "area": "characters", "name": "lin-qiao"}
_MISS = {**_LIN_QIAO, "old_string": "Has green eyes.", "new_string": "Has blue eyes."}

_ONE_LINE = Walkthrough(
    "One line changed, and one missed",
    (
        Seed(
            "project/p-ninth-examination/characters/lin-qiao.md",
            "Lin Qiao, the protagonist",
            ("Qiao",),
            "- [stated] Has brown eyes.\n"
            "- [stated] Is 24 at the start of the novel.\n"
            "- [stated] Grew up in Yunmen, a river town.\n",
        ),
    ),
    (
        Say(NARRATOR, "A character's file holds three facts, and one of them has changed."),
        Use("3.1", "get_memory_index", {}),
        Say(TIANLONG, "I made Lin Qiao's eyes grey. Brown is wrong from now on."),
        Say(AGENT, "One line says brown. That line is replaced; the two others are none of my business."),
        Use("3.2", "replace_fact", {
            **_LIN_QIAO,
            "old_string": "- [stated] Has brown eyes.",
            "new_string": "- [stated] Has grey eyes.",
            "expected_version": "1",
        }),
        Say(TIANLONG, "And where it says green eyes, make them blue."),
        Use("3.3", "replace_fact", {**_MISS, "expected_version": "2"}),
        Say(NARRATOR, "A miss changes nothing. How often the text was found, and the file as it is, come with the "
            "error: the agent can see that there is nothing to replace."),
        Say(NARRATOR, "If it knew only the version before, it would hear of that first."),
        Use("3.3 with a stale version", "replace_fact", {**_MISS, "expected_version": "1"}),
        Say(AGENT, "Nothing here says green. Lin Qiao's eyes are grey, as of today. Is this about somebody else?"),
    ),
)  # fmt: skip

_SUBPLOT = {"scope": "project", "area": "plot", "name": "smuggler-subplot"}

_CUT_SUBPLOT = Walkthrough(
    "A subplot cut, with what hung on it",
    (
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
    (
        Say(TIANLONG, "I am cutting the smugglers. Forget the whole subplot."),
        Say(AGENT, "It has a file of its own, which goes as a whole. The version makes sure that it is the file I "
            "have read."),
        Use("4.1", "delete_file", {**_SUBPLOT, "expected_version": "1"}),
        Say(AGENT, "One thing depended on it: Han Zhou's brother ran salt. That line goes too, with its line break, "
            "and what else is known of Han Zhou stays."),
        Use("4.2", "replace_fact", {
            "scope": "project",
            "area": "characters",
            "name": "han-zhou",
            "old_string": "- [stated] His brother runs salt across the river.\n",
            "new_string": "",
            "expected_version": "2",
        }),
        Say(TIANLONG, "What did we have on the smugglers?"),
        Use("4.3", "read_file", _SUBPLOT),
        Say(AGENT, "Nothing any more."),
        Say(NARRATOR, "No half-remembered plot will turn up in chapter 12."),
    ),
)  # fmt: skip

_HOUSE_STYLE = {"scope": "organization", "area": "system", "name": "house-style"}

_CURATED = Walkthrough(
    "Curated rules, and an exception",
    (
        Seed(
            "organization/o-hanlin-press/system/house-style.md",
            "Hanlin Press house style",
            ("style guide", "house style"),
            "- [system] Dialogue uses double quotation marks.\n- [system] Spelling follows British English.\n",
        ),
    ),
    (
        Say(NARRATOR, "Hanlin Press keeps its house style in an area called system: people write it, agents read it."),
        Say(TIANLONG, "In this book dialogue takes single quotation marks."),
        Use("5.1", "read_file", _HOUSE_STYLE),
        Say(NARRATOR, "House style says double. An eager agent might simply change it."),
        Use("5.2", "write_file", {
            **_HOUSE_STYLE,
            "content": "- [system] Dialogue uses single quotation marks.\n",
            "description": "two\nlines, which would be refused too",
            "aliases": [],
            "expected_version": "1",
        }),
        Say(NARRATOR, "Never in system, whoever asks. A new convention of the press, next to it?"),
        Use("5.3", "write_file", {
            "scope": "organization",
            "area": "conventions",
            "name": "dialogue",
            "content": "- [stated] Dialogue uses single quotation marks.\n",
            "description": "Dialogue punctuation",
            "aliases": [],
            "expected_version": None,
        }),
        Say(NARRATOR, "That takes an admin or an owner, and Tianlong is a member. Trying again would not help, and "
            "the error says so."),
        Say(AGENT, "It is an exception of this book, so it belongs to the project, where Tianlong may write."),
        Use("5.4", "write_file", {
            "scope": "project",
            "area": "style",
            "name": "dialogue",
            "content": "- [stated] Dialogue uses single quotation marks in this manuscript, an exception to house "
            "style.\n",
            "description": "Dialogue punctuation for this book",
            "aliases": ["quotation marks", "quotes"],
            "expected_version": None,
        }),
        Say(NARRATOR, "The rule stands, the exception stands beside it, and whoever loads both knows which is which."),
    ),
)  # fmt: skip

_ACCOUNT_NUMBER = Walkthrough(
    "An account number is not kept",
    (),
    (
        Say(NARRATOR, "A new session, an empty memory."),
        Use("6.1", "get_memory_index", {}),
        Say(TIANLONG, "Fill in the advance form: my account is 0000 1234 5678. And remember that number."),
        Say(AGENT, "The form is filled in. The number itself I do not keep: account numbers are never stored, even "
            "when somebody asks for it."),
        Say(NARRATOR, "No tool was called. The rule is not in the tools, which filter nothing; it stands in the "
            "prompt that every agent gets from this server, under “What never to store”."),
    ),
)  # fmt: skip

WALKTHROUGHS = (_PREFERENCE_SURVIVES, _LOST_RACE, _ONE_LINE, _CUT_SUBPLOT, _CURATED, _ACCOUNT_NUMBER)
