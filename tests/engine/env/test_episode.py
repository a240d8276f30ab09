import json

import pytest

from engine.config import EnvConfig
from engine.env.episode import Episode
from engine.games.base import GameTables, Milestone, MilestoneKind
from engine.games.crystal.game import CrystalGame
from engine.types import Action, GameState, MapId, RewardBreakdown
from tests.engine.states import make_battle, make_creature, make_state

MILESTONES = (
    Milestone("left", "Leave", MilestoneKind.MAP, place=MapId(40, 2)),
    Milestone("creature", "Choose", MilestoneKind.PARTY, 1),
    Milestone("strong", "Grow", MilestoneKind.LEVEL, 8),
)
START = make_state(1, 1)
GAME = CrystalGame("0" * 40, "TEST", "test", tables=GameTables(MILESTONES=MILESTONES))
WITH_CREATURE = make_state(1, 1, party=(make_creature(level=5),))


def begin(**settings: object) -> Episode:
    episode = Episode(GAME, ("a", "b"), EnvConfig.model_validate({"max_steps": 16, **settings}))
    episode.begin(START, (3, 4))
    return episode


def test_rewards_are_summed_by_component() -> None:
    episode = begin()
    episode.count(RewardBreakdown((("a", 1.0), ("b", -0.5))), 0.5)
    episode.count(RewardBreakdown((("a", 2.0), ("b", 0.0), ("custom", 4.0))), 6.0)
    assert episode.total == 6.5
    assert episode.sums == {"a": 3.0, "b": -0.5, "custom": 4.0}


def test_follow_returns_what_is_new() -> None:
    episode = begin()
    step = episode.follow(START, make_state(2, 1, party=WITH_CREATURE.party), Action.RIGHT)
    assert step.reached == (("creature", "Choose"),)
    assert (step.is_new_tile, step.is_first_visit, step.is_new_map) == (True, True, False)
    assert episode.inputs == bytes([Action.RIGHT])


def test_an_episode_that_begins_where_another_was_remembers_its_tiles_and_its_maps() -> None:
    episode, there = begin(), make_state(2, 1)
    episode.follow(START, there, Action.RIGHT)
    episode.begin(there, (5, 6), episode.now)
    assert episode.length == 0
    step = episode.follow(there, START, Action.LEFT)
    assert (step.is_new_tile, step.is_first_visit, step.is_new_map) == (False, False, False)
    episode.begin(START, (5, 6))
    assert episode.follow(START, there, Action.RIGHT).is_first_visit


def test_each_milestone_puts_the_end_off_but_not_beyond_twice_the_steps() -> None:
    episode = begin(progress_steps=10)
    assert episode.max_steps == 16
    episode.follow(START, WITH_CREATURE, Action.A)
    assert episode.max_steps == 26
    episode.follow(WITH_CREATURE, make_state(map_number=2, party=WITH_CREATURE.party), Action.UP)
    assert episode.max_steps == 32


def test_milestones_of_the_start_put_nothing_off() -> None:
    episode = begin(progress_steps=10)
    episode.begin(WITH_CREATURE, (0, 0))
    assert episode.max_steps == 16


def test_episode_is_spent_after_its_steps() -> None:
    episode = begin()
    for _ in range(15):
        episode.follow(START, START, Action.NOOP)
    assert not episode.is_spent
    episode.follow(START, START, Action.NOOP)
    assert episode.is_spent


def test_episode_is_spent_after_too_many_steps_without_anything_new() -> None:
    episode = begin(max_steps=1000, stuck_steps=5)
    for _ in range(4):
        episode.follow(START, START, Action.NOOP)
    assert not episode.is_spent
    episode.follow(START, make_state(2, 1), Action.RIGHT)
    for _ in range(5):
        assert not episode.is_spent
        episode.follow(START, START, Action.NOOP)
    assert episode.is_spent


@pytest.mark.parametrize(
    ("goal", "state", "is_reached"),
    [
        ("", START, False),
        ("", make_state(badges=(1, 0)), True),
        ("", make_state(badges=(0, 4)), True),
        ("creature", make_state(badges=(1, 0)), False),
        ("creature", WITH_CREATURE, True),
    ],
)
def test_goal_is_a_milestone_or_one_badge_more(
    goal: str, state: GameState, is_reached: bool
) -> None:
    episode = begin(goal=goal)
    episode.follow(START, state, Action.A)
    assert episode.is_success(state) is is_reached


def test_badges_held_at_the_start_are_no_success() -> None:
    episode = begin()
    episode.begin(make_state(badges=(1, 0)), (0, 0))
    assert not episode.is_success(make_state(badges=(1, 0)))
    assert episode.is_success(make_state(badges=(3, 0)))


def test_a_battle_is_won_when_it_ends_and_the_last_enemy_had_fainted() -> None:
    fight = make_state(battle=make_battle())
    beaten = make_state(battle=make_battle(enemy=make_creature(hp=0)))
    episode = begin()
    for previous, current in ((START, fight), (fight, START), (START, fight), (fight, beaten)):
        episode.follow(previous, current, Action.A)
        assert episode.battles_won == 0
    episode.follow(beaten, START, Action.A)
    assert episode.battles_won == 1
    other = begin()
    other.restore(json.loads(json.dumps(episode.save())))
    assert other.battles_won == 1
    other.begin(START, (0, 0))
    assert other.battles_won == 0


def test_saved_episode_continues_alike() -> None:
    episode = begin(progress_steps=10)
    episode.follow(START, WITH_CREATURE, Action.A)
    episode.follow(WITH_CREATURE, WITH_CREATURE, Action.NOOP)
    episode.count(RewardBreakdown((("a", 1.0), ("b", 0.0))), 1.0)
    other = begin(progress_steps=10)
    other.restore(json.loads(json.dumps(episode.save())))
    assert (other.random, other.inputs, other.idle_steps) == ((3, 4), bytes((0, 8)), 1)
    assert (other.max_steps, other.total, other.sums) == (26, 1.0, {"a": 1.0, "b": 0.0})
    after = make_state(3, 3, party=WITH_CREATURE.party)
    assert other.follow(WITH_CREATURE, after, 5) == episode.follow(WITH_CREATURE, after, 5)
    assert other.save() == episode.save()
