"""What the cockpit says a payment was for."""

from engine.env.stepping import Paid
from engine.loop.controls import Controls, Pace
from engine.loop.reporter import Reporter
from engine.types import GameState, RewardBreakdown
from tests.engine.rewards.helpers import Player, trainer
from tests.engine.states import make_creature, make_state


def payouts(breakdown: RewardBreakdown) -> list[tuple[str, float, str]]:
    """Return component, value and cause of what a reporter publishes of a reward."""
    emitted: list = []
    Reporter(Controls(), Pace(), emitted.append).pay(breakdown)
    return [(event.component, event.value, event.cause) for event in emitted]


def told(*steps: tuple[RewardBreakdown, str]) -> dict[str, str]:
    """Return the causes by component of what is worth a line after these steps at these places."""
    paid = Paid()
    for breakdown, place in steps:
        paid.add(breakdown, place)
    return {name: cause for name, _, cause in payouts(paid.take())}


def test_each_cause_stands_with_the_component_that_noted_it() -> None:
    breakdown = RewardBreakdown(
        (("milestone", 5.0), ("exploration", 0.3), ("whiteout", -0.2)),
        ("milestone: go there", "whited out"),
        ("milestone", "whiteout"),
    )
    assert told((breakdown, "GYM")) == {
        "milestone": "milestone: go there",
        "exploration": "1 new tile in GYM",
    }


def test_many_small_payments_are_counted_by_place() -> None:
    tile = RewardBreakdown((("exploration", 0.1), ("step", -0.1)))
    steps = ((tile, "HOME"), (tile, "HOME"), (tile, "PATH"))
    assert told(*steps) == {
        "exploration": "2 new tiles in HOME, 1 in PATH",
        "step": "2 steps in HOME, 1 in PATH",
    }


def test_a_cause_that_comes_again_is_counted_and_a_look_begins_again() -> None:
    paid = Paid()
    for _ in range(3):
        paid.add(RewardBreakdown((("level", 1.0),), ("grew",), ("level",)), "GYM")
    assert payouts(paid.take()) == [("level", 3.0, "grew ×3")]
    assert payouts(paid.take()) == []


def test_payment_without_a_note_has_no_cause() -> None:
    assert told((RewardBreakdown((("custom", 1.0),), ("old",), ()), "GYM")) == {"custom": ""}


def test_cause_of_damage_names_whom_it_hit_and_how_hard() -> None:
    player = Player(trainer(20))
    player.go(trainer(15))
    assert player.last.causes == ("hit a trainer's CINDLE: 25% of its health",)
    player.go(trainer(0))
    assert player.last.causes == ("beat a trainer's CINDLE",)
    assert player.last.payers == ("battle",)


def test_cause_of_a_level_names_who_reached_it() -> None:
    def at(level: int) -> GameState:
        weak = make_creature(level=2)
        return make_state(party=(weak, make_creature(level=level)))

    player = Player(at(5))
    player.go(at(6))
    assert player.last.causes == ("CINDLE reached level 6",)
