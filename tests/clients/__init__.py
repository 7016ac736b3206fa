"""The server as programs that we did not write see it."""
