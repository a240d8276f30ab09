"""What can be done again and again in the practice game pays nothing after its first time."""

from collections.abc import Callable, Iterator

import pytest

from tests.engine.games.images import PRACTICE
from tests.engine.rewards.played import PaidMachine
from tests.roms.first_act import StuckError
from tests.roms.player import Player

REPEATS = 500


@pytest.fixture
def game() -> Iterator[PaidMachine]:
    with PaidMachine() as game:
        yield game


@pytest.fixture
def trainer(game: PaidMachine, player: Player) -> Player:
    """Return a player who has a creature and stands on the route."""
    player.take_starter(2)
    player.travel("MILLBROOK PATH")
    return player


def repeat(game: PaidMachine, once: Callable[[], None], warm_up: int = 2) -> None:
    """Do something until it can have paid, then `REPEATS` times for nothing."""
    for _ in range(warm_up):
        once()
    game.forget()
    for _ in range(REPEATS):
        once()
    assert not game.paid, game.causes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "cell", "button"),
    [("HOME 1F", (3, 4), "left"), ("HOME 1F", (2, 3), "up"), ("FERNWICK", (10, 2), "right")],
    ids=["mother", "sign", "watchman"],
)
def test_talking_to_the_same_one(
    game: PaidMachine, player: Player, title: str, cell: tuple[int, int], button: str
) -> None:
    player.travel(title)
    player.walk_to(cell)
    player.face(button)
    game.forget()

    def talk() -> None:
        game.act("a")
        assert not game.is_free
        player.settle()

    talk()
    assert set(game.paid) == {"talk"}
    repeat(game, talk)


@pytest.mark.slow
def test_walking_in_circles(game: PaidMachine, player: Player) -> None:
    player.travel("HOME 1F")

    def circle() -> None:
        for cell in ((4, 3), (5, 3), (5, 4), (4, 4)):
            player.walk_to(cell)

    repeat(game, circle)


@pytest.mark.slow
def test_going_in_and_out(game: PaidMachine, player: Player) -> None:
    def in_and_out() -> None:
        player.travel("FERNWICK")
        player.travel("HOME 1F")

    repeat(game, in_and_out)


@pytest.mark.slow
def test_opening_and_closing_menus(game: PaidMachine, trainer: Player) -> None:
    titles = set()

    def look_around() -> None:
        game.act("start")
        for entry in range(game.get("w2DMenuNumRows") - 1):
            trainer.choose(entry)
            trainer.wait_for_menu("")
            titles.add(tuple(game.lines[:2]))
            for button in ("down", "right", "b"):
                game.act(button)
            trainer.wait_for_menu("")
        trainer.settle()

    repeat(game, look_around)
    assert len(titles) > 2


@pytest.mark.slow
@pytest.mark.parametrize("place", ["mother", "bed", "nurse"])
def test_resting_again_and_again(game: PaidMachine, trainer: Player, place: str) -> None:
    if place == "nurse":
        trainer.travel("CENTER")
    game.hurt(1)
    trainer.settle()

    def rest() -> None:
        game.hurt(1)
        if place == "bed":
            trainer.travel("HOME 2F")
            trainer.talk_at((1, 4), "left")
            trainer.settle()
        else:
            trainer.heal()
        assert trainer.health() == 1.0

    game.forget()
    rest()
    assert game.paid["heal"] > 0
    repeat(game, rest)


def flee(game: PaidMachine) -> None:
    """Choose RUN until the battle is over."""
    for _ in range(400):
        if game.is_free:
            return
        if (game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")) != (2, 2):
            game.act("b")
        elif game.get("wMenuCursorY") != 2:
            game.act("down")
        elif game.get("wMenuCursorX") != 2:
            game.act("right")
        else:
            game.act("a")
    raise StuckError("no way out of the battle")


@pytest.mark.slow
def test_meeting_wild_creatures_and_fleeing(game: PaidMachine, trainer: Player) -> None:
    trainer.walk_to((13, 8), (14, 8))
    fights = 0

    def meet_and_flee() -> None:
        nonlocal fights
        game.poke_word("wPartyMon1HP", 999)
        while not game.get("wBattleMode"):
            game.act("left" if game.position[0] > 13 else "right")
        fights += 1
        flee(game)

    game.poke_word("wPartyMon1MaxHP", 999)
    repeat(game, meet_and_flee, warm_up=20)
    assert fights == REPEATS + 20
    assert PRACTICE.MAPS[game.map_key] == "MILLBROOK PATH"
