"""A program for tests of a real terminal: it notes every key that goes down or up.

    python -m tests.pokeTUI.key_listener NOTES

`q` ends it, `c` crashes it, `s` continues it while it is about to write.
"""

import os
import signal
import sys
from pathlib import Path

from textual.app import App
from textual.driver import Driver
from textual.events import Key

from pokeTUI.terminal.driver import KeyReleased, with_releases


class KeyListener(App[None]):
    def get_driver_class(self) -> type[Driver]:
        return with_releases(super().get_driver_class())

    def note(self, text: str) -> None:
        with Path(sys.argv[1]).open("a") as file:
            file.write(text + "\n")

    def on_mount(self) -> None:
        self.note("ready")

    def on_releases_reported(self) -> None:
        self.note("releases")

    def on_key(self, event: Key) -> None:
        self.note("+" + event.key)
        if event.key == "q":
            self.exit()
        if event.key == "c":
            raise RuntimeError("as asked for")
        if event.key == "s":
            with self._driver._writer_thread._queue.mutex:
                os.kill(os.getpid(), signal.SIGCONT)
            self.note("continued")

    def on_key_released(self, event: KeyReleased) -> None:
        self.note("-" + event.key)


if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # tests that run under nohup ignore it
    listener = KeyListener()
    listener.run()
    os.kill(os.getpid(), signal.SIGCONT)  # of a shell that continues it as it ends
    sys.exit(listener.return_code)
