"""RAM means what it means in Pokémon Emerald in texts, menus, scripts and battles of the field."""

import random
import struct

from tests.roms.advance.conftest import Start
from tests.roms.advance.machine import OFFSET, Machine
from tests.roms.advance.party import party
from tests.roms.advance.player import Player
from tests.roms.advance.world import COUNTER, map_of, people, tiles
from tests.roms.first_act import frames_until

RUNNING, NO_SCRIPT = 0, 2
STOPPED, BYTECODE, NATIVE = 0, 1, 2
TRAINER_BATTLE = 0x5C
HAS_PARTY, BADGE, GYM_BEATEN, BEAT_GRETA, BEAT_MOE = 0x860, 0x867, 0x4F0, 0x501, 0x502
SCENE, STARTER = 0x4050, 0x4023
LAST_HEAL = 0x1C


def script(game: Machine) -> tuple[int, int, int]:
    """Return the lock, the script's status and its mode."""
    return (
        game.get("sLockFieldControls"),
        game.get("sGlobalScriptContextStatus"),
        game.get("sGlobalScriptContext", 1),
    )


def native(game: Machine) -> str:
    """Return what a script waits for."""
    is_native = game.get("sGlobalScriptContext", 1) == NATIVE
    return game.function("sGlobalScriptContext", 4) if is_native else ""


def printer(game: Machine) -> int | None:
    """Return the state of the text printer, None if it does nothing."""
    raw = game.read("sTextPrinters", 0, 0x24)
    return raw[0x1C] if raw[0x1B] else None


def healing_place(game: Machine) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return map and tile where one wakes up after a lost battle."""
    group, number, _, x, y = struct.unpack("<bbbxhh", game.block(1, LAST_HEAL, 8))
    return (group, number), (x, y)


def find_battle(game: Machine) -> Player:
    """Walk in the route's first grass until a wild creature appears."""
    player = Player(game, grass_cost=1)
    player.walk_to((14, 19))
    for turn in range(400):
        if game.in_battle:
            return player
        if game.is_free:
            game.act("right" if turn % 2 else "left")
        else:
            game.tick(8)
    raise AssertionError("no wild creature in 400 steps")


def to_battle_menu(game: Machine) -> None:
    """Press B until the battle asks what to do."""
    Player(game).wait_for(
        lambda: game.function("gBattlerControllerFuncs") == "HandleInputChooseAction", "b"
    )


# ---- texts -------------------------------------------------------------------------------------


def test_a_text_locks_the_field_until_it_is_closed(start: Start) -> None:
    game = start("town")
    player = Player(game)
    player.walk_to((8, 3))
    player.face("up")
    assert script(game) == (0, NO_SCRIPT, STOPPED)
    game.press("a")
    game.tick()
    game.release("a")
    assert script(game)[:2] == (1, RUNNING)
    frames_until(game, lambda: native(game) == "IsFieldMessageBoxHidden", 4)
    printing = frames_until(game, lambda: native(game) == "WaitForAorBPress", 600)
    assert printing > 60, "middle text speed: 4 frames a letter"
    assert "FERNWICK" in game.text
    assert game.get("sFieldMessageBoxMode") == 2
    assert game.mode == "CB2_Overworld"
    assert not game.is_free
    game.tick(100)
    assert native(game) == "WaitForAorBPress", "it waits for ever"
    game.press("b")
    frames_until(game, lambda: game.is_free)
    assert script(game) == (0, NO_SCRIPT, STOPPED)
    assert game.get("sFieldMessageBoxMode") == 0


# ---- questions and menus -----------------------------------------------------------------------


def test_a_question_has_the_task_of_yes_and_no(start: Start) -> None:
    game = start("CENTER")
    player = Player(game)
    player.talk_at((4, 4), "up")
    player.wait_for(lambda: bool(game.tasks))
    assert game.tasks == {"Task_HandleYesNoInput"}
    assert script(game)[:2] == (1, RUNNING)
    assert printer(game) is None
    assert not game.is_free
    game.act("b")
    assert not game.tasks
    player.settle()
    assert "Come back" in game.text


