"""Read what a terminal types: keys that go down and, by the Kitty protocol, up again.

Textual's own parser knows neither releases nor repeats, and what it does not expect ends the
program. This one takes anything; what it cannot understand is no key.
"""

import re
from collections.abc import Iterable

from textual import events
from textual._xterm_parser import XTermParser
from textual.keys import Keys
from textual.message import Message

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
    """Textual's parser, with releases, and without failing at anything.

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
