"""Play the epilogue of the practice game, under the moss, stage by stage."""

from collections.abc import Callable, Iterable

from tests.engine.games.images import PRACTICE
from tests.roms.act_two import answer, read_until, strengthen
from tests.roms.first_act import StuckError
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of, objects

PEBBLIT, BOULDERAM = 5, 11
STRENGTH = next(number for number, move in PRACTICE.MOVES.items() if move[0] == "STRENGTH")
STRENGTH_PLACE = 53
POCKET = "wTMsHMs"
BOULDER_DOOR, BOULDER_FALLS = (3, 2), ("right", "right")
SOLUTION = (((3, 8), "up"), ((5, 8), "up"), ((3, 7), "right"))
"""Where to stand and what to press, so that the boulders leave the gap open."""


def push(game: Machine, at: tuple[int, int], button: str, times: int = 1) -> None:
    """Walk to a tile and press against the boulder beside it."""
    player = Player(game)
    player.walk_to(at)
    player.face(button)
    for _ in range(times):
        game.act(button)
        player.settle()
        game.act()
        game.act()


def walk(game: Machine, buttons: Iterable[str]) -> None:
    """Press one direction after the other, until each has moved the player as far as it does."""
    player = Player(game)
    for button in buttons:
        player.face(button)
        game.act(button)
        for _ in range(8):
            game.act()
        player.settle()