def test_the_nurse_heals_behind_her_counter(start: Start) -> None:
    game = start("CENTER")
    player = Player(game)
    assert tiles(game)[4, 3].behaviour == COUNTER
    game.emulator.write(0, 0x020244EC + 86, b"\1\0")
    player.heal()
    assert player.health() == 1
    assert healing_place(game) == (map_of("STONEHOLLOW"), (5, 5))


def test_the_start_menu_is_a_task_that_locks_the_field(start: Start) -> None:
    game = start("LAB")
    game.press("start")
    frames_until(game, lambda: "Task_ShowStartMenu" in game.tasks, 10)
    game.release("start")
    game.tick(20)
    assert game.get("sLockFieldControls") == 1
    assert game.get("sGlobalScriptContextStatus") == NO_SCRIPT
    assert not game.is_free
    game.press("b")
    assert frames_until(game, lambda: game.is_free) <= 10
    assert not game.tasks


# ---- the story ---------------------------------------------------------------------------------


def test_choosing_a_starter_has_a_mode_of_its_own(start: Start) -> None:
    game = start("town")
    player = Player(game)
    assert not game.flag(HAS_PARTY)
    player.open_starters()
    assert game.mode == "CB2_StarterChoose"
    assert player.party_size == 0
    player.confirm_starter()
    assert game.flag(HAS_PARTY)
    assert (game.var(SCENE), game.var(STARTER)) == (1, 0)
    (one,) = party(game)
    assert (one.is_sound, one.species, one.level, one.hp) == (True, 1, 5, one.stats[0])
    assert (6, 4) not in people(game), "its ball is gone"


def test_the_town_is_left_only_with_a_creature(start: Start) -> None:
    game = start("town")
    player = Player(game)
    assert game.var(SCENE) == 0
    player.walk_to((10, 2))
    player.face("up")
    game.act("up")
    assert script(game)[:2] == (1, RUNNING)
    player.settle()
    assert "tall grass" in game.text
    assert game.position == (10, 2)
    player.take_starter(3)
    player.travel("MILLBROOK PATH")


def test_a_trainer_challenges_on_sight(start: Start) -> None:
    game = start("GYM")
    player = Player(game)
    player.walk_to((4, 10))
    player.face("up")
    game.press("up")
    frames_until(game, lambda: game.get("sLockFieldControls") == 1)
    game.release("up")
    assert game.position == (4, 9)
    assert game.get("sGlobalScriptContextStatus") == RUNNING
    pointer = game.get("sGlobalScriptContext", 8, 4)
    kind, _, trainer = struct.unpack("<BBH", game.at(pointer, 4))
    assert kind == TRAINER_BATTLE
    assert 0x500 + trainer == BEAT_MOE
    frames_until(game, lambda: native(game) == "IsFieldMessageBoxHidden")
    assert (3, 9) in people(game), "he has come"
    assert game.facing == "left"
    assert not game.flag(BEAT_MOE)
    player.wait_for(lambda: game.in_battle)
    assert game.get("gBattleTypeFlags", size=4) & 8
    assert game.get("gTrainerBattleOpponent_A", size=2) == trainer
    player.settle()
    assert game.flag(BEAT_MOE)


def test_the_leader_gives_the_badge(start: Start) -> None:
    game = start("GYM")
    money = game.money
    Player(game).win_badge()
    assert game.flag(BADGE)
    assert game.flag(GYM_BEATEN)
    assert game.flag(BEAT_GRETA)
    assert game.money > money


# ---- battles -----------------------------------------------------------------------------------


