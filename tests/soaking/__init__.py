"""The parts of `tests.soak`."""
