"""Values are told apart by their real type, whatever they claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang._types import exact_str, is_utf8, really, type_name


class Liar:
    """Claims to be a `str`."""

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return str


class Shout(str):
    """A `str` that tells everyone something else."""

    __slots__ = ()

    def __str__(self) -> str:
        return "SHOUTED"

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__


class Secretive(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise RuntimeError("no name")


class Nameless(metaclass=Secretive):
    pass


class Numbered(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        return 7  # type: ignore[return-value]


class Misnamed(metaclass=Numbered):
    pass


def test_the_real_type_decides() -> None:
    assert isinstance(Liar(), str)
    assert not really(Liar(), str)
    assert really(Shout("a"), str)
    assert really(True, int)
    assert not really("1", int)


def test_a_subclass_of_str_becomes_an_exact_one() -> None:
    text = exact_str(Shout("a"))
    assert type(text) is str
    assert text == "a"


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "NoneType"),
        (True, "bool"),
        (b"", "bytes"),
        (Liar(), "Liar"),
        (Nameless(), "<unnamed>"),
        (Misnamed(), "<unnamed>"),
    ],
    ids=["None", "bool", "bytes", "liar", "name raises", "name is no str"],
)
def test_a_type_is_named_where_it_can_be(value: object, name: str) -> None:
    assert type_name(value) == name


@given(st.text())
def test_only_unpaired_surrogates_are_no_utf8(text: str) -> None:
    assert is_utf8(text) == (not any("\ud800" <= character <= "\udfff" for character in text))
    assert not is_utf8(f"{text}\ud800")


def test_a_subclass_cannot_vouch_for_its_encoding() -> None:
    class Vouches(str):
        __slots__ = ()

        def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
            return b""

    assert not is_utf8(Vouches("\ud800"))
