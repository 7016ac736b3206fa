"""What stands in the inputs of an editor, and the file it amounts to. A value, so that a thread can work it out."""

from dataclasses import dataclass

from wenchang_tui.model.alias_line import aliases_from_line, aliases_to_line
from wenchang_tui.model.content import Content
from wenchang_tui.model.line_text import FieldText, LineText, Mark, field_text, line_text

MAX_LINES = 6_000
MAX_CHARACTERS = 384 * 1024
SHOWN_LINES = 500


@dataclass(frozen=True, slots=True)
class Typed:
    """Body, description and aliases as shown, each with the text it was made from.

    A `held` body is too large for an editor of lines: `body` shows how it begins, and all of it is kept.
    """

    body: LineText
    body_shown: str
    description: FieldText
    description_shown: str
    aliases: FieldText
    aliases_shown: str
    held: str | None = None

    def content(self) -> Content:
        """The file that is meant. Takes a moment for a large one."""
        body = self.body.back(self.body_shown) if self.held is None else self.held
        aliases = aliases_from_line(self.aliases.back(self.aliases_shown))
        return Content(body, self.description.back(self.description_shown), aliases)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The signs that stand for something else, each once."""
        return tuple(dict.fromkeys((*self.body.marks, *self.description.marks, *self.aliases.marks)))


def typed_of(content: Content) -> Typed:
    """The content as the inputs show it; unchanged it amounts to the same again."""
    is_huge = len(content.body) > MAX_CHARACTERS or content.body.count("\n") > MAX_LINES
    shown_body = "".join(content.body[:MAX_CHARACTERS].splitlines(keepends=True)[:SHOWN_LINES]) if is_huge else None
    body = line_text(content.body if shown_body is None else shown_body)
    description, aliases = field_text(content.description), field_text(aliases_to_line(content.aliases))
    held = content.body if is_huge else None
    return Typed(body, body.shown, description, description.shown, aliases, aliases.shown, held)
