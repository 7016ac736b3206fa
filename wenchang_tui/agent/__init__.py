"""The MCP server inside the app, and the record of what agents do through it. Knows no screen.

`mcp` and `uvicorn` take longer to import than a first frame may: only the modules that the server's own thread imports
(`hosting`, `stdio` and what stands below them) know them, and `playback` once it plays. Everything else is cheap.
"""
