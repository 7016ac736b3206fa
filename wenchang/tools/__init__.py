"""The seven tools an agent gets, and everything it reads of them: descriptions, schemas, results, errors."""

from wenchang.tools.rendering import render_error, render_result

__all__ = ["render_error", "render_result"]