def test_a_wild_battle_leads_back_to_the_same_place(start: Start) -> None:
    game = start("MILLBROOK PATH")
    player = find_battle(game)
    here, key = game.position, game.key
    assert script(game)[1] == NO_SCRIPT
    to_battle_menu(game)
    assert game.get("gBattleTypeFlags", size=4) & 8 == 0
    assert all(one.is_sound for one in party(game, "gEnemyParty"))
    seen = [game.mode]

    def look() -> None:
        if game.mode != seen[-1]:
            seen.append(game.mode)
        assert not game.is_free or seen[-1] == "CB2_Overworld"

    game.watch = look
    player.settle()
    assert seen[-3:] == ["CB2_ReturnToField", "CB2_ReturnToFieldLocal", "CB2_Overworld"]
    assert game.position == here
    assert game.key != key
    assert all(one.is_sound for one in party(game))


def test_a_lost_battle_leads_to_the_last_rest_house(start: Start) -> None:
    game = start("MILLBROOK PATH")
    assert healing_place(game) == (map_of("HOME 2F"), (4, 5))
    player = find_battle(game)
    money = game.money
    to_battle_menu(game)
    for address in (0x020244EC + 86, 0x02024084 + 0x28):  # in the party and in battle
        game.emulator.write(0, address, b"\1\0")
    game.emulator.write(0, 0x02024084 + 0x58 + 0x28, b"\x63\0")  # the enemy survives
    seen = []
    game.watch = lambda: seen.append(game.mode) if game.mode not in seen[-1:] else None
    player.settle()
    game.watch = None
    assert seen[-5:-1] == ["CB2_WhiteOut", "CB2_LoadMap", "CB2_DoChangeMap", "CB2_LoadMap2"]
    assert (game.map_key, game.position) == healing_place(game)
    assert game.money == money // 2
    assert player.health() == 1


# ---- people ------------------------------------------------------------------------------------


def test_people_are_there_only_near_the_screen(start: Start) -> None:
    game = start("STONEHOLLOW")
    for goal in ((3, 8), (14, 9), (15, 14)):
        x, y = game.position
        for px, py in people(game):
            assert -12 <= px - x <= 13
            assert -10 <= py - y <= 12
        Player(game).walk_to(goal)
    assert all(not one[0] & 1 or one[9:11] == bytes((2, 0)) for one in game.objects)


def test_people_wander_and_stay_near_home(start: Start) -> None:
    game = start("town")
    seen: dict[int, set[tuple[int, int]]] = {}
    for _ in range(100):
        game.act()
        for one in game.objects[1:]:
            if one[0] & 1:
                home = struct.unpack_from("<hh", one, 0xC)
                place = struct.unpack_from("<hh", one, 0x10)
                seen.setdefault(one[8], set()).add((place[0] - home[0], place[1] - home[1]))
    assert any(len(steps) > 2 for steps in seen.values()), "somebody wanders"
    assert all(abs(dx) <= 2 and abs(dy) <= 2 for steps in seen.values() for dx, dy in steps)


def test_whom_one_talks_to_looks_at_the_player(start: Start) -> None:
    game = start("town")
    Player(game).talk_at((12, 11), "down")
    game.tick(20)
    slot = people(game)[12, 12]
    assert game.objects[slot][0x18] & 15 == 2
    x, y = struct.unpack_from("<hh", game.objects[slot], 0x10)
    assert (x - OFFSET, y - OFFSET) == (12, 12)


# ---- chance ------------------------------------------------------------------------------------


def test_a_state_and_inputs_replay_exactly(start: Start) -> None:
    rng = random.Random(5)
    buttons = [rng.choice(("a", "b", "up", "down", "left", "right", "start")) for _ in range(60)]

    def play() -> bytes:
        game = start("MILLBROOK PATH")
        for button in buttons:
            game.act(button)
        return bytes(game.emulator.ewram) + bytes(game.emulator.iwram)

    assert play() == play()


def test_chance_decides_when_creatures_appear(start: Start) -> None:
    def first_battle(seed: int) -> int:
        game = start("MILLBROOK PATH")
        game.seed(seed)
        find_battle(game)
        return game.actions

    assert len({first_battle(seed) for seed in (1, 2, 3, 4)}) > 1
