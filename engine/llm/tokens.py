"""Estimate how many tokens texts have, and keep them within a number of tokens."""

from collections.abc import Mapping
from typing import Any

from engine.config import PlannerConfig
from engine.llm.backends.base import schema_in_words

_CHARACTERS_A_TOKEN = 3
"""Of ASCII text; English has four or more, drawn maps and figures less."""
FRAME_TOKENS = 16
"""What a server adds to mark who speaks."""
_GAP = "\n[...]\n"


def estimate_tokens(text: str) -> int:
    """Return how many tokens a text has at most, but for odd ones; a byte has no more than one."""
    ascii_characters = sum(map(str.isascii, text))
    other_bytes = len(text.encode(errors="replace")) - ascii_characters
    return -(-ascii_characters // _CHARACTERS_A_TOKEN) + other_bytes


def tokens_beside(system: str, settings: PlannerConfig) -> int:
    """Return what of a context a question needs beside its own text and the schema's."""
    return estimate_tokens(system) + FRAME_TOKENS + settings.tokens_to_write


def schema_tokens(schema: Mapping[str, Any]) -> int:
    """Return what a schema needs: some servers are told it in words, others add it themselves."""
    return estimate_tokens(schema_in_words(schema))


def shortened(text: str, most: int) -> str:
    """Return a text of no more than `most` tokens: its beginning and its end count most."""
    if estimate_tokens(text) <= most:
        return text
    half = max(0, most - estimate_tokens(_GAP)) // 2
    return _beginning(text, half) + _GAP + _beginning(text[::-1], half)[::-1]


def _beginning(text: str, most: int) -> str:
    room = most * _CHARACTERS_A_TOKEN
    for index, character in enumerate(text):
        is_ascii = character.isascii()
        room -= 1 if is_ascii else _CHARACTERS_A_TOKEN * len(character.encode(errors="replace"))
        if room < 0:
            return text[:index]
    return text
