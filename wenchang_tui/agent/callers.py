"""Who may call the server: each caller has a token of its own and acts as one identity."""

import secrets
from dataclasses import dataclass, field

from wenchang.identity import Identity


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody with a token. `name` is what a person calls them; the token never shows in a `repr`."""

    name: str
    identity: Identity
    token: str = field(repr=False)


class CallerResolver:
    """Resolves a caller to the identity it acts as."""

    def resolve(self, credentials: Caller) -> Identity:
        """The caller's own identity."""
        return credentials.identity


def new_token() -> str:
    """A token that nobody can guess: 43 characters that need no quoting anywhere."""
    return secrets.token_urlsafe(32)
