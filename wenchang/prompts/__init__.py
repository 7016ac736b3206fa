"""The system prompt that teaches an agent to use its memory: an adopter's own words and our standing rules.

Adopters fill four slots; the generic sections cannot be dropped, reordered or overridden. Pure text: nothing here knows
the tools' code, only their names. Agent layer, section 5.
"""

from dataclasses import dataclass, fields

from wenchang._types import exact_str, is_utf8, really, type_name
from wenchang.prompts.sections import GENERIC, HEADINGS

__all__ = ["SECTION_ORDER", "PromptSlots", "build_memory_prompt"]

SECTION_ORDER = tuple(HEADINGS)
"""The ids of the sections, in the order in which a prompt holds them."""


@dataclass(frozen=True, slots=True)
class PromptSlots:
    """What only the adopter knows. Values are stripped.

    `purpose`: one or two sentences that name the product and say when to use memory. `scope_guidance`: which scopes
    there are, which are shared or private, who writes where, when to ask first, what to do on contradiction.
    `seed_areas`: the areas to start with in each scope. `systems_of_record`: which systems own canonical data, if any.

    Raises `TypeError` for a value that is no `str`, `ValueError` for one that is blank or has no UTF-8 form.
    """

    purpose: str
    scope_guidance: str
    seed_areas: str
    systems_of_record: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            _check_type(field.name, getattr(self, field.name))
        for field in fields(self):
            if (value := getattr(self, field.name)) is not None:
                object.__setattr__(self, field.name, _checked_text(field.name, value))


def _check_type(field: str, value: object) -> None:
    optional = field == "systems_of_record"
    if not really(value, str) and not (optional and value is None):
        raise TypeError(f"{field} must be str{' or None' if optional else ''}, not {type_name(value)}")


def _checked_text(field: str, value: str) -> str:
    text = exact_str(value).strip()
    if not text:
        raise ValueError(f"{field} must not be empty or whitespace-only")
    if not is_utf8(text):
        raise ValueError(f"{field} must be encodable as UTF-8")
    return text


def build_memory_prompt(slots: PromptSlots, /) -> str:
    """The whole prompt, as Markdown with second-level headings and one final newline.

    Raises `TypeError` for anything but `PromptSlots`.
    """
    if not really(slots, PromptSlots):
        raise TypeError(f"slots must be PromptSlots, not {type_name(slots)}")
    bodies = {section: _body(section, slots) for section in SECTION_ORDER}
    return "\n\n".join(f"## {HEADINGS[section]}\n\n{body}" for section, body in bodies.items() if body) + "\n"


def _body(section: str, slots: PromptSlots) -> str:
    generic = GENERIC.get(section, "").strip()
    match section:
        case "overview":
            return f"{slots.purpose}\n\n{generic}"
        case "scope_guidance":
            return slots.scope_guidance
        case "seed_areas":
            return slots.seed_areas
        case "systems_of_record":
            return f"{generic}\n\n{slots.systems_of_record}" if slots.systems_of_record else ""
        case _:
            return generic
