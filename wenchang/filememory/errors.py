"""The errors of the file memory: each one's text is what an agent reads, and nothing else."""


class FileMemoryError(ValueError):
    """A call was refused or could not be carried out; `str(error)` says why. An `OSError` behind it is its cause."""


class FileMemoryClosedError(FileMemoryError):
    """The provider was closed before the call."""

    def __init__(self) -> None:
        super().__init__("file already closed")
