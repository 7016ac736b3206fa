"""Reusable drawing: what the screens are put together from. Widgets know values of the model, never a screen."""
