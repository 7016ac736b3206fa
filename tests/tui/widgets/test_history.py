from wenchang_tui.widgets.history import History, Spot


def test_back_and_forward_return_to_spots_with_their_files() -> None:
    history = History()
    for prefix in ("", "a/", "b/"):
        history.visit(prefix)
        history.remember(f"{prefix}x")
    assert history.step(-1) == Spot("a/", "a/x")
    assert history.can_go_forward
    assert history.step(1) == Spot("b/", "b/x")
    assert not history.can_go_forward


def test_the_ends_hold() -> None:
    history = History()
    history.visit("a/")
    assert not history.can_go_back
    assert history.step(-1) == Spot("a/")
    assert history.step(1) == Spot("a/")


def test_a_visit_forgets_what_was_ahead_and_a_repeated_one_does_not_count() -> None:
    history = History()
    for prefix in ("a/", "a/", "b/"):
        history.visit(prefix)
    history.step(-1)
    history.visit("c/")
    assert not history.can_go_forward
    assert history.step(-1) == Spot("a/")
