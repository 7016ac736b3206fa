import inspect
import re
from typing import Any

import pytest

from wenchang.prompts import SECTION_ORDER, PromptSlots, build_memory_prompt, sections
from wenchang.prompts.sections import GENERIC, HEADINGS
from wenchang.tools import TOOL_NAMES, MemoryTools

SLOTS = PromptSlots(
    purpose="Inkwell helps to write novels.",
    scope_guidance="There is one private scope.",
    seed_areas="- preferences\n- workflows",
    systems_of_record="The manuscript system owns chapters.",
)

LAYOUT = {
    "overview": "Memory",
    "scope_guidance": "Scopes",
    "seed_areas": "Seed areas",
    "systems_of_record": "Systems of record",
    "applying_memory": "Applying memory",
    "remembering": "Deciding what to remember",
    "privacy": "What never to store",
    "filing": "Filing",
    "write_mechanics": "Choosing a write tool",
    "curated_content": "Curated content",
    "forgetting": "Forgetting",
}


def bodies(prompt: str) -> dict[str, str]:
    """Heading -> body."""
    parts = re.split(r"^## (.+)\n\n", prompt, flags=re.MULTILINE)
    assert parts[0] == ""
    return dict(zip(parts[1::2], parts[2::2], strict=True))


# Slots


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"purpose": 1, "scope_guidance": ""}, TypeError, "purpose must be str, not int"),
        ({"purpose": "", "seed_areas": None}, TypeError, "seed_areas must be str, not NoneType"),
        ({"purpose": "", "systems_of_record": 1}, TypeError, "systems_of_record must be str or None, not int"),
        (
            {"scope_guidance": " \n", "seed_areas": ""},
            ValueError,
            "scope_guidance must not be empty or whitespace-only",
        ),
        ({"systems_of_record": ""}, ValueError, "systems_of_record must not be empty or whitespace-only"),
        ({"seed_areas": "\ud800"}, ValueError, "seed_areas must be encodable as UTF-8"),
    ],
)
def test_slots_that_cannot_be_are_refused(changed: Any, error: type[Exception], message: str) -> None:
    given = {"purpose": "p", "scope_guidance": "s", "seed_areas": "a", **changed}
    with pytest.raises(error) as refusal:
        PromptSlots(**given)
    assert str(refusal.value) == message


class Loud(str):
    def strip(self, *_: Any) -> str:
        return "lie"


def test_slots_are_stripped_and_exact() -> None:
    slots = PromptSlots(Loud(" p\n"), "\ts ", " a", None)
    assert (slots.purpose, slots.scope_guidance, slots.seed_areas, slots.systems_of_record) == ("p", "s", "a", None)
    assert type(slots.purpose) is str
    with pytest.raises(AttributeError):
        slots.purpose = "x"  # type: ignore[misc]


# The prompt


def test_sections_come_in_their_order_under_their_headings() -> None:
    prompt = build_memory_prompt(SLOTS)
    assert tuple(LAYOUT) == SECTION_ORDER
    assert re.findall(r"^#+ .*$", prompt, flags=re.MULTILINE) == [f"## {heading}" for heading in LAYOUT.values()]
    assert prompt.endswith("\n")
    assert not prompt.endswith("\n\n")
    assert "\n\n\n" not in prompt
    assert build_memory_prompt(SLOTS) == prompt


def test_slots_stand_where_they_belong_and_generic_text_cannot_be_dropped() -> None:
    found = bodies(build_memory_prompt(SLOTS))
    assert found["Memory"] == f"Inkwell helps to write novels.\n\n{GENERIC['overview'].strip()}\n\n"
    assert found["Scopes"] == "There is one private scope.\n\n"
    assert found["Seed areas"] == "- preferences\n- workflows\n\n"
    assert found["Systems of record"] == (
        f"{GENERIC['systems_of_record'].strip()}\n\nThe manuscript system owns chapters.\n\n"
    )
    for section in SECTION_ORDER[4:]:
        assert found[HEADINGS[section]].strip() == GENERIC[section].strip()


def test_without_systems_of_record_their_section_is_left_out() -> None:
    slots = PromptSlots("p", "s", "a")
    headings = list(bodies(build_memory_prompt(slots)))
    assert headings == [heading for heading in LAYOUT.values() if heading != "Systems of record"]


