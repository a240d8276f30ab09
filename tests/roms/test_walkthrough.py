"""A written walkthrough leads from power-on to the badge, in few enough actions, in both games."""

from typing import Any, NamedTuple

import pytest

from engine.games.facts import read_rows
from tests.engine.games.images import PRACTICE
from tests.roms import machine, player
from tests.roms.advance import machine as advance_machine
from tests.roms.advance import player as advance_player
from tests.roms.advance import world
from tests.roms.first_act import follow, steps

SEEDS = (0x135A, 1, 2, 3, 4)
ADVANCE_EVENTS = {
    row["name"]: int(row["flag"]) for row in read_rows(advance_machine.FACTS, "events")
}


def is_reached(game: machine.Machine, key: str) -> bool:
    one = next(one for one in PRACTICE.MILESTONES if one.key == key)
    place = (one.place.group, one.place.number) if one.place else None
    return {
        "map": game.map_key == place,
        "party": game.get("wPartyCount") >= one.value,
        "event": game.event(one.value),
        "badge": bool(game.get("wJohtoBadges") >> one.value & 1),
    }[one.kind]


def is_reached_in_advance(game: advance_machine.Machine, key: str) -> bool:
    row = next(row for row in read_rows(advance_machine.FACTS, "milestones") if row["key"] == key)
    kind, value = row["kind"], row["value"]
    return (
        (kind == "map" and world.map_names()[game.map_key] == value)
        or (kind == "party" and game.get("gPlayerPartyCount") >= int(value))
        or (kind == "event" and game.flag(ADVANCE_EVENTS[value]))
        or (kind == "badge" and game.flag(0x867 + int(value)))
    )


class Version(NamedTuple):
    """One of the two practice games."""

    machine: Any
    player: Any
    is_reached: Any
    milestones: list[str]
    max_actions: int


PRACTICE_GAME = Version(
    machine.Machine, player.Player, is_reached, [one.key for one in PRACTICE.MILESTONES], 450
)
ADVANCE = Version(
    advance_machine.Machine,
    advance_player.Player,
    is_reached_in_advance,
    [row["key"] for row in read_rows(advance_machine.FACTS, "milestones")],
    350,
)
both_games = pytest.mark.parametrize(
    "version",
    [pytest.param(PRACTICE_GAME, id="practice"), pytest.param(ADVANCE, id="advance")],
)


@both_games
def test_walkthrough_wins_the_badge_in_time(version: Version) -> None:
    game = version.machine(seed=SEEDS[0])
    one = version.player(game)
    for step, milestone in steps():
        follow(one, step)
        if milestone:
            assert version.is_reached(game, milestone), f"after {step!r}: {one.where()}"
    assert game.has_fast_options
    assert game.actions <= version.max_actions
    game.close()


@both_games
def test_milestones_come_in_the_order_of_their_table(version: Version) -> None:
    written = [milestone for _, milestone in steps() if milestone]
    assert written == version.milestones[: len(written)]
    assert written[-1] == "first_badge"


@pytest.mark.slow
@both_games
@pytest.mark.parametrize("starter", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_starter_wins_sooner_or_later(version: Version, starter: int, seed: int) -> None:
    game = version.machine(seed=seed)
    one = version.player(game)
    one.start_game()
    one.take_starter(starter)
    one.win_badge()
    game.close()


@pytest.mark.slow
@both_games
def test_the_game_goes_on_after_the_badge(version: Version) -> None:
    game = version.machine(seed=SEEDS[0])
    one = version.player(game)
    one.start_game()
    one.win_badge()
    one.talk_at((4, 5), "up")
    game.act()
    assert not game.is_free
    one.settle()
    for title in ("STONEHOLLOW", "MILLBROOK PATH", "FERNWICK", "HOME 2F"):
        one.travel(title)
    assert game.map_key == one.map_of("HOME 2F")
    game.close()
