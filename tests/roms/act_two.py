"""Play the second act of the practice game from the first badge on, stage by stage."""

from collections.abc import Callable, Mapping

from tests.engine.games.images import PRACTICE
from tests.roms.first_act import StuckError
from tests.roms.machine import Machine
from tests.roms.player import Player, map_of

TREE_EAST, TREE_WEST, SHORE = (6, 8), (4, 8), (8, 4)


def event(game: Machine, name: str) -> bool:
    """Tell whether an event of the world is set."""
    return game.event(PRACTICE.EVENT_FLAGS[name])


def read_until(game: Machine, done: Callable[[], bool]) -> None:
    """Read on, pressing A at the waiting arrow only, until something is true."""
    for _ in range(200):
        if done():
            return
        game.act("a" if "▼" in game.lines[17] else "")
    raise StuckError("\n".join(game.lines))


def is_spinner(game: Machine) -> bool:
    """Tell whether the hour spinner waits (facts: rom-tables.md)."""
    tiles = game.read("wTilemap")
    return tiles[20 * 7 + 11] == 1 and tiles[20 * 10 + 11] == 2


def is_naming(game: Machine) -> bool:
    """Tell whether the naming screen waits (facts: rom-tables.md)."""
    return "DEL" in game.lines[16] and "END" in game.lines[16]


def answer(game: Machine, index: int = 0) -> None:
    """Press on to the YES/NO box and take an entry."""
    read_until(game, lambda: bool(game.get("wMenuCursorY")))
    Player(game).choose(index)


def strengthen(game: Machine) -> None:
    """Spare the hours of training: the first creature is as strong as one of level 30."""
    game.poke("wPartyMon1Level", 30)
    for offset, value in enumerate((30**3).to_bytes(3, "big")):
        game.poke("wPartyMon1Exp", value, offset=offset)
    for name in ("wPartyMon1MaxHP", "wPartyMon1HP"):
        game.poke(name, 120, offset=1)
    for offset in range(5):
        game.poke("wPartyMon1Attack", 60, offset=2 * offset + 1)
    for slot in range(4):
        game.poke("wPartyMon1PP", 15, offset=slot)


def first_badge(game: Machine) -> None:
    """From the starter on."""
    Player(game).win_badge()
    Player(game).heal()


def meet_watchman(game: Machine) -> None:
    """Into the gatehouse, up to the clock question."""
    player = Player(game)
    player.travel("GATEHOUSE")
    player.talk_at((4, 5), "up")
    read_until(game, lambda: is_spinner(game))


def set_clock(game: Machine) -> None:
    meet_watchman(game)
    game.act("a")
    answer(game)
    Player(game).settle()


def beat_rival(game: Machine) -> None:
    """On the road, up to the naming screen."""
    strengthen(game)
    player = Player(game)
    player.travel("GLIMMER ROAD")
    player.walk_to((9, 19))
    for _ in range(400):
        if is_naming(game):
            return
        if game.is_free:
            game.act("up")
        elif game.get("wBattleMode"):
            player.battle_action()
        else:
            game.act("b")
    raise StuckError(player.where())


def name_rival(game: Machine) -> None:
    beat_rival(game)
    for button in ("a", "start", "a"):
        game.act(button)
    Player(game).settle()


def find_lamp(game: Machine) -> None:
    strengthen(game)
    player = Player(game)
    player.travel("DRIPSTONE B1F")
    player.talk_at((6, 7), "down")
    player.settle()


def return_lamp(game: Machine) -> None:
    player = Player(game)
    player.travel("GLIMMER ROAD")
    player.talk_at((9, 3), "up")
    player.settle()


def second_badge(game: Machine) -> None:
    strengthen(game)
    player = Player(game)
    player.travel("REED GYM")
    for goal in ((4, 6), (4, 5)):
        player.walk_to(goal)
    player.settle()


def learn_cut(game: Machine) -> None:
    player = Player(game)
    player.travel("CUTTER HOUSE")
    player.talk_at((4, 4), "right")
    answer(game)
    player.settle()


def cut(game: Machine, at: tuple[int, int] = TREE_EAST) -> None:
    """In Reedmere, beside the tree."""
    player = Player(game)
    player.travel("REEDMERE")
    player.talk_at(at, "left" if at == TREE_EAST else "right")
    answer(game)
    player.settle()


def get_seal(game: Machine) -> None:
    cut(game)
    player = Player(game)
    player.travel("WARDEN HUT")
    player.talk_at((3, 4), "up")
    answer(game)
    player.settle()


def surf(game: Machine) -> None:
    """Out of the warden's garden, where the tree has grown again, and onto the lake."""
    cut(game, TREE_WEST)
    player = Player(game)
    player.talk_at(SHORE, "up")
    answer(game)
    player.settle()


def reach_isle(game: Machine) -> None:
    surf(game)
    for button, steps in (("right", 2), ("up", 8)):
        for _ in range(steps * 2):
            game.act(button)
    Player(game).settle()
    if game.map_key != map_of("MOSS ISLE"):
        raise StuckError(Player(game).where())


def see_the_light(game: Machine) -> None:
    strengthen(game)
    player = Player(game)
    player.walk_to((10, 6))
    player.settle()
    player.talk_at((10, 4), "up")
    player.settle()


STAGES: dict[str, Callable[[Machine], None]] = {
    "first badge": first_badge,
    "clock": set_clock,
    "rival": name_rival,
    "lamp": find_lamp,
    "lamp returned": return_lamp,
    "second badge": second_badge,
    "cut": learn_cut,
    "seal": get_seal,
    "isle": reach_isle,
    "moss light": see_the_light,
}


def reach(
    stage: str, saved: dict[str, bytes], stages: Mapping[str, Callable[[Machine], None]]
) -> bytes:
    """Play to the end of a stage, over all before it; keep each."""
    if stage not in saved:
        names = list(stages)
        game = Machine(seed=1)
        if stage == names[0]:
            Player(game).start_game()
            Player(game).take_starter(2)
        else:
            game.load(reach(names[names.index(stage) - 1], saved, stages))
        stages[stage](game)
        saved[stage] = game.save()
        game.close()
    return saved[stage]
