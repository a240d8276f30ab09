"""A written walkthrough leads from power-on to the badge, in few enough actions."""

import pytest

from tests.engine.games.images import PRACTICE
from tests.roms.first_act import follow, steps
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of

MAX_ACTIONS = 450
SEEDS = (0x135A, 1, 2, 3, 4)


def milestones(game: Machine) -> set[str]:
    """Return the keys of the milestones that hold now."""
    reached = set()
    for one in PRACTICE.MILESTONES:
        place = (one.place.group, one.place.number) if one.place else None
        if one.kind == "map" and game.map_key == place:
            reached.add(one.key)
        if one.kind == "party" and game.get("wPartyCount") >= one.value:
            reached.add(one.key)
        if one.kind == "event" and game.event(one.value):
            reached.add(one.key)
        if one.kind == "badge" and game.get("wJohtoBadges") >> one.value & 1:
            reached.add(one.key)
    return reached


def set_options(player: Player) -> None:
    """START, OPTIONS: text speed to instant, battle scene off."""
    game = player.game
    game.act("start")
    player.wait_for_menu("")
    player.choose(game.get("w2DMenuNumRows") - 2)
    player.wait_for_menu("")
    while not game.get("wOptions") & 0x10:
        game.act("a")
    game.act("down")
    game.act("a")
    game.act("b")
    game.act("b")
    player.settle()


def test_walkthrough_wins_the_badge_in_time() -> None:
    game = Machine(seed=SEEDS[0])
    player = Player(game)
    for step, milestone in steps():
        follow(player, step, set_options)
        if milestone:
            assert milestone in milestones(game), f"after {step!r}: {player.where()}"
    assert game.get("wOptions") & 0x97 == 0x91
    assert game.actions <= MAX_ACTIONS
    game.close()


def test_milestones_come_in_the_order_of_their_table() -> None:
    order = [one.key for one in PRACTICE.MILESTONES]
    written = [milestone for _, milestone in steps() if milestone]
    assert written == order[: len(written)]
    assert written[-1] == "first_badge"


@pytest.mark.slow
@pytest.mark.parametrize("starter", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_starter_wins_sooner_or_later(starter: int, seed: int) -> None:
    game = Machine(seed=seed)
    player = Player(game)
    player.start_game()
    player.take_starter(starter)
    player.win_badge()
    assert game.get("wJohtoBadges") == 1
    game.close()


def test_the_game_goes_on_after_the_badge() -> None:
    game = Machine(seed=SEEDS[0])
    player = Player(game)
    player.start_game()
    player.take_starter(2)
    player.win_badge()
    player.talk_at((4, 5), "up")
    game.act()
    assert game.get("wScriptRunning") == 255
    player.settle()
    for title in ("STONEHOLLOW", "MILLBROOK PATH", "FERNWICK", "HOME 2F"):
        player.travel(title)
    assert game.map_key == map_of("HOME 2F")
    game.close()
