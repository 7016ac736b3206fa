"""Suites for adopters: what a storage of their own must do, as classes to subclass and run with pytest."""

from wenchang.testing.storage import StorageConformance

__all__ = ["StorageConformance"]
