"""Estimate how many tokens texts have, and keep them within a number of tokens."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any

from engine.config import PlannerConfig
from engine.planning.models.backends.base import ChatRequest, schema_in_words

FRAME_TOKENS = 16
"""What a server adds to mark who speaks."""
_GAP = "\n[...]\n"


def _by_byte(lower: int, upper: int, digit: int, space: int, other: int) -> tuple[int, ...]:
    """Return what each byte counts, in twelfths of a token; those that are not ASCII count one."""
    kinds = ((str.islower, lower), (str.isupper, upper), (str.isdigit, digit), (str.isspace, space))
    return tuple(
        next((count for is_kind, count in kinds if is_kind(chr(byte))), other) if byte < 128 else 12
        for byte in range(256)
    )


_SPACELESS = _by_byte(4, 4, 4, 4, 4)
"""For long words and random letters: three to a token."""
_WORDS = _by_byte(1, 4, 12, 12, 7)
"""For English, names in capitals, figures and drawings, fitted to the texts of
`tests/engine/planning/models/token_counts.json`: a word is a token, some tokenisers split each
figure."""


def estimate_tokens(text: str) -> int:
    """Return how many tokens a text has; for what is asked and answered, rather too many."""
    data = text.encode(errors="replace")
    return -(-max(sum(map(kind.__getitem__, data)) for kind in (_SPACELESS, _WORDS)) // 12)


def prompt_tokens(request: ChatRequest) -> int:
    """Return how many tokens a question has, its schema apart."""
    return estimate_tokens(request.system) + estimate_tokens(request.user)


def tokens_beside(system: str, settings: PlannerConfig) -> int:
    """Return what of a context a question needs beside its own text and the schema's."""
    return estimate_tokens(system) + FRAME_TOKENS + settings.tokens_to_write


def schema_tokens(schema: Mapping[str, Any]) -> int:
    """Return what a schema needs: some servers get it in words, others add it themselves."""
    return estimate_tokens(schema_in_words(schema))


def shortened(text: str, most: int) -> str:
    """Return a text of no more than `most` tokens: its beginning and its end count most."""
    if estimate_tokens(text) <= most:
        return text
    half = max(0, most - estimate_tokens(_GAP)) // 2
    return _beginning(text, half) + _GAP + _beginning(text[::-1], half)[::-1]


def _beginning(text: str, most: int) -> str:
    lengths = range(len(text) + 1)
    fits = bisect_right(lengths, most, key=lambda length: estimate_tokens(text[:length]))
    return text[: fits - 1]
