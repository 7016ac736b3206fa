"""What is open: a target, its storage and store, and who acts in it. Opening a target happens here and nowhere else."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

from wenchang.core import MemoryStore
from wenchang.identity import Identity, ScopeGrant
from wenchang.scope import ScopePolicy
from wenchang.storage import Storage
from wenchang.storage.filesystem import FilesystemStorage
from wenchang_tui.model.catalog import Catalog
from wenchang_tui.model.problems import OpenError, Problem, describe
from wenchang_tui.model.read_only import read_only
from wenchang_tui.model.retries import Retries
from wenchang_tui.model.settings import DEFAULT_ROLE, Settings

__all__ = ["Ambiguous", "Settings", "Workspace", "infer_identity", "open_demo", "open_folder", "workspace_over"]

MANY = 100
"""Scopes, and entities of each, that are looked at to find out who acts."""


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """No identity follows from the store alone: the entities found, by scope, and whether there are more of them."""

    entities: dict[str, tuple[str, ...]]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Workspace:
    """An open store. `target` is its name for a person, `kind` is `folder`, `demo` or `bucket`.

    `root` is the folder to watch, if it is one; `retries` tells of requests that had to be sent again, where it can.
    """

    target: str
    kind: str
    storage: Storage
    store: MemoryStore
    settings: Settings
    root: Path | None
    retries: Retries | None = None

    @property
    def policy(self) -> ScopePolicy:
        """Which roles may write where."""
        return ScopePolicy(self.settings.write_roles)

    @property
    def catalog(self) -> Catalog:
        """What lies in the store."""
        return Catalog(self.storage, is_far=self.kind == "bucket", root=self.root)

    def identity(self) -> Identity | Ambiguous:
        """Who acts: the granted entities, or those that the store itself leaves no doubt about. Reads the store."""
        if self.settings.grants:
            return Identity(self.settings.grants)
        return infer_identity(self.catalog)


def open_folder(path: str | os.PathLike[str], settings: Settings, *, create: bool = False) -> Workspace:
    """The store in a folder, `~/` being the home; `create` makes it when there is none. Raises `OpenError`."""
    root = Path(path)
    if root.parts[:1] == ("~",):
        root = root.expanduser()
    try:
        _check_folder(root, create=create, read_only=settings.read_only)
    except OSError as error:
        raise OpenError(describe(error)) from error
    return workspace_over(os.fspath(path), "folder", FilesystemStorage(root), settings, root)


def open_demo(settings: Settings, *, keep: bool = False) -> Workspace:
    """A fresh copy of the demo store, alone in a temporary folder that goes when the process ends unless `keep`.

    Without grants and restrictions of its own it opens as `DEMO_IDENTITY`. Raises `OpenError`.
    """
    from wenchang_tui.model.demo import DEMO_IDENTITY, DEMO_WRITE_ROLES, build_demo  # nothing else needs it
    from wenchang_tui.model.demo_folder import new_demo_folder

    try:
        root = new_demo_folder(keep=keep) / "store"
        root.mkdir()
        storage = FilesystemStorage(root, durable=False)
        build_demo(storage)
    except OSError as error:
        raise OpenError(describe(error)) from error
    as_demo = replace(
        settings,
        grants=settings.grants or DEMO_IDENTITY.grants,
        write_roles=settings.write_roles or DEMO_WRITE_ROLES,
    )
    return workspace_over("demo", "demo", storage, as_demo, root)


def infer_identity(catalog: Catalog) -> Identity | Ambiguous:
    """The identity of a store whose scopes each hold exactly one entity, as `owner`; otherwise what was found.

    Looks at the first `MANY` of each level.
    """
    scopes = catalog.names("", limit=MANY)
    pages = {scope: catalog.names(f"{scope}/", limit=MANY) for scope in scopes.names}
    found = {scope: page.names for scope, page in pages.items() if page.names}
    more = any(page.next_after is not None for page in (scopes, *pages.values()))
    if more or any(len(entities) > 1 for entities in found.values()):
        return Ambiguous(found, more)
    try:
        return Identity({scope: ScopeGrant(entities[0], DEFAULT_ROLE) for scope, entities in found.items()})
    except ValueError:  # a scope or entity that is no path segment can be seen, but nobody can be it
        return Ambiguous(found)


def workspace_over(
    target: str, kind: str, storage: Storage, settings: Settings, root: Path | None, retries: Retries | None = None
) -> Workspace:
    """An open storage as a workspace, with everything as `settings` says."""
    shown: Storage = read_only(storage) if settings.read_only else storage
    store = MemoryStore(
        shown,
        max_file_bytes=settings.max_file_bytes,
        list_page_size=settings.page_size,
        index_max_bytes=settings.index_bytes,
        scope_priority=settings.priority,
        max_files_per_entity=settings.max_files,
    )
    return Workspace(target, kind, shown, store, settings, root, retries)


def _check_folder(root: Path, *, create: bool, read_only: bool) -> None:
    if not root.exists():
        if not create:
            raise OpenError(Problem("Not found", f"there is no folder {root}.", "Check the path, or add --create."))
        if read_only:
            raise OpenError(Problem("Read-only", f"{root} is not created.", "Leave out --read-only to create it."))
        root.mkdir(parents=True)
    elif not root.is_dir():
        raise OpenError(Problem("Not a folder", f"{root} is a file.", "Name the folder that holds the memory."))
    with os.scandir(root):  # a folder that may not be read fails here, before anything is drawn
        pass
