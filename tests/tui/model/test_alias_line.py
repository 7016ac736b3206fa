import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wenchang_tui.model.alias_line import aliases_from_line, aliases_to_line


@pytest.mark.parametrize(
    ("line", "aliases"),
    [
        ("", ()),
        ("Wei Ping, Wei An,the twins", ("Wei Ping", "Wei An", "the twins")),
        (' "Smith, John" , Bo', ("Smith, John", "Bo")),
        ('"say ""hi"""', ('say "hi"',)),
        ("a, , ,b,", ("a", "b")),
        ('"still typing, not clo', ("still typing, not clo",)),
        ('"quoted" and more, b', ('"quoted" and more', "b")),
        ('5" nails', ('5" nails',)),
        ('"", " "', ("", " ")),
    ],
)
def test_a_line_names_aliases(line: str, aliases: tuple[str, ...]) -> None:
    assert aliases_from_line(line) == aliases


@given(st.lists(st.text(alphabet=st.sampled_from('ab ,"\n\u2028')) | st.text()))
@example(['"', '"a', 'a"', '"a",b', ""])
def test_any_aliases_come_back_from_their_line(aliases: list[str]) -> None:
    assert aliases_from_line(aliases_to_line(aliases)) == tuple(aliases)
