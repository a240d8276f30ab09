"""Something small to show in a browser: it says what was pressed, and how large it is."""

import os
import signal
import sys
from pathlib import Path

from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static


class SmallViewer(App[None]):
    """Show the keys pressed so far.

    Args:
        notes: File to write the process id to, and when it hangs; none if empty.
    """

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, notes: str) -> None:
        super().__init__()
        self._notes = notes
        self._keys: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static("nothing pressed", id="said")
        yield Static("█▀▄ ⣿⣷⡆ ━┃┏┓ ✓ ✗ ░▒▓", id="signs")

    def on_mount(self) -> None:
        self._note(str(os.getpid()))

    def on_key(self, event: events.Key) -> None:
        if event.key == "q":
            self.exit()
        if event.key == "h":  # hang: take no notice of anything any more
            self._note("hangs")
            while True:
                signal.pause()
        self._keys.append(event.key)
        self.query_one("#said", Static).update(f"pressed {' '.join(self._keys)}")

    def _note(self, line: str) -> None:
        if self._notes:
            with Path(self._notes).open("a") as file:
                file.write(f"{line}\n")

    def on_resize(self, event: events.Resize) -> None:
        self.query_one("#signs", Static).update(
            f"█▀▄ ⣿⣷⡆ ━┃┏┓ ✓ ✗ ░▒▓ {event.size.width}x{event.size.height}"
        )


if __name__ == "__main__":
    SmallViewer(sys.argv[1] if len(sys.argv) > 1 else "").run()
    print("poketui: The run has ended.", file=sys.stderr)
