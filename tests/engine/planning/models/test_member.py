"""How long a model may take for its first word, by how fast it has read so far."""

import asyncio
import random

import pytest

from engine.config import PlannerConfig
from engine.planning.models.backends.base import ChatRequest
from engine.planning.models.member import Member
from engine.planning.models.questions import Answered, Budget, put_question
from tests.engine.planning.models.fake_backends import FakeBackend, answer, in_no_time, paced
from tests.engine.planning.models.queries import query

SETTINGS = PlannerConfig(first_token_timeout_s=120)


def member(backend: FakeBackend | None = None, settings: PlannerConfig = SETTINGS) -> Member:
    return Member(
        backend or FakeBackend(),
        settings,
        random.Random(0),
        lambda: 0.0,
        cooldown_s=5.0,
        on_change=lambda: None,
    )


def test_before_anything_is_known_all_the_time_of_the_setting_is_given():
    assert member().first_token_timeout_s(800) == 120


@pytest.mark.parametrize(
    ("tokens", "wait_s"),
    [(1, 10.0), (400, 10.0), (800, 16.0), (1600, 32.0), (6000, 120.0), (60_000, 120.0)],
)
def test_four_times_the_measured_time_is_given_between_ten_seconds_and_the_setting(tokens, wait_s):
    asked = member()
    asked.began(800, 4.0)
    assert asked.first_token_timeout_s(tokens) == pytest.approx(wait_s)


def test_the_slowest_reading_so_far_counts():
    """A server that still knows most of a question reads it in no time, the next one not."""
    asked = member()
    for first_token_s in (0.1, 4.0, 0.2):
        asked.began(800, first_token_s)
    assert asked.first_token_timeout_s(800) == pytest.approx(16.0)


def test_a_setting_of_less_than_ten_seconds_holds():
    asked = member(settings=PlannerConfig(first_token_timeout_s=2))
    asked.began(800, 1.9)
    assert asked.first_token_timeout_s(8000) == 2


def test_measured_pace_is_forgotten_with_a_lost_answer_and_kept_with_an_unreadable_one():
    asked = member()
    asked.began(800, 4.0)
    asked.failed("It no choice given.", is_lost=False)
    assert asked.first_token_timeout_s(800) == pytest.approx(16.0)
    asked.failed("No first token.")
    assert asked.first_token_timeout_s(800) == 120


def test_a_model_that_stalls_is_given_up_at_the_pace_it_had_and_gets_all_the_time_again():
    backend = FakeBackend(
        paced((3, answer())), paced((119, answer())), paced((119, answer())), paced((200, "Hm."))
    )
    request = ChatRequest("You plan.", "word " * 500, {}, 160, 0.2, think=False)

    async def ask_four_times() -> list[Answered]:
        clock = asyncio.get_running_loop().time
        asked = member(backend)
        return [
            await put_question(
                number, asked, query(), request,
                settings=SETTINGS, budget=Budget(SETTINGS, clock), emit=lambda event: None,
                clock=clock,
            )
            for number in range(4)
        ]  # fmt: skip

    quick, stalled, patient, slow = in_no_time(ask_four_times)
    assert quick.plan is not None
    assert quick.exchange.latency_s == 3
    assert stalled.is_lost
    assert stalled.exchange.error.startswith("No first token within 12 s: it reads about ")
    assert patient.plan is not None
    assert slow.is_lost
    assert slow.exchange.error.startswith("No first token within 120 s: it reads about ")
    assert slow.exchange.error.endswith("planner.first_token_timeout_s sets the timeout.")
    assert (slow.exchange.prompt_tokens > 500, slow.exchange.answer_tokens) == (True, 0)
