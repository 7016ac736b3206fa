"""The `wenchang` command: what the app does without a screen, and the way into the one with it.

Nothing is imported to answer `--help`; click only for a command, textual only for the screen, rich only for a terminal.
"""
