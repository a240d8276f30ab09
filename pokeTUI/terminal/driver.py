"""Read the keyboard: with key releases where the terminal reports them, whatever arrives."""

import os
import re
import selectors
import signal
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from typing import Any

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.keys import Keys
from textual.message import Message

from pokeTUI.terminal.probe import without_answers

# Read what a terminal types: keys that go down and, by the Kitty protocol, up again.
#
# Textual's own parser knows neither releases nor repeats, and what it does not expect ends the
# program. This one takes anything; what it cannot understand is no key.

REPORT_RELEASES = 0b10
"""The flag of the Kitty keyboard protocol that adds repeats and releases to what is reported."""
QUERY = "\x1b[?u"

_KEY = re.compile(
    r"\x1b\[(?P<code>[0-9]*)(?::[0-9]*){0,2}"
    r"(?:;(?P<modifiers>[0-9]*)(?::(?P<kind>[0-9]*))?)?"
    r"(?:;(?P<text>[0-9:]*))?(?P<end>[u~ABCDEFHPQRS])"
)
_ANSWER = re.compile(r"\x1b\[\?([0-9]{1,3})u")
_PRESSED, _REPEATED, _RELEASED = "1", "2", "3"
_MAX_CODE, _SURROGATES = 0x10FFFF, range(0xD800, 0xE000)
_MAX_MODIFIERS = 256
_MAX_CELLS = 5000
"""Terminals are smaller; a report of a larger one is garbage, and would be given memory."""


class KeyReleased(events.Event, bubble=True):
    """A key went up. Only some terminals report it.

    Attributes:
        key: Textual's name of the key, without modifiers: whatever else was down meanwhile.
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self.key = key


class FlagsAnswered(Message):
    """The terminal said which flags of the Kitty keyboard protocol are in force."""

    key = ""

    def __init__(self, flags: int) -> None:
        super().__init__()
        self.flags = flags


class KeyParser(XTermParser):
    """Textual's parser, with releases, and without failing at any input.

    A repeat is a press here, as it is where terminals do not tell the two apart.
    """

    def feed(self, data: str) -> Iterable[Message]:
        """Yield what was typed."""
        for message in super().feed(data):
            if not isinstance(message, events.Resize) or all(
                0 < cells <= _MAX_CELLS for cells in message.size
            ):
                yield message

    def parse_mouse_code(self, code: str) -> Message | None:
        """Return the mouse's event, None where there is none to be made of it."""
        try:
            return super().parse_mouse_code(code)
        except (ArithmeticError, ValueError):  # of a terminal that said it has no size
            return None

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[events.Key]:
        if answer := _ANSWER.fullmatch(sequence):
            # The caller passes on whatever it is given, and asks for its `key` alone.
            return [FlagsAnswered(int(answer[1]))]  # type: ignore[list-item]
        match = _KEY.fullmatch(sequence)
        try:
            # An older form has no numbers, and is not of the Kitty protocol.
            if match is None or (match["modifiers"] is None and match["end"] != "u"):
                return list(super()._sequence_to_key_events(sequence, alt))
            return self._extended(match)
        except (ValueError, OverflowError):  # from numbers that are none, or no characters
            return [events.Key(Keys.Ignore, sequence)]

    def _extended(self, match: re.Match[str]) -> list[events.Key]:
        """Return the events of a key with a number or modifiers; [Ignore] for what is none."""
        code, end = match["code"] or "1", match["end"]
        texts = [text for text in (match["text"] or "").split(":") if text]
        modifiers = match["modifiers"] or "1"
        numbers = [*texts, code] if end == "u" else texts
        if not all(map(_is_character, numbers)) or not 1 <= _number(modifiers) <= _MAX_MODIFIERS:
            return [events.Key(Keys.Ignore, match[0])]
        if match["kind"] in (_PRESSED, _REPEATED, "", None):
            plain = f"\x1b[{code};{modifiers};{':'.join(texts)}{end}"
            return list(super()._sequence_to_key_events(plain))
        if match["kind"] != _RELEASED:
            return [events.Key(Keys.Ignore, match[0])]
        return [
            KeyReleased(each.key)  # type: ignore[misc]  # see above
            for each in super()._sequence_to_key_events(f"\x1b[{code};1{end}")
        ]


def _is_character(number: str) -> bool:
    code = _number(number)
    return 0 <= code <= _MAX_CODE and code not in _SURROGATES


def _number(digits: str) -> int:
    return int(digits) if digits else 0


# The drivers that use this parser.

_CHUNK = 4096
_LOOK_INTERVAL_S = 0.1


class ReleasesReported(Message):
    """From now on the terminal reports when a key goes up: KeyReleased will come."""


class JobDriver(LinuxDriver):
    """Keep the terminal's own modes when the program is stopped and continued from outside."""

    def _sigtstp_application(self, *_: Any) -> None:
        self._handle(super()._sigtstp_application)

    def _sigcont_application(self, *_: Any) -> None:
        self._handle(self._take_over)

    def _handle(self, handler: Callable[[], object]) -> None:
        """Handle a signal: not where it came, which may hold the lock of the writer's queue."""
        if self._loop.is_running():
            self._loop.call_soon_threadsafe(handler)
        else:
            handler()

    def _take_over(self) -> None:
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
