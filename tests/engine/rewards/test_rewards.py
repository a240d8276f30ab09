from dataclasses import replace
from typing import Any

import pytest

from engine.config import RewardConfig
from engine.rewards.battle import WILD_WINS_PAID
from engine.rewards.exploration import STILL_LIMIT, WALKED_AGAIN
from engine.types import GameState
from tests.engine.rewards.helpers import ONES, WEIGHTS, Player, eventful, trainer, wild
from tests.engine.states import make_battle, make_creature, make_state


@pytest.fixture
def player() -> Player:
    return Player(make_state(party=(make_creature(),)))


def test_milestones_pay_one_each(player: Player) -> None:
    paid = player.go(player.now, reached=(("a", "go there"), ("b", "and there")))
    assert paid["milestone"] == 2.0
    assert player.last.causes[:2] == ("milestone: go there", "milestone: and there")


def test_badge_pays_once(player: Player) -> None:
    won = replace(player.now, badges=(1, 0))
    assert player.go(won)["badge"] == 1.0
    assert player.go(won)["badge"] == 0.0
    assert player.go(replace(won, badges=(3, 1)))["badge"] == 2.0


def test_new_tile_and_new_map_pay(player: Player) -> None:
    paid = player.go(make_state(x=3), is_new_tile=True, is_first_visit=True, is_new_map=True)
    assert (paid["exploration"], paid["map"]) == (1.0, 1.0)
    paid = player.go(make_state(x=4))
    assert (paid["exploration"], paid["map"]) == (0.0, 0.0)


def test_tile_from_before_the_milestone_pays_a_share(player: Player) -> None:
    assert player.go(make_state(x=3), is_new_tile=True)["exploration"] == WALKED_AGAIN


def test_new_tiles_pay_less_and_less_until_a_milestone(player: Player) -> None:
    facts: dict[str, Any] = {"is_new_tile": True, "is_first_visit": True}
    first, *_, last = [player.go(player.now, **facts)["exploration"] for _ in range(120)]
    assert first == 1.0
    assert last < 0.5
    renewed = player.go(player.now, reached=(("a", "a"),), **facts)
    assert renewed["exploration"] == 1.0


def test_every_step_costs(player: Player) -> None:
    assert player.go(player.now)["step"] == -1.0


def test_stuck_is_charged_by_the_step_and_never_refunded(player: Player) -> None:
    here = player.now
    charges = [player.go(here)["stuck"] for _ in range(STILL_LIMIT + 5)]
    assert charges == [0.0] * STILL_LIMIT + [-1.0] * 5
    assert player.go(make_state(x=4, party=here.party))["stuck"] == 0.0


def test_fight_in_progress_is_not_stuck(player: Player) -> None:
    charges = [player.go(wild(hp=20 - turn % 2))["stuck"] for turn in range(2 * STILL_LIMIT)]
    assert not any(charges)


def test_level_pays_a_running_maximum_less_and_less(player: Player) -> None:
    def at(level: int) -> GameState:
        return make_state(party=(make_creature(level=level),))

    first = player.go(at(6))["level"]
    second = player.go(at(7))["level"]
    assert (first, player.go(at(6))["level"], player.go(at(7))["level"]) == (1.0, 0.0, 0.0)
    assert 0.0 < second < first


def test_first_creature_pays_no_levels() -> None:
    player = Player(make_state())
    assert player.go(make_state(party=(make_creature(level=5),)))["level"] == 0.0
    assert player.go(make_state(party=(make_creature(level=6),)))["level"] == 1.0


def test_trainer_creature_is_worth_one_in_all(player: Player) -> None:
    pays = [player.go(trainer(hp))["battle"] for hp in (20, 15, 5, 0, 0)]
    assert pays == pytest.approx([0.0, 0.125, 0.25, 0.625, 0.0])


def test_retry_against_a_trainer_pays_only_what_is_new(player: Player) -> None:
    player.go(trainer(5))
    player.go(make_state(party=player.now.party))
    assert player.go(trainer(10))["battle"] == 0.0
    assert player.go(trainer(5))["battle"] == 0.0
    assert player.go(trainer(0))["battle"] == pytest.approx(0.625)


def test_second_creature_of_a_trainer_pays_too(player: Player) -> None:
    player.go(trainer(0))
    assert player.go(trainer(10, enemy_slot=1))["battle"] == pytest.approx(0.25)


def test_wild_wins_shrink_and_run_dry(player: Player) -> None:
    pays = []
    for _ in range(WILD_WINS_PAID + 3):
        pays.append(player.go(wild(0))["battle"])
        assert player.go(wild(0))["battle"] == 0.0
        player.go(make_state(party=player.now.party))
    assert pays == sorted(pays, reverse=True)
    assert pays[WILD_WINS_PAID - 1] > 0.0
    assert pays[WILD_WINS_PAID:] == [0.0] * 3
    assert sum(pays) < 2.0


def test_rest_pays_once_a_milestone() -> None:
    hurt = make_state(party=(make_creature(hp=4),))
    well = make_state(party=(make_creature(hp=20),))
    player = Player(hurt)
    assert player.go(well)["heal"] == pytest.approx(0.8)
    player.go(hurt)
    assert player.go(well)["heal"] == 0.0
    player.go(hurt, reached=(("a", "a"),))
    assert player.go(well)["heal"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("before", "facts"),
    [
        (make_state(party=(make_creature(hp=4),)), {"has_whited_out": True}),
        (make_state(party=(make_creature(hp=0),)), {}),
        (make_state(party=(make_creature(hp=16),)), {}),
        (make_state(party=(make_creature(hp=4),), battle=make_battle()), {}),
    ],
    ids=["woke up after a defeat", "was beaten", "a scratch", "in battle"],
)
def test_heal_that_is_no_rest_pays_nothing(before: GameState, facts: dict[str, bool]) -> None:
    player = Player(before)
    assert player.go(make_state(party=(make_creature(hp=20),)), **facts)["heal"] == 0.0


def test_whiteout_is_charged(player: Player) -> None:
    assert player.go(player.now, has_whited_out=True)["whiteout"] == -1.0


@pytest.mark.parametrize("name", WEIGHTS)
def test_every_weight_moves_the_reward(name: str) -> None:
    start = make_state(party=(make_creature(),))
    normal = eventful(Player(start, ONES))
    assert any(dict(paid.components)[name] for paid in normal)
    for weight in (0.0, 2.0):
        changed = eventful(Player(start, ONES.model_copy(update={name: weight})))
        for paid, before in zip(changed, normal, strict=True):
            value = dict(before.components)[name]
            assert paid.total == pytest.approx(before.total + (weight - 1.0) * value)


def test_total_is_the_exact_sum_of_the_components_in_a_fixed_order() -> None:
    player = Player(make_state(party=(make_creature(),)), RewardConfig())
    for paid in eventful(player):
        assert tuple(name for name, _ in paid.components) == player.composer.names
        assert paid.total == sum(value for _, value in paid.components)
