"""One file a screen: each composes widgets, and turns what happens in them into calls on the model."""
