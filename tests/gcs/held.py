"""A large bucket that the proxy holds itself, because to fill the emulator takes time that grows with the square.

It is made of names alone; what lies there is worked out from a name when it is asked for, and nothing can be changed.
`tests/gcs/test_held.py` holds it to what the emulator answers.
"""

import json
from bisect import bisect_left
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, unquote, urlsplit

GENERATION = "1700000000000001"


def body_of(name: str) -> bytes:
    return f"- [stated] This is {name}.\n".encode()


def metadata_of(name: str) -> dict[str, str]:
    description = f"What lies at {name.removesuffix('.md')}, in words that tell it from its neighbours"
    return {"description": description, "aliases": "[]", "sources": '["t"]', "last-updated": "2026-01-01T00:00:00Z"}


class HeldBucket:
    """Objects called `names`, each with the body and the metadata that are made of its name."""

    def __init__(self, name: str, names: Iterable[str]) -> None:
        self.name = name
        self.names = sorted(names)

    def find(self, target: str, query: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of the answer to a GET."""
        key = unquote(urlsplit(target).path.partition(f"/b/{quote(self.name)}/o")[2].removeprefix("/"))
        if not key:
            return 200, {}, json.dumps(self.page(query)).encode()
        if not self._holds(key):
            return 404, {}, b'{"error": {"code": 404, "message": "No such object"}}'
        if query.get("alt") == "media":
            return 200, {"X-Goog-Generation": GENERATION}, body_of(key)
        return 200, {"Content-Type": "application/json"}, json.dumps(self._item(key)).encode()

    def page(self, query: dict[str, str]) -> dict[str, Any]:
        """One page of a listing: objects, and with a delimiter what they have in common, together `maxResults`.

        What has any object from the start of the listing on is listed; the emulator wants it to come after the start.
        """
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        size = int(query["maxResults"])
        items: list[str] = []
        prefixes: list[str] = []
        at = bisect_left(self.names, max(prefix, query.get("startOffset", ""), query.get("pageToken", "")))
        while at < len(self.names) and self.names[at].startswith(prefix):
            name = self.names[at]
            if len(items) + len(prefixes) == size:
                return self._listed(items, prefixes, name)
            end = name.find(delimiter, len(prefix)) if delimiter else -1
            if end < 0:
                items.append(name)
                at += 1
            else:
                prefixes.append(name[: end + 1])
                at = bisect_left(self.names, f"{name[:end]}{chr(ord(delimiter) + 1)}")
        return self._listed(items, prefixes, None)

    def _listed(self, items: list[str], prefixes: list[str], token: str | None) -> dict[str, Any]:
        listed: dict[str, Any] = {"items": [self._item(name) for name in items], "prefixes": prefixes}
        return {name: found for name, found in {**listed, "nextPageToken": token}.items() if found}

    def _holds(self, key: str) -> bool:
        at = bisect_left(self.names, key)
        return self.names[at : at + 1] == [key]

    def _item(self, name: str) -> dict[str, Any]:
        return {
            "name": name,
            "generation": GENERATION,
            "size": str(len(body_of(name))),
            "contentType": "text/markdown; charset=utf-8",
            "metadata": metadata_of(name),
            "timeCreated": "2026-01-01T00:00:00.000000Z",
        }
