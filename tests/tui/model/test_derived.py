import pytest

from wenchang_tui.model.derived import Derived


def test_items_are_made_when_they_are_asked_for_and_stand_where_those_of_a_list_do() -> None:
    made: list[int] = []

    def square(place: int) -> int:
        made.append(place)
        return place * place

    squares = Derived(5, square)
    assert (len(squares), made) == (5, [])
    assert (squares[-1], made) == (16, [4])
    assert list(squares) == [0, 1, 4, 9, 16]
    assert list(squares[3:0:-1][1:]) == [4, 1]
    with pytest.raises(IndexError):
        squares[5]
