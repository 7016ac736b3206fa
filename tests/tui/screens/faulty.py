"""A store with one fault of each kind that objects can have, for the screens that find and repair them."""

from tests.tui.screens.drive import put
from wenchang.storage import Storage

MALFORMED = "project/p/notes/draft.md"
STRAY = "project/p/loose-note.md"
LATIN = "user/u/notes/latin.md"
VAGUE = "user/u/notes/misc.md"
TWICE = "user/u/notes/twice.md"
LONG = "user/u/notes/long.md"


def fill_faulty(storage: Storage) -> None:
    """Two sound files, and six that are not."""
    put(storage, "project/p/notes/sound.md", "- [stated] fine\n", "The salt road in winter")
    put(storage, "user/u/notes/sound.md", "- [stated] fine\n", "The ferry at Heron Hill")
    storage.put(
        MALFORMED,
        b"- [stated] A first draft.\n",
        {"description": "The draft of the salt chapter", "sources": '["t"]', "last-updated": "2026-01-01T00:00:00Z"},
    )
    put(storage, STRAY, "- [stated] Lies where no agent looks.\n", "A loose note")
    put(storage, LATIN, "- [stated] caf\xe9\n".encode("latin-1"), "What the café costs")
    put(storage, VAGUE, "- [stated] The gate of Yunmen closes at dusk.\n", "notes")
    put(storage, TWICE, "- [stated] x\n", "The two names of the ferry", aliases='["ferry", "Ferry", "boat"]')
    put(storage, LONG, "- [stated] Salt comes from the sea.\n" * 500, "All about salt")
