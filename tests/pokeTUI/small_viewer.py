"""Something small to show in a browser: it says what was pressed, and how large it is."""

import os
import sys
from pathlib import Path

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static


class SmallViewer(App[None]):
    """Show the keys pressed so far.

    Args:
        pids: Where to write the process id; none if empty.
    """

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, pids: str) -> None:
        super().__init__()
        self._pids = pids
        self._keys: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static("nothing pressed", id="said")
        yield Static("█▀▄ ⣿⣷⡆ ━┃┏┓ ✓ ✗ ░▒▓", id="signs")

    def on_mount(self) -> None:
        if self._pids:
            with Path(self._pids).open("a") as file:
                file.write(f"{os.getpid()}\n")

    def on_key(self, event: events.Key) -> None:
        if event.key == "q":
            sys.stderr.write("poketui: The run has ended.\n")
            self.exit()
        if event.key == "h":  # hang: take no notice of anything any more
            while True:
                pass
        self._keys.append(event.key)
        self.query_one("#said", Static).update(f"pressed {' '.join(self._keys)}")

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#signs", Static).update(
            f"█▀▄ ⣿⣷⡆ ━┃┏┓ ✓ ✗ ░▒▓ {event.size.width}x{event.size.height}"
        )


if __name__ == "__main__":
    SmallViewer(sys.argv[1] if len(sys.argv) > 1 else "").run()
