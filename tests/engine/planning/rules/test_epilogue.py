"""The rules in the epilogue of the practice game: what its obstacles ask for, on the real ROM."""

import json
from collections.abc import Callable, Iterator

import pytest

from engine.config import EnvConfig
from engine.env.game_env import GameEnv
from engine.games.crystal.memory import SYMBOLS
from engine.planning.rules.advisor import RuleAdvisor
from tests.engine.led import action_of

MOST_STEPS = 4_000
PARTY_MON_SIZE = 48
ONES = b"\0\1" * 7
"""Health, full health and five statistics of one who loses at once."""


class Play:
    """The rules in the practice game, and what they pressed."""

    def __init__(self, env: GameEnv) -> None:
        self.env = env
        self.advisor = RuleAdvisor(env.game)
        self.advisor.reset(env.state)
        self.reasons: list[str] = []

    def step(self) -> None:
        advice = self.advisor.advise(self.env.state, self.env.action_mask())
        self.reasons.append(advice.reason)
        self.env.advance(action_of(advice))

    def until(self, is_done: Callable[[], bool], most: int = MOST_STEPS) -> int:
        """Follow the rules; return after how many steps it was done."""
        for steps in range(most):
            if is_done():
                return steps
            self.step()
        raise AssertionError((self.env.state.place, self.env.state.screen_text, self.reasons[-9:]))

    def until_reached(self, key: str, most: int = MOST_STEPS) -> int:
        return self.until(lambda: key in self.advisor.reached, most)


def set_stats(env: GameEnv, stats: list[bytes]) -> list[bytes]:
    """Set the party's health, full health and statistics; return what they were."""
    first = SYMBOLS["wPartyMon1HP"]
    before = []
    for index, data in enumerate(stats):
        address = first.address + PARTY_MON_SIZE * index
        before.append(env.emulator.read(first.bank, address, len(data)))
        env.emulator.write(first.bank, address, data)
    return before


@pytest.fixture(scope="module")
def play() -> Iterator[Play]:
    """The rules, where the moss has begun to shine."""
    env = GameEnv("mosslight", observation_type="state", config=EnvConfig(max_steps=100_000))
    env.reset(seed=0)
    found = Play(env)
    found.until_reached("moss_light")
    yield found
    env.close()


@pytest.fixture(scope="module")
def strong(play: Play) -> Play:
    """The same, where the boulder has just fallen."""
    play.until_reached("boulder_fallen", 1_500)
    return play


@pytest.fixture(scope="module")
def at_tower(strong: Play) -> Play:
    """The same, where the boat has landed."""
    strong.until_reached("reached_tower", 300)
    return strong


def test_a_helper_is_caught_and_taught_strength_and_fells_the_boulder(strong):
    taught = [one for one in strong.reasons if one.startswith("teach STRENGTH")]
    knows = [any(move.name == "STRENGTH" for move in one.moves) for one in strong.env.state.party]
    assert knows[1:].count(True) == 1
    assert not knows[0]
    assert 5 <= len(taught) <= 12
    assert strong.reasons.count("push the boulder") <= 9


def test_the_boulders_that_went_back_are_pushed_out_of_the_way_again(strong, at_tower):
    assert at_tower.reasons.count("push the boulder") <= 15
    assert not at_tower.advisor.is_stuck


def test_the_boat_is_told_where_to_go(at_tower):
    assert "answer TOWER" in at_tower.reasons
    assert at_tower.env.state.place.name == "SILENT TOWER"


def test_riddles_are_answered_and_the_door_is_opened_with_the_key_of_who_walks_round(at_tower):
    at_tower.until_reached("reached_walk", 200)
    assert {"answer RAIN", "answer NOON", "answer TIME"} <= set(at_tower.reasons)
    saved = json.loads(json.dumps(at_tower.advisor.save()))
    other = RuleAdvisor(at_tower.env.game)
    other.reset(at_tower.env.state)
    other.restore(saved)
    other.advise(at_tower.env.state, at_tower.env.action_mask())
    assert json.loads(json.dumps(other.save())) == saved


def test_the_rules_walk_round_who_stands_far_away_and_pull_both_levers(at_tower):
    at_tower.until_reached("reached_levers", 300)
    steps = at_tower.until_reached("lever_two", 200)
    assert steps < 50
    assert not at_tower.advisor.is_stuck


def test_who_is_beaten_by_an_echo_begins_anew_at_the_levers(at_tower):
    at_tower.until_reached("echo_one", 200)
    stats = set_stats(at_tower.env, [ONES] * len(at_tower.env.state.party))
    at_tower.until(lambda: at_tower.env.state.place.name == "REEDMERE", 200)
    set_stats(at_tower.env, stats)
    at_tower.until(lambda: "lever_one" not in at_tower.advisor.reached, 600)
    assert at_tower.env.state.place.name == "MOSS HALL"
    assert not {"lever_two", "echo_one"} & set(at_tower.advisor.reached)
    at_tower.until_reached("deep_light", 400)
    assert not at_tower.advisor.is_stuck
