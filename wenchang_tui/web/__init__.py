"""The app in a browser on the same machine: each tab is a process of its own, drawn by `textual-serve`.

Everything below needs the extra `web`; nothing here is imported before somebody asks for a page.
"""
