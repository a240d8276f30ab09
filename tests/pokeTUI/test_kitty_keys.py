"""What the parser makes of a terminal's bytes, as Kitty and older terminals send them."""

import random

import pytest
from textual import events
from textual.message import Message

from pokeTUI.terminal.driver import FlagsAnswered, KeyParser, KeyReleased


def parse(*parts: str) -> list[Message]:
    parser = KeyParser()
    return [message for part in parts for message in parser.feed(part)]


def told(*parts: str) -> list[str]:
    """Return "+key" for what went down and "-key" for what went up."""
    return [
        ("-" if isinstance(message, KeyReleased) else "+") + message.key
        for message in parse(*parts)
        if isinstance(message, events.Key | KeyReleased)
    ]


@pytest.mark.parametrize(
    ("sequence", "expected"),
    [
        ("\x1b[97;;97u", ["+a"]),
        ("\x1b[97;1:1;97u", ["+a"]),
        ("\x1b[97;1:2;97u", ["+a"]),
        ("\x1b[97;1:3u", ["-a"]),
        ("\x1b[97:65;2:1;65u", ["+A"]),
        ("\x1b[97:65;2:3u", ["-a"]),
        ("\x1b[97:65:98;2:3u", ["-a"]),
        ("\x1b[A", ["+up"]),
        ("\x1b[1;1:1A", ["+up"]),
        ("\x1b[1;1:2A", ["+up"]),
        ("\x1b[1;1:3A", ["-up"]),
        ("\x1b[1;129:3D", ["-left"]),
        ("\x1b[1;2B", ["+shift+down"]),
        ("\x1b[13u", ["+enter"]),
        ("\x1b[13;1:3u", ["-enter"]),
        ("\x1b[127;1:3u", ["-backspace"]),
        ("\x1b[3;1:3~", ["-delete"]),
        ("\x1b[99;5:1u", ["+ctrl+c"]),
        ("\x1b[99;5:3u", ["-c"]),
        ("\x1b[63;2:1;63u", ["+question_mark"]),
        ("\x1b[57441;2:1u\x1b[57441;1:3u", ["+left_shift", "-left_shift"]),
        ("\x1b[1;1:1C\x1b[122;1:1;122u\x1b[1;1:3C\x1b[122;1:3u", ["+right", "+z", "-right", "-z"]),
        ("\x1bOA\x1b[Bz", ["+up", "+down", "+z"]),
        ("\x1b[1;1", []),
    ],
)
def test_keys_go_down_and_up(sequence: str, expected: list[str]) -> None:
    assert told(sequence) == expected
    assert told(*sequence) == expected, "byte by byte, as slow links bring it"


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[1:2:3A", "\x1b[97;1:4u", "\x1b[97;0:1u", "\x1b[97;999:3u", "\x1b[55296;1:1u",
        "\x1b[99999999;1:3u", "\x1b[97;1:1;99999999u", "\x1b[97;1:3:3:3u", "\x1b[:::u",
        "\x1b[;;;u", "\x1b[97;1:;u\x1b[97;:3u", "\x1b[9999999999999999999999;1u",
        "\x1b[48;0;0;0;0t\x1b[<0;5;5M", "\x1b[48;24;80;0;0t\x1b[<0;5;5M",
        "\x1b[48;99999999;99999999;1;1t", "\x1b[<999999999999;1;1M", "\x1b[M\x00\x00\x00",
    ],
)  # fmt: skip
def test_nonsense_ends_nothing(sequence: str) -> None:
    parser = KeyParser()
    for message in parser.feed(sequence):
        assert not isinstance(message, events.Resize) or message.size.width <= 5000
    last = list(parser.feed("\x1b[1;1:3A"))[-1]
    assert isinstance(last, KeyReleased)
    assert last.key == "up"


def test_other_reports_are_read_as_before() -> None:
    (answer,) = parse("\x1b[?27u")
    assert isinstance(answer, FlagsAnswered)
    assert answer.flags == 27
    (position,) = parse("\x1b[12;5R")
    assert isinstance(position, events.CursorPosition)
    (paste,) = [
        each for each in parse("\x1b[200~z97;1:3u\x1b[201~ ") if isinstance(each, events.Paste)
    ]
    assert paste.text == "z97;1:3u"
    assert [type(each) for each in parse("\x1b[I\x1b[O")] == [events.AppFocus, events.AppBlur]
    assert type(parse("\x1b[<0;5;5M")[0]) is events.MouseDown


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_random_strings_end_nothing(count: int) -> None:
    rng = random.Random(6)
    alphabet = "\x1b\x1b[[<?;;:::0123456789uA~RMmtIO$yDFHPQS\x00z\uff11\u0663\ud7ff"
    parser = KeyParser()
    for number in range(count):
        length = rng.randrange(1, 12)
        if number % 4 == 0:
            text = rng.randbytes(length).decode("utf-8", "replace")
        elif number % 4 == 1:
            text = "".join(rng.choices(alphabet, k=length))
        else:
            parts = [":".join(_number(rng) for _ in range(rng.randrange(4))) for _ in range(4)]
            text = "\x1b[" + ";".join(parts[: rng.randrange(5)]) + rng.choice("uA~RtMmSZ")
        for _ in parser.feed(text):
            pass
        if number % 8 == 0:
            for _ in parser.feed("\x1b[201~"):
                pass
    assert told("\x1b[1;1:3A") == ["-up"]


def _number(rng: random.Random) -> str:
    return rng.choice(
        ["", "0", "1", "2", "3", "97", "57441", "99999999", str(rng.randrange(10**9))]
    )
