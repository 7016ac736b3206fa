"""How the app draws where a web server started it, and how it ends when that server has gone."""

from textual.drivers.web_driver import WebDriver
from textual.messages import ExitApp


class PipeDriver(WebDriver):
    """Textual's own driver for the web, which would wait for ever at the end of its input."""

    def run_input_thread(self) -> None:
        """Hand on what comes in; leave the app when nothing can come any more."""
        super().run_input_thread()
        self._app.post_message(ExitApp())
