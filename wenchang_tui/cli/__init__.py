"""The `wenchang` command: what the app does without a screen, and the way into the one with it.

Nothing heavy is imported to answer `--help`: textual only for the screen, rich only for a terminal.
"""
