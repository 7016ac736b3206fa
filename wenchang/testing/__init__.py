"""Suites for adopters, to subclass and run with pytest: what a storage, resolver or transport of their own must do."""

from wenchang.testing.resolver import ResolverConformance
from wenchang.testing.storage import StorageConformance
from wenchang.testing.transport import TransportConformance

__all__ = ["ResolverConformance", "StorageConformance", "TransportConformance"]
