"""Take screenshots of the practice game: `python roms/practice/build.py --shots DIR`.

Plays with the RAM-driven player of tests/roms, so it needs the project's environment (PyBoy).
"""

import struct
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

WIDTH, HEIGHT, SCALE = 160, 144, 3


def png(rgba: bytes, scale: int = SCALE) -> bytes:
    """Encode a 160x144 RGBA picture as PNG, every pixel `scale` times as large."""
    lines = b""
    for y in range(HEIGHT):
        line = b""
        for x in range(WIDTH):
            at = 4 * (y * WIDTH + x)
            line += rgba[at : at + 3] * scale
        lines += (b"\0" + line) * scale

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", WIDTH * scale, HEIGHT * scale, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines, 9))
        + chunk(b"IEND", b"")
    )


def take(rom: bytes, folder: Path) -> None:
    """Play to the badge, then what lies under the moss; write a picture of every kind of screen."""
    from tests.roms.machine import Machine
    from tests.roms.player import Player

    game = Machine(rom, seed=7)
    player = Player(game)
    folder.mkdir(parents=True, exist_ok=True)

    def shot(name: str) -> None:
        (folder / f"{name}.png").write_bytes(png(game.screen()))

    def buttons(*names: str) -> None:
        for name in names:
            game.act(name)

    game.tick(90)
    shot("01_title")
    buttons("start", "", "", "", "", "")
    shot("02_intro")
    player.wait_for_menu()
    shot("03_boy_or_girl")
    player.start_game()
    shot("04_bedroom")
    player.travel("HOME 1F")
    player.talk_at((3, 4), "left")
    buttons("", "", "")
    shot("05_mother")
    player.settle()
    player.travel("FERNWICK")
    player.walk_to((11, 7))
    shot("06_fernwick")
    player.walk_to((11, 11))
    shot("07_pond")
    player.travel("LAB")
    player.talk_at((7, 5), "up")
    player.wait_for_menu()
    shot("08_starter")
    buttons("a")
    player.settle()
    shot("09_laboratory")
    player.travel("MILLBROOK PATH")
    player.walk_to((9, 18))
    shot("10_millbrook_path")
    _wild_battle(game, player, shot)
    player.settle()
    buttons("start", "")
    shot("15_start_menu")
    buttons("a", "", "")
    shot("16_party")
    buttons("a", "", "a", "", "")
    shot("17_summary")
    buttons("b", "", "b", "", "b", "")
    player.settle()
    buttons("start", "", "down", "a", "", "")
    shot("18_bag")
    buttons("right", "", "")
    shot("19_balls")
    buttons("b", "", "b", "")
    player.settle()
    buttons("start", "", "down", "down", "a", "")
    shot("20_options")
    buttons("b", "", "b", "")
    player.settle()
    player.travel("STONEHOLLOW")
    player.walk_to((10, 7))
    shot("21_stonehollow")
    player.travel("SHOP")
    player.talk_at((3, 3), "left")
    player.wait_for_menu()
    game.act()
    shot("22_shop")
    player.settle()
    player.travel("CENTER")
    player.walk_to((4, 4))
    shot("23_rest_house")
    player.heal()
    player.travel("GYM")
    shot("24_gym")
    player.walk_to((4, 10))
    game.act("up", frames=40)
    shot("25_seen")
    while not game.get("wMenuCursorY"):
        game.act("b")
        if game.get("wBattleMode") and not game.shows("wants"):
            shot("26_trainer")
    player.win_badge()
    shot("27_after_the_badge")
    _epilogue(game, shot)
    game.close()


def _epilogue(game, shot) -> None:  # type: ignore[no-untyped-def]
    """Take pictures of the obstacles under the moss, each where a stage of the tests ends."""
    from tests.roms import act_two, epilogue
    from tests.roms.player import Player

    saved: dict[str, bytes] = {}
    stages = act_two.STAGES | epilogue.STAGES

    def at(stage: str) -> Player:
        game.load(act_two.reach(stage, saved, stages))
        return Player(game)

    at("hall").walk_to((6, 5))
    shot("28_moss_hall")
    at("strength").travel("BOULDER ROOM")
    Player(game).walk_to((4, 8))
    shot("29_boulders")
    at("boulders").walk_to((2, 2))
    Player(game).settle()
    epilogue.walk(game, ("up", "up", "up"))
    shot("30_ice")
    at("ice").talk_at((6, 4), "right")
    Player(game).wait_for_menu()
    shot("31_boat")
    at("tower").talk_at((3, 5), "up")
    Player(game).wait_for_menu()
    shot("32_riddle")
    at("walk").walk_to((4, 3))
    shot("33_levers")
    at("levers").walk_to((8, 8))
    Player(game).settle()
    shot("34_echo")
    at("deep light").walk_to((3, 4))
    shot("35_moss_heart")


def _wild_battle(game, player, shot) -> None:  # type: ignore[no-untyped-def]
    """Walk in tall grass until something comes; pictures of the battle's stages."""
    cells = ((14, 19), (15, 19))
    turn = 0
    while not game.get("wBattleMode"):
        player.walk_to(cells[turn % 2]) if turn < 2 else None
        game.act("left" if turn % 2 else "right", hold=12)
        turn += 1
    for _ in range(60):
        game.act()
        if game.shows("Wild"):
            shot("11_wild")
        if game.get("wMenuCursorY"):
            break
        game.act("a") if game.shows("▼") else None
    shot("12_battle")
    game.act("a")
    game.act()
    shot("13_moves")
    game.act("a", frames=60)
    shot("14_attack")
