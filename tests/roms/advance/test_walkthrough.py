"""A written walkthrough leads from power-on to the badge, in few enough actions."""

from collections.abc import Iterator

import pytest

from engine.games.facts import read_rows
from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import FACTS, Machine
from tests.roms.advance.player import Player
from tests.roms.advance.world import map_names, map_of
from tests.roms.first_act import follow, steps

MAX_ACTIONS = 350
SEEDS = (0x135A, 1, 2, 3, 4)
BADGE = 0x867


def milestones(game: Machine) -> Iterator[str]:
    """Yield the keys of the milestones that hold now."""
    events = {row["name"]: int(row["flag"]) for row in read_rows(FACTS, "events")}
    for row in read_rows(FACTS, "milestones"):
        kind, value = row["kind"], row["value"]
        if (
            (kind == "map" and map_names()[game.map_key] == value)
            or (kind == "party" and game.get("gPlayerPartyCount") >= int(value))
            or (kind == "event" and game.flag(events[value]))
            or (kind == "badge" and game.flag(BADGE + int(value)))
        ):
            yield row["key"]


def set_options(player: Player) -> None:
    """START, OPTIONS: text speed fast, battle scene off."""
    game = player.game
    game.act("start")
    game.act("up")  # EXIT
    game.act("up")  # OPTIONS
    game.act("a")
    player.wait_for(lambda: not game.in_field, "")
    game.act("right")
    game.act("down")
    game.act("right")
    player.settle()


def test_walkthrough_wins_the_badge_in_time() -> None:
    game = Machine(seed=SEEDS[0])
    player = Player(game)
    for step, milestone in steps():
        follow(player, step, set_options)
        if milestone:
            assert milestone in set(milestones(game)), f"after {step!r}: {player.where()}"
    options = int.from_bytes(game.block(2, 0x14, 2), "little")
    assert (options & 7, options >> 10 & 1) == (2, 1)
    assert game.actions <= MAX_ACTIONS
    game.close()


def test_milestones_come_in_the_order_of_their_table() -> None:
    order = [row["key"] for row in read_rows(FACTS, "milestones")]
    written = [milestone for _, milestone in steps() if milestone]
    assert written == order


@pytest.mark.slow
@pytest.mark.parametrize("starter", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_starter_wins_sooner_or_later(start: Start, starter: int, seed: int) -> None:
    game = start("bedroom")
    game.seed(seed)
    player = Player(game)
    player.take_starter(starter)
    player.win_badge()
    assert game.flag(BADGE)


@pytest.mark.slow
def test_the_game_goes_on_after_the_badge(start: Start) -> None:
    game = start("GYM")
    player = Player(game)
    player.win_badge()
    player.talk_at((4, 5), "up")
    game.act()
    assert game.get("sLockFieldControls") == 1
    assert "gatehouse" in game.text
    player.settle()
    for title in ("STONEHOLLOW", "MILLBROOK PATH", "FERNWICK", "HOME 2F"):
        player.travel(title)
    assert game.map_key == map_of("HOME 2F")
