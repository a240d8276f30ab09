"""Read the keyboard in a way of our own: with releases where there are any, and without failing."""

import os
import selectors
import signal
from codecs import getincrementaldecoder
from typing import Any

from textual import constants
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from pokeTUI.terminal.keys import QUERY, REPORT_RELEASES, FlagsAnswered, KeyParser
from pokeTUI.terminal.probe import without_answers

_CHUNK = 4096
_LOOK_INTERVAL_S = 0.1


class ReleasesReported(Message):
    """From now on the terminal reports when a key goes up: KeyReleased will come."""


class JobDriver(LinuxDriver):
    """Keep the terminal's own modes when the program is stopped and continued from outside."""

    def _sigcont_application(self, *_: Any) -> None:
        """Take the terminal over again.

        SIGSTOP cannot be caught: the terminal was left as it was, and a shell has changed it since.
        Textual would take the program's modes for the terminal's own, and leave them at the end.
        """
        if self._writer_thread is None or not (self._auto_restart and self._app._running):
            return
        while self._is_in_background():  # as Textual does it, but before anything is changed
            os.kill(os.getpid(), signal.SIGSTOP)
        if self._writer_thread.is_alive():
            self.suspend_application_mode()
        self._must_signal_resume = True
        self.resume_application_mode()

    def _is_in_background(self) -> bool:
        try:
            return os.tcgetpgrp(self.fileno) != os.getpgrp()
        except OSError:  # it has no job control, or is gone
            return False


class KeyDriver(JobDriver):
    """Ask for releases where the terminal knows the Kitty protocol, and read garbage as garbage.

    Textual sets the protocol's other flags at the start and puts back what was there at the end, in
    a crash and while the program is suspended. What is added here is added to those flags, and only
    after the terminal has reported that it has them; so it goes with them.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._is_asked_for = False

    def start_application_mode(self) -> None:
        """Take the terminal over, also after a suspension."""
        self._is_asked_for = False
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self.input_tty and self._writer_thread is not None and not constants.DISABLE_KITTY_KEY:
            self.write(QUERY)
            self.flush()

    def process_message(self, message: Message) -> None:
        """Pass a message on; the terminal's answers are taken here."""
        if not isinstance(message, FlagsAnswered):
            super().process_message(message)
        elif message.flags & REPORT_RELEASES:
            super().process_message(ReleasesReported())
        elif not self._is_asked_for:
            self._is_asked_for = True
            self.write(f"\x1b[={message.flags | REPORT_RELEASES};1u{QUERY}")
            self.flush()

    def run_input_thread(self) -> None:
        """Read until the program ends or the terminal is gone."""
        parser = KeyParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_LOOK_INTERVAL_S):
                    data = self._read()
                    if not data:
                        # Nobody is there any more, whether or not a signal has said so.
                        os.kill(os.getpid(), signal.SIGHUP)
                        return
                    text = without_answers(decode(data))
                    for message in parser.feed(text) if text else ():
                        self.process_message(message)
                for message in parser.tick():
                    self.process_message(message)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, _CHUNK)
        except OSError:
            return b""


def with_releases(driver: type[Driver]) -> type[Driver]:
    """Return the driver to use instead of `driver`, where there is one."""
    return KeyDriver if driver is LinuxDriver else driver


def with_job_control(driver: type[Driver]) -> type[Driver]:
    """Return the same for an application that needs no key releases."""
    return JobDriver if driver is LinuxDriver else driver
