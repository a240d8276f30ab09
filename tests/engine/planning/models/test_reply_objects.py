"""The object in a reply is found in time that the text's length bounds, and nothing breaks it."""

import sys

import pytest

from engine.planning.models.reply import read_object
from tests.engine.planning.models.replies import GOOD, SCHEMA

KEYS = ("choice", "goal")

FLOODS = {
    "white space": '{"choice": "a"' + " " * 100_000,
    "new lines": "\n" * 100_000,
    "open braces": "{" * 100_000,
    "closed braces": "}" * 100_000,
    "empty objects": "{}" * 50_000,
    "brackets": "[" * 100_000,
    "pairs of both": '{"a":[' * 20_000,
    "names within names": '{"choice":' * 10_000,
    "deep and closed": '{"choice":' * 1500 + "1" + "}" * 1500,
    "deep lists": '{"choice": 1, "a": ' + "[" * 8000 + "]" * 8000 + "}",
    "quotes": '"' * 100_000,
    "quotes in an object": "{" + '"' * 99_999,
    "escaped quotes": "{" + '\\"' * 50_000,
    "backslashes": '{"' + "\\" * 100_000,
    "single quotes": "{" + "\\'" * 50_000,
    "commas": "{" + "," * 100_000,
    "commas and spaces": "{" + ", " * 50_000,
    "lists in lists": "{" + "[," * 50_000,
    "letters": "{" + "a" * 100_000,
    "colons": "{" + "a:" * 50_000,
    "slashes": "{" + "/" * 100_000,
    "broken objects": '{"choice":x}' * 9000,
    "broken objects in one": "{" + '{"choice":x}' * 9000 + "}",
    "thoughts": "<think>" * 20_000,
    "a long number": '{"choice": ' + "1" * 19_000 + "}",
    "null characters": "\x00" * 100_000,
    "half characters": "\ud800" * 10_000,
}


def count_lines(call) -> int:
    """Return how many lines of the parser's Python ran: the same on any machine."""
    lines = 0

    def trace(frame, event, arg):
        nonlocal lines
        lines += event == "line"
        return trace if frame.f_code.co_filename.endswith("objects.py") else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_is_read_in_steps_that_its_length_bounds(name):
    text = FLOODS[name][:20_000]
    found = []
    steps = count_lines(lambda: found.append(read_object(text, "length", KEYS)))
    assert steps < 100 * len(text)
    assert found[0].values is None or "choice" in found[0].values
    assert read_object(FLOODS[name], "length", KEYS).values == found[0].values


def test_read_object_ignores_text_beyond_the_limit():
    assert read_object(" " * 30_000 + GOOD, keys=KEYS).values is None


def test_without_keys_the_last_object_is_taken():
    assert read_object(f'{GOOD} {{"x": 1}}').values == {"x": 1}
    assert read_object('[{"x": 1}]').values == {"x": 1}
    assert read_object("{}").values == {}


def test_keys_may_be_written_in_capitals():
    assert read_object('{"Action ": 3}', keys=("ACTION",)).values == {"action": 3}


def test_a_key_counts_only_with_a_plain_value():
    assert read_object(SCHEMA, keys=KEYS).values is None
    assert read_object('{"goal": "x"} {"goal": {"type": "string"}}', keys=KEYS).values == {
        "goal": "x"
    }


def test_truncated_values_are_not_read():
    text = '{"choice": "a", "figures": [1, 2, 3], "confidence": 85, "reasoning": "b c"}'
    whole = read_object(text, keys=KEYS).values
    for end in range(len(text)):
        values = read_object(text[:end], "length", KEYS).values or {}
        assert {name: item for name, item in values.items() if name != "figures"}.items() <= (
            whole.items()
        )


def test_numbers_that_are_none_are_taken_as_nothing():
    for figure in ("NaN", "Infinity", "-Infinity", "1e999"):
        assert read_object(f'{{"goal": "a", "x": {figure}}}').values == {"goal": "a", "x": None}


def test_found_object_can_be_written_to_a_file():
    values = read_object('{"goal": "\\ud83d", "deep": ["\\udc00", {"\\ud800": 1}]}').values
    assert str(values).encode()
