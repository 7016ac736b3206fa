"""The terminal app that opens a wenchang memory store, and the `wenchang` command."""
