"""What each component pays while the practice game is played from bed to badge."""

from collections.abc import Iterator

import pytest

from engine.config import RewardConfig
from tests.engine.rewards.helpers import ONES
from tests.engine.rewards.played import PaidMachine
from tests.roms.player import Player

BALL, WHISKIT, ASLEEP = 5, 6, 3


@pytest.fixture
def game() -> Iterator[PaidMachine]:
    with PaidMachine(ONES.model_copy(update={"exploration": 0.0})) as game:
        yield game


def test_doors_pay_once_in_each_direction(game: PaidMachine, player: Player) -> None:
    for _ in range(2):
        player.travel("FERNWICK")
        player.travel("HOME 2F")
    assert game.paid["warp"] == 4
    assert game.causes.count("a new path to HOME 2F") == 1


def test_edge_of_a_map_is_no_door(game: PaidMachine, player: Player) -> None:
    player.take_starter(2)
    player.travel("FERNWICK")
    game.forget()
    player.travel("STONEHOLLOW")
    assert game.paid["map"] == 2
    assert "warp" not in game.paid


def test_clerk_answers_over_the_counter(game: PaidMachine, player: Player) -> None:
    player.take_starter(2)
    player.travel("SHOP")
    game.forget()
    player.talk_at((3, 3), "left")
    player.settle()
    assert game.paid["talk"] == 1


def test_gift_of_the_first_creature_is_no_catch(game: PaidMachine, player: Player) -> None:
    player.take_starter(2)
    assert game.env.state.caught == 1
    assert "catch" not in game.paid


def meet(game: PaidMachine, species: int) -> None:
    """Walk in the grass until a creature of the species comes to its first turn, and weaken it."""
    while True:
        while not game.get("wBattleMode"):
            game.act("left" if game.position[0] > 13 else "right")
        while (game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")) != (2, 2):
            game.act("b")
        if game.get("wEnemyMonSpecies") == species:
            return
        Player(game).settle()


def throw_balls(game: PaidMachine) -> None:
    """Throw until the creature is caught."""
    for place, byte in enumerate((BALL, 50, 0xFF)):
        game.poke("wBalls", byte, place)
    while game.get("wBattleMode"):
        game.poke("wEnemyMonStatus", ASLEEP)
        game.poke_word("wEnemyMonHP", 1)
        game.poke("wCurPocket", 1)
        at = (game.get("wMenuCursorY"), game.get("wMenuCursorX"))
        if not game.get("wMenuCursorY"):
            game.act("b")
        elif (game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")) == (2, 2):
            game.act("down" if at[0] == 1 else "left" if at[1] == 2 else "a")
        else:
            game.act("a")


def test_catch_pays_once_a_species(game: PaidMachine, player: Player) -> None:
    player.take_starter(2)
    player.travel("MILLBROOK PATH")
    paid = []
    for _ in range(2):
        player.walk_to((13, 8), (14, 8))
        game.poke_word("wPartyMon1MaxHP", 999)
        game.hurt(999)
        meet(game, WHISKIT)
        game.forget()
        throw_balls(game)
        player.settle()
        paid.append(game.paid["catch"])
    assert game.get("wPartyCount") == 3
    assert paid == [1.0, 0.0]


def test_shopping_for_all_the_money_is_charged_once(game: PaidMachine, player: Player) -> None:
    player.take_starter(2)
    player.travel("SHOP")
    charged = []

    def buy() -> None:
        before = dict(game.env.episode_sums)["money"]
        player.talk_at((3, 3), "left")
        player.wait_for_menu("a")
        player.choose(0)
        for button in ("", "", "down", "a", ""):
            game.act(button)
        player.settle()
        charged.append(dict(game.env.episode_sums)["money"] - before)

    for money in (3000, 600, 600):
        for place, byte in enumerate(money.to_bytes(3, "big")):
            game.poke("wMoney", byte, place)
        game.act()
        buy()
    assert game.number("wMoney", size=3) == 0
    assert charged == [-1.0, 0.0, 0.0]


def test_breakdown_sums_to_the_reward_in_every_step_of_a_won_game() -> None:
    with PaidMachine(RewardConfig()) as game:
        rewards: list[float] = []
        advance = game.env.advance

        def check(action: int) -> tuple[float, bool, bool]:
            result = advance(action)
            rewards.append(result[0])
            assert result[0] == sum(value for _, value in game.env.breakdown.components)
            return result

        game.env.advance = check  # type: ignore[method-assign]
        player = Player(game)
        player.settle()
        player.take_starter(2)
        player.win_badge()
        assert game.env.is_success
        assert sum(rewards) == pytest.approx(sum(dict(game.env.episode_sums).values()))
        assert game.paid["badge"] == RewardConfig().badge
        assert game.paid["talk"] + game.paid["warp"] < RewardConfig().milestone
