"""The errors of the file memory: each one's text is what an agent reads, and nothing else."""


class FileMemoryError(ValueError):
    """A call was refused or could not be carried out; `str(error)` says why. An `OSError` behind it is its cause."""


class FileMemoryClosedError(FileMemoryError):
    """The provider was closed before the call."""

    def __init__(self) -> None:
        super().__init__("file already closed")


class FileChangedError(FileMemoryError):
    """What a person saw of a memory is not what is there any more; nothing was changed."""

    def __init__(self, shown: str) -> None:
        super().__init__(f"{shown} changed since it was read; look at it again")
