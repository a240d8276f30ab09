"""Tokens are counted about right: no real tokenizer needs far more than what is estimated.

`token_counts.json` holds questions and answers of the practice game with what they come to by the
tokenizers of several models.
"""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.models.backends.tokens import estimate_tokens, shortened

RECORDED = json.loads(Path(__file__).with_name("token_counts.json").read_text())


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded["what"])
def test_an_estimate_is_within_a_tenth_of_real_tokenizers_or_above(recorded):
    estimate = estimate_tokens(recorded["text"])
    assert len(recorded["tokens"]) == 5
    for tokenizer, count in recorded["tokens"].items():
        assert 0.9 * count <= estimate <= 1.5 * count, tokenizer


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=300), st.text(max_size=300))
def test_a_longer_text_has_no_fewer_tokens_and_a_byte_no_more_than_one(text, more):
    assert estimate_tokens(text) <= estimate_tokens(text + more)
    assert estimate_tokens(text) <= len(text.encode(errors="replace"))


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=300), st.integers(8, 200))
def test_a_shortened_text_has_its_beginning_and_end_and_keeps_to_its_tokens(text, most):
    short = shortened(text, most)
    assert estimate_tokens(short) <= most
    beginning, gap, end = short.partition("\n[...]\n")
    assert short == text or gap
    assert text.startswith(beginning)
    assert text.endswith(end)
