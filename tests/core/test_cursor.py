import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wenchang.core import ListCursor
from wenchang.core.cursor import decode_cursor, encode_cursor

anything = st.text(st.characters(exclude_categories=()))


@given(prefix=anything, rest=anything)
def test_a_cursor_gives_back_any_key_it_was_made_of(prefix: str, rest: str) -> None:
    assert decode_cursor(encode_cursor(prefix + rest), prefix) == prefix + rest


def test_a_cursor_is_padded_url_safe_base64_of_the_key() -> None:
    assert encode_cursor("user/u/a/b?>.md") == base64.urlsafe_b64encode(b"user/u/a/b?>.md").decode()
    assert encode_cursor("a") == "YQ=="


@pytest.mark.parametrize("text", ["YQ", "YR==", "YQ==\n", " YQ==", "Y!Q==", "é", "/+==", "gA==", "=", "YQ==YQ=="])
def test_text_that_no_store_issued_is_malformed(text: str) -> None:
    with pytest.raises(ValueError, match="Malformed list cursor") as caught:
        decode_cursor(ListCursor(text), "")
    assert str(caught.value) == f"Malformed list cursor: {text!r}"


@pytest.mark.parametrize("key", ["", "project/p/a/b.md", "user"])
def test_a_cursor_is_good_for_its_own_prefix_alone(key: str) -> None:
    cursor = encode_cursor(key)
    with pytest.raises(ValueError, match="Cursor") as caught:
        decode_cursor(cursor, "user/")
    assert str(caught.value) == f"Cursor {cursor!r} was not issued for prefix 'user/'"