def entry(game: Machine, text: str) -> None:
    """Take the entry of the open menu that reads like this."""
    rows = [line for line in game.lines if any(sign in line for sign in ("▶", text))]
    first = next(n for n, line in enumerate(game.lines) if "▶" in line)
    here = next(n for n, line in enumerate(game.lines) if text in line and line in rows)
    Player(game).choose(game.get("wMenuCursorY") - 1 + (here - first) // 2)


def go_down(game: Machine) -> None:
    player = Player(game)
    player.walk_to((8, 7))
    player.walk_to((8, 6))
    player.settle()
    if game.map_key != map_of("MOSS HALL"):
        raise StuckError(player.where())


def get_tablet(game: Machine) -> None:
    player = Player(game)
    player.talk_at((5, 5), "up")
    player.settle()


def catch_helper(game: Machine) -> None:
    """Walk about in the hall until one that can learn STRENGTH comes, and throw balls at it."""
    player = Player(game)
    for turn in range(600):
        if set(game.read("wPartySpecies", 0, game.get("wPartyCount"))) & {PEBBLIT, BOULDERAM}:
            player.settle()
            return
        if game.get("wBattleMode"):
            throw(game) if game.get("wEnemyMonSpecies") == PEBBLIT else player.settle()
        else:
            game.act("left" if turn // 4 % 2 else "right")
    raise StuckError(player.where())


def throw(game: Machine) -> None:
    """One action of a battle: open the bag, go to the balls and throw one."""
    if not game.get("wMenuCursorY") or game.shows("YES"):
        game.act("b")
    elif (game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")) == (2, 2):
        at = game.get("wMenuCursorY"), game.get("wMenuCursorX")
        game.act({(1, 1): "down", (1, 2): "left"}.get(at, "a") if at != (2, 2) else "left")
    elif game.shows("ITEMS") or game.shows("BALLS") or game.shows("TABLETS"):
        game.act("a" if game.get("wCurPocket") == 1 else "right")
    else:
        game.act("b")


def open_machines(game: Machine) -> None:
    """START, BAG, and right to the pocket of machines; the cursor onto STRENGTH."""
    player = Player(game)
    game.act("start")
    player.wait_for_menu("")
    player.choose(1)
    player.wait_for_menu("")
    while game.get("wCurPocket") != 3:
        game.act("right")
        player.wait_for_menu("")
    places = [n for n, owned in enumerate(game.read(POCKET)) if owned]
    player.wait_for_menu("")
    for _ in range(places.index(STRENGTH_PLACE)):
        game.act("down")


def teach(game: Machine, index: int) -> None:
    """Use the tablet, up to the choice of whom to teach, and take somebody."""
    player = Player(game)
    open_machines(game)
    game.act("a")
    player.wait_for_menu("")
    game.act("a")
    answer(game)
    game.act()
    player.wait_for_menu("")
    player.choose(index)


def learn_strength(game: Machine) -> None:
    teach(game, game.get("wPartyCount") - 1)
    for _ in range(60):
        if game.shows("learned"):
            break
        if game.get("wMenuCursorY") and not game.shows("TABLETS"):
            game.act("a")
        else:
            game.act("a" if "▼" in game.lines[17] else "")
    Player(game).settle()


def push_boulders(game: Machine) -> None:
    player = Player(game)
    player.travel("BOULDER ROOM")
    player.talk_at((4, 8), "up")
    answer(game)
    player.settle()
    for at, button in SOLUTION:
        push(game, at, button)
    push(game, (6, 3), "right")
    push(game, (7, 3), "right")


def cross_ice(game: Machine) -> None:
    player = Player(game)
    player.walk_to((2, 2))
    player.settle()
    walk(game, ("up", "up", "up", "left", "up", "right", "up"))
    if game.map_key != map_of("MOSS SHORE"):
        raise StuckError(player.where())


def sail(game: Machine) -> None:
    player = Player(game)
    player.talk_at((6, 4), "right")
    read_until(game, lambda: bool(game.get("wMenuCursorY")))
    entry(game, "TOWER")
    player.settle()


def solve_riddles(game: Machine) -> None:
    player = Player(game)
    player.talk_at((3, 5), "up")
    for reply in ("RAIN", "NOON", "TIME"):
        read_until(game, lambda: bool(game.get("wMenuCursorY")))
        entry(game, reply)
    player.settle()


def meet_bearer(game: Machine) -> None:
    """Wait beside the ring until the bearer stands there."""
    player = Player(game)
    player.walk_to((7, 6))
    for _ in range(200):
        if (8, 6) in objects(game):
            player.face("right")
            game.act("a")
            if not game.is_free:
                player.settle()
                return
        game.act()
    raise StuckError(player.where())


def open_door(game: Machine) -> None:
    player = Player(game)
    player.talk_at((4, 3), "up")
    answer(game)
    player.settle()


def walk_round(game: Machine) -> None:
    player = Player(game)
    for goal in ((2, 7), (16, 7), (16, 2), (17, 2)):
        player.walk_to(goal)
    player.settle()


def pull(game: Machine, at: tuple[int, int]) -> None:
    player = Player(game)
    player.talk_at(at, "up")
    answer(game)
    player.settle()


def pull_levers(game: Machine) -> None:
    pull(game, (3, 2))
    pull(game, (8, 2))


def beat_echo(game: Machine, way_in: tuple[int, int], before: tuple[int, int]) -> None:
    """Into an echo's room, and up to where it sees the player."""
    strengthen(game)
    player = Player(game)
    for goal in (way_in, before):
        player.walk_to(goal)
        player.settle()


def see_the_deep_light(game: Machine) -> None:
    player = Player(game)
    player.walk_to((5, 2))
    player.settle()
    player.talk_at((4, 3), "up")
    player.settle()


STAGES: dict[str, Callable[[Machine], None]] = {
    "hall": go_down,
    "tablet": get_tablet,
    "helper": catch_helper,
    "strength": learn_strength,
    "boulders": push_boulders,
    "ice": cross_ice,
    "tower": sail,
    "riddles": solve_riddles,
    "key": meet_bearer,
    "door": open_door,
    "walk": walk_round,
    "levers": pull_levers,
    "first echo": lambda game: beat_echo(game, (8, 8), (4, 5)),
    "second echo": lambda game: beat_echo(game, (4, 2), (5, 5)),
    "deep light": see_the_deep_light,
}
