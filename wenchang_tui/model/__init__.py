"""What is open, what is in it, and what follows from it. Knows storage and the library, never a screen.

Text that comes from storage is handed on as it stands; `wenchang_tui.model.safe` makes it fit to be shown.
"""