def test_section_texts_are_read_when_a_prompt_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sections.GENERIC, "privacy", "\n Other words. \n")
    assert bodies(build_memory_prompt(SLOTS))["What never to store"] == "Other words.\n\n"
    monkeypatch.setitem(sections.GENERIC, "privacy", "")
    assert "What never to store" not in bodies(build_memory_prompt(SLOTS))


@pytest.mark.parametrize("slots", [None, {"purpose": "p"}, "p"])
def test_a_prompt_is_built_from_slots(slots: Any) -> None:
    with pytest.raises(TypeError) as refusal:
        build_memory_prompt(slots)
    assert str(refusal.value) == f"slots must be PromptSlots, not {type(slots).__name__}"


# The generic text


@pytest.mark.parametrize("section", GENERIC)
def test_generic_text_fits_everywhere(section: str) -> None:
    text = GENERIC[section]
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 100
    assert len(text) <= 2500
    assert not re.search(r"[{}]", text)
    assert not re.search(r"\bentit(y|ies)\b", text, flags=re.IGNORECASE)
    assert not re.search(r"\.(md|txt|json|py)\b", text)
    assert {word.strip("`.,") for word in re.findall(r"\S*/\S*", text)} <= {"system/"}


PARAMETERS = {
    name for tool in TOOL_NAMES for name in inspect.signature(getattr(MemoryTools, tool)).parameters if name != "self"
}
OTHER_TERMS = {"[stated]", "[observed]", "[inferred]", "[system]", "system/", "capped"}


@pytest.mark.parametrize("section", GENERIC)
def test_backticked_words_are_real(section: str) -> None:
    for term in re.findall(r"`([^`]+)`", GENERIC[section]):
        called = re.fullmatch(r"(\w+)(?:\((.*)\))?", term)
        if term in OTHER_TERMS:
            continue
        assert called is not None, term
        assert called[1] in TOOL_NAMES or called[1] in PARAMETERS, term
        assert called[2] is None or set(called[2].split(", ")) <= PARAMETERS, term


@pytest.mark.parametrize(
    ("section", "rules"),
    [
        ("overview", ("markdown files", "outlive this conversation", "scope", "start of every session", "index")),
        ("overview", ("before you answer from memory or write", "outgrows its file, split it")),
        ("systems_of_record", ("own their data", "second copy", "name or ID", "disagree", "ask before you change")),
        ("applying_memory", ("alters what you conclude, recommend or ask", "intrusive", "label", "not a habit")),
        ("remembering", ("`[stated]`", "`[observed]`", "`[inferred]`", "Never write a new `[system]` line")),
        ("remembering", ("keeps the label it has", "future session", "workflows", "transient", "definition behind")),
        ("remembering", ("end date into the sentence", "only when the user states it", "as they arise", "override")),
        ("privacy", ("before usefulness", "in any scope", "account numbers", "diagnoses", "minor", "carry on")),
        ("privacy", ("shared scopes", "unsure", "private scope", "No tool filters", "does not prove")),
        ("filing", ("one file of its own", "happens to be open", "new area", "descriptions and aliases", "`capped`")),
        ("filing", ("that area alone", "one or two candidates", "do not read everything", "can be searched")),
        ("filing", ("names that people will use", "take a name away, use `write_file`")),
        ("write_mechanics", ("`append_line` adds one fact", "quote its line", "whole line including its line break")),
        ("write_mechanics", ("only for creating", "dropping an alias", "whole file", "no trace of what it said")),
        (
            "curated_content",
            ("maintained by people", "as a whole", "never try to change it", "only when the user says"),
        ),
        ("curated_content", ("In a shared scope ask first", "Tell the user where", "answer from the correction")),
        ("curated_content", ("survives",)),
        (
            "forgetting",
            ("drop the line", "unclear which", "ask", "only fact", "leave no note", "words in descriptions"),
        ),
        ("forgetting", ("support of its own", "candidate for removal", "Never remove anything from `system/`")),
    ],
)
def test_every_rule_is_told(section: str, rules: tuple[str, ...]) -> None:
    text = " ".join(GENERIC[section].split())
    assert [rule for rule in rules if rule not in text] == []
