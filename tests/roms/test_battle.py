"""Battles of the practice game, in situations that are written into its RAM."""

from collections.abc import Iterator

import pytest

from tests.engine.games.images import PRACTICE
from tests.roms.machine import Machine
from tests.roms.player import Player

FAST = 0x91
FIGHT, TEAM, BAG, RUN = range(4)
ASLEEP, POISONED = 0x05, 0x08
BALL, POTION = 5, 18
MON_SIZE, NAME_SIZE = 48, 11
LEVEL, HP = 13, 16  # offsets in the 32 bytes of a creature in battle
STATS = 20
TYPES = 30
PATIENCE = 600

MOVE_IDS = {row[0]: number for number, row in PRACTICE.MOVES.items()}
SPECIES_IDS = {name: number for number, name in PRACTICE.SPECIES.items()}


class Battle:
    """A wild battle at its main menu, and the keys to play it."""

    def __init__(self, game: Machine, state: bytes) -> None:
        game.load(state)
        self.game = game
        self.messages: list[str] = []

    # ---- situations ----

    def put(self, name: str, value: int, offset: int = 0, size: int = 1) -> None:
        """Write a big-endian number."""
        for place, byte in enumerate(value.to_bytes(size, "big")):
            self.game.poke(name, byte, offset + place)

    def own(self, offset: int, value: int, size: int = 2) -> None:
        self.put("wBattleMonSpecies", value, offset, size)

    def foe(self, offset: int, value: int, size: int = 2) -> None:
        self.put("wEnemyMonSpecies", value, offset, size)

    def teach(self, *moves: str, points: int = 10) -> None:
        """Give the creature in battle (and in the party) these moves."""
        for slot in range(4):
            number = MOVE_IDS[moves[slot]] if slot < len(moves) else 0
            left = points if slot < len(moves) else 0
            self.put("wBattleMonMoves", number, slot)
            self.put("wBattleMonPP", left, slot)
            self.put("wPartyMon1Moves", number, slot)
            self.put("wPartyMon1PP", left, slot)

    def harmless_foe(self) -> None:
        """Let the opponent sleep on, with plenty of HP."""
        self.foe(14, ASLEEP, 1)
        self.foe(HP, 600)
        self.foe(HP + 2, 600)

    def add_mon(self, hp: int, species: int = 6, level: int = 5) -> None:
        """Append a copy of the first creature with another species."""
        at = self.game.get("wPartyCount")
        for offset, byte in enumerate(self.game.read("wPartyMon1")):
            self.put("wPartyMon1", byte, MON_SIZE * at + offset)
        for offset, byte in enumerate(self.game.read("wPartyMon1Nickname")):
            self.put("wPartyMon1Nickname", byte, NAME_SIZE * at + offset)
        self.put("wPartyMon1", species, MON_SIZE * at)
        self.put("wPartyMon1Level", level, MON_SIZE * at)
        self.put("wPartyMon1HP", hp, MON_SIZE * at, 2)
        self.put("wPartySpecies", species, at)
        self.put("wPartySpecies", 0xFF, at + 1)
        self.put("wPartyCount", at + 1)

    def carry(self, pocket: str, items: str, item: int, quantity: int) -> None:
        """Let a pocket hold this item only."""
        self.put(pocket, 1)
        for place, byte in enumerate((item, quantity, 0xFF)):
            self.put(items, byte, place)

    # ---- keys ----

    @property
    def menu(self) -> tuple[int, int] | None:
        """Rows and columns of the menu that takes input."""
        game = self.game
        if not game.get("wMenuCursorY"):
            return None
        return game.get("w2DMenuNumRows"), game.get("w2DMenuNumCols")

    @property
    def is_over(self) -> bool:
        return not self.game.get("wBattleMode")

    def tap(self, button: str) -> None:
        self.game.act(button, 4, 8)

    def wait(self) -> None:
        """Continue, keeping the messages, until a menu takes input or the battle is over."""
        for _ in range(PATIENCE):
            lines = [self.game.lines[row][1:19].strip() for row in (14, 16)]
            text = " ".join(line for line in lines if line)
            if text.endswith(("!", ".", "?")) and text not in self.messages[-1:]:
                self.messages.append(text)
            if self.menu or self.is_over:
                return
            self.game.tick(2)
        raise AssertionError("nothing comes of it:\n" + "\n".join(self.game.lines))

    def choose(self, entry: int) -> None:
        """Take an entry of the 2x2 menu and wait for what follows."""
        assert self.menu == (2, 2)
        column, row = self.game.get("wMenuCursorX") - 1, self.game.get("wMenuCursorY") - 1
        if column != entry & 1:
            self.tap("right" if entry & 1 else "left")
        if row != entry >> 1:
            self.tap("down" if entry >> 1 else "up")
        self.tap("a")
        self.wait()

    def take(self, index: int) -> None:
        """Take an entry of a list and wait for what follows."""
        for _ in range(20):
            at = self.game.get("wMenuCursorY") - 1
            if at == index:
                break
            self.tap("down" if at < index else "up")
        self.tap("a")
        self.wait()

    def use(self, slot: int = 0) -> None:
        self.choose(FIGHT)
        self.take(slot)

    def seed(self, number: int) -> None:
        self.game.seed(0x1235 * (2 * number + 1) & 0xFFFF)

    # ---- reading ----

    def own_hp(self) -> int:
        return self.game.number("wBattleMonHP")

    def foe_hp(self) -> int:
        return self.game.number("wEnemyMonHP")


def enter_battle() -> tuple[Machine, bytes]:
    game = Machine(seed=3)
    player = Player(game)
    player.start_game()
    game.poke("wOptions", FAST)
    player.take_starter(2)
    player.travel("MILLBROOK PATH")
    player.walk_to((14, 8))
    for turn in range(400):
        if game.get("wBattleMode"):
            break
        game.act(("right", "left")[turn & 1], hold=12)  # long enough to turn and to step
    for _ in range(PATIENCE):
        if game.get("wBattleMode") and game.get("wMenuCursorY"):
            return game, game.save()
        game.act()
    raise AssertionError("no battle began:\n" + "\n".join(game.lines))


@pytest.fixture(scope="module")
def wild() -> Iterator[tuple[Machine, bytes]]:
    game, state = enter_battle()
    yield game, state
    game.close()


@pytest.fixture
def battle(wild: tuple[Machine, bytes]) -> Battle:
    return Battle(*wild)


def damages(
    level: int, power: int, attack: int, defense: int, factor: float, critical: bool
) -> tuple[int, int]:
    """Return the least and the greatest damage by the published formula of generation II."""
    base = (2 * level // 5 + 2) * power * attack // defense // 50
    base = base * (2 if critical else 1) + 2
    whole = int(base * factor)
    return max(1, whole * 217 // 255), max(1, whole)


DAMAGE_CASES = [
    # move, user's types, target's types, product of same-type bonus and effectiveness
    ("BUMP", ("WATER",), ("GRASS",), 1.0),
    ("RAKE", ("NORMAL",), ("GRASS",), 1.5),
    ("RAKE", ("WATER",), ("ROCK",), 0.5),
    ("DOUSE", ("WATER",), ("FIRE",), 3.0),
    ("DOUSE", ("FIRE",), ("GRASS",), 0.5),
    ("KINDLE", ("FIRE",), ("BUG", "GRASS"), 6.0),
    ("LEAFCUT", ("GRASS",), ("ROCK", "BUG"), 1.5),
    ("MUD FLING", ("WATER",), ("ROCK",), 2.0),
]
TYPE_IDS = {"NORMAL": 0, "ROCK": 5, "BUG": 7, "GHOST": 8, "FIRE": 20, "WATER": 21, "GRASS": 22}
SPECIAL_FROM = 20


def set_types(battle: Battle, own: tuple[str, ...], foe: tuple[str, ...]) -> None:
    for set_one, types in ((battle.own, own), (battle.foe, foe)):
        set_one(TYPES, TYPE_IDS[types[0]], 1)
        set_one(TYPES + 1, TYPE_IDS[types[-1]], 1)


@pytest.mark.parametrize(("move", "own", "foe", "factor"), DAMAGE_CASES)
def test_damage_follows_the_published_formula(
    wild: tuple[Machine, bytes],
    move: str,
    own: tuple[str, ...],
    foe: tuple[str, ...],
    factor: float,
) -> None:
    level, attack, defense, special_attack, special_defense = 12, 30, 24, 34, 20
    number = MOVE_IDS[move]
    _, kind, power, _, _ = PRACTICE.MOVES[number]
    seen = set()
    for seed in range(24):
        battle = Battle(*wild)
        battle.harmless_foe()
        battle.teach(move)
        set_types(battle, own, foe)
        battle.own(LEVEL, level, 1)
        battle.own(STATS, attack)
        battle.own(STATS + 6, special_attack)
        battle.foe(STATS + 2, defense)
        battle.foe(STATS + 8, special_defense)
        battle.seed(seed)
        battle.use()
        seen.add(600 - battle.foe_hp())
    seen.discard(0)  # missed
    special = kind >= SPECIAL_FROM
    pair = (special_attack, special_defense) if special else (attack, defense)
    ranges = [damages(level, power, *pair, factor, critical) for critical in (False, True)]
    low, high = ranges[0]
    assert len(seen) > (high - low > 1), "two values may be one by chance"
    for damage in seen:
        assert any(low - 1 <= damage <= high for low, high in ranges), (damage, ranges)


def test_a_ghost_is_not_touched_by_a_normal_move(battle: Battle) -> None:
    battle.harmless_foe()
    battle.teach("RAKE")
    set_types(battle, ("NORMAL",), ("GHOST",))
    battle.use()
    assert battle.foe_hp() == 600
    assert any("is not affected" in text for text in battle.messages)


def test_a_move_costs_a_point_and_hp_are_written_back(battle: Battle) -> None:
    battle.teach("BUMP", "RAKE")
    battle.foe(HP, 90)
    battle.use(1)
    assert list(battle.game.read("wBattleMonPP")) == [10, 9, 0, 0]
    assert list(battle.game.read("wPartyMon1PP")) == [10, 9, 0, 0]
    assert battle.game.number("wPartyMon1HP") == battle.own_hp()


def test_a_move_without_points_is_refused(battle: Battle) -> None:
    battle.harmless_foe()
    battle.teach("BUMP", "RAKE")
    battle.put("wBattleMonPP", 0, 0)
    battle.use(0)
    assert battle.menu == (2, 1)
    assert battle.foe_hp() == 600


def test_without_any_points_there_is_a_last_resort(battle: Battle) -> None:
    battle.harmless_foe()
    battle.teach("BUMP", points=0)
    battle.own(HP, 100)
    battle.own(HP + 2, 100)
    battle.choose(FIGHT)
    assert battle.foe_hp() < 600
    assert battle.own_hp() < 100
    assert any("SCRAMBLE" in text for text in battle.messages)


def test_b_leaves_the_list_of_moves(battle: Battle) -> None:
    battle.choose(FIGHT)
    battle.tap("b")
    battle.wait()
    assert battle.menu == (2, 2)


def level_up_next(battle: Battle, species: str, level: int) -> None:
    """Make the coming victory a level-up to `level`."""
    number = SPECIES_IDS[species]
    battle.put("wPartyMon1Species", number)
    battle.put("wPartySpecies", number)
    battle.put("wPartyMon1Level", level - 1)
    battle.put("wPartyMon1Exp", level**3 - 1, 0, 3)
    battle.own(0, number, 1)
    battle.own(LEVEL, level - 1, 1)
    battle.foe(HP, 1)
    battle.foe(LEVEL, 2, 1)
    battle.foe(14, ASLEEP, 1)
    set_types(battle, ("FIRE",), ("NORMAL",))


def test_a_level_up_raises_statistics_and_teaches_a_move(battle: Battle) -> None:
    level_up_next(battle, "CINDLE", 5)
    battle.teach("RAKE")
    battle.use()
    assert battle.is_over
    assert battle.game.get("wPartyMon1Level") == 5
    assert battle.game.get("wPartyMon1Moves", 1) == MOVE_IDS["MUD FLING"]
    assert battle.game.get("wPartyMon1PP", 1) == PRACTICE.MOVES[MOVE_IDS["MUD FLING"]][4]
    dvs = battle.game.number("wPartyMon1DVs")
    assert battle.game.number("wPartyMon1Attack") == (50 + (dvs >> 12)) * 2 * 5 // 100 + 5
    hp_dv = (dvs >> 12 & 1) * 8 + (dvs >> 8 & 1) * 4 + (dvs >> 4 & 1) * 2 + (dvs & 1)
    assert battle.game.number("wPartyMon1MaxHP") == (50 + hp_dv) * 2 * 5 // 100 + 15


@pytest.mark.parametrize(("entry", "forgets"), [(1, True), (4, False)])
def test_a_fifth_move_asks_which_to_forget(battle: Battle, entry: int, forgets: bool) -> None:
    level_up_next(battle, "CINDLE", 9)
    battle.teach("RAKE", "YOWL", "KINDLE", "BUMP")
    battle.use()
    assert battle.menu == (5, 1)
    battle.take(entry)
    assert battle.is_over
    expected = "QUICKSTEP" if forgets else "YOWL"
    assert battle.game.get("wPartyMon1Moves", 1) == MOVE_IDS[expected]
    assert battle.game.get("wPartyMon1Moves", 0) == MOVE_IDS["RAKE"]


def throw_ball(battle: Battle) -> None:
    battle.game.poke("wCurPocket", 1)
    battle.choose(BAG)
    assert battle.game.get("wMenuSelection") == BALL
    battle.take(0)


def test_a_weak_creature_is_caught(battle: Battle) -> None:
    battle.carry("wNumBalls", "wBalls", BALL, 20)
    battle.harmless_foe()
    battle.foe(HP, 1)
    species, level = battle.game.get("wEnemyMonSpecies"), battle.game.get("wEnemyMonLevel")
    for _ in range(20):
        throw_ball(battle)
        if battle.is_over:
            break
        battle.foe(14, ASLEEP, 1)
    game = battle.game
    assert game.get("wPartyCount") == 2
    assert list(game.read("wPartySpecies", 1, 2)) == [species, 0xFF]
    assert game.get("wPartyMon1Species", MON_SIZE) == species
    assert game.get("wPartyMon1Level", MON_SIZE) == level
    assert game.number("wPartyMon1HP", MON_SIZE) == 1
    assert game.read("wPokedexCaught")[(species - 1) >> 3] >> ((species - 1) & 7) & 1
    assert game.get("wBalls", 1) < 20
    assert game.get("wBattleResult") == 0


def test_a_full_team_keeps_the_ball(battle: Battle) -> None:
    while battle.game.get("wPartyCount") < 6:
        battle.add_mon(hp=10)
    battle.carry("wNumBalls", "wBalls", BALL, 3)
    throw_ball(battle)
    assert battle.menu == (2, 2)
    assert battle.game.get("wBalls", 1) == 3
    assert any("full" in text for text in battle.messages)


def test_running_ends_the_battle(battle: Battle) -> None:
    battle.foe(STATS + 4, 1)
    battle.choose(RUN)
    assert battle.is_over
    assert battle.game.get("wBattleResult") == 2


def test_running_from_a_faster_one_costs_the_turn(battle: Battle) -> None:
    battle.harmless_foe()
    battle.foe(STATS + 4, 600)
    battle.own(STATS + 4, 1)
    attempts = 0
    while not battle.is_over:
        battle.choose(RUN)
        attempts += 1
        assert battle.game.get("wNumFleeAttempts") == attempts
        battle.foe(14, ASLEEP, 1)
    assert attempts <= 10  # every attempt adds 30 of 256


def test_a_potion_heals_and_costs_the_turn(battle: Battle) -> None:
    battle.carry("wNumItems", "wItems", POTION, 2)
    battle.harmless_foe()
    battle.own(HP, 3)
    battle.put("wPartyMon1HP", 3, 0, 2)
    battle.game.poke("wCurPocket", 0)
    full = battle.game.number("wBattleMonMaxHP")
    battle.choose(BAG)
    assert battle.game.get("wMenuSelection") == POTION
    battle.take(0)
    battle.take(0)
    assert battle.own_hp() == min(full, 23)
    assert battle.game.number("wPartyMon1HP") == min(full, 23)
    assert battle.game.get("wItems", 1) == 1
    assert battle.game.get("wEnemyMonStatus") & 7 == ASLEEP - 1


def test_a_potion_without_effect_is_kept(battle: Battle) -> None:
    battle.carry("wNumItems", "wItems", POTION, 2)
    battle.own(HP, battle.game.number("wBattleMonMaxHP"))
    battle.put("wPartyMon1HP", battle.game.number("wPartyMon1MaxHP"), 0, 2)
    battle.game.poke("wCurPocket", 0)
    battle.choose(BAG)
    battle.take(0)
    battle.take(0)
    assert battle.menu == (2, 2)
    assert battle.game.get("wItems", 1) == 2


def faint_next(battle: Battle) -> None:
    battle.teach("YOWL")
    battle.own(HP, 1)
    battle.own(14, POISONED, 1)
    battle.foe(HP, 600)


def test_a_fainted_creature_must_be_replaced(battle: Battle) -> None:
    battle.add_mon(hp=0)
    battle.add_mon(hp=9, species=3)
    faint_next(battle)
    battle.use()
    assert battle.menu == (3, 1)
    assert battle.game.number("wPartyMon1HP") == 0
    battle.tap("b")
    assert battle.menu == (3, 1)
    battle.take(1)  # fainted as well
    assert battle.menu == (3, 1)
    battle.take(2)
    assert battle.menu == (2, 2)
    assert battle.game.get("wBattleMonSpecies") == 3
    assert battle.game.get("wCurBattleMon") == 2


def test_switching_costs_the_turn(battle: Battle) -> None:
    battle.add_mon(hp=9, species=3)
    battle.harmless_foe()
    battle.choose(TEAM)
    battle.take(1)
    assert battle.menu == (2, 2)
    assert battle.game.get("wBattleMonSpecies") == 3
    assert battle.game.get("wEnemyMonStatus") & 7 == ASLEEP - 1


def test_the_last_one_fainting_heals_all_and_halves_the_money(battle: Battle) -> None:
    battle.put("wMoney", 3001, 0, 3)
    faint_next(battle)
    battle.use()
    for _ in range(60):
        battle.game.act()
    game = battle.game
    assert game.get("wBattleResult") == 1
    assert game.number("wMoney", size=3) == 1500
    assert game.number("wPartyMon1HP") == game.number("wPartyMon1MaxHP") > 0
    assert not game.get("wPartyMon1Status")
    assert game.is_free


def test_a_turn_takes_few_frames_without_scenes(battle: Battle) -> None:
    battle.teach("RAKE")
    battle.foe(HP, 600)
    battle.foe(HP + 2, 600)
    battle.own(HP, 600)
    battle.own(HP + 2, 600)
    battle.choose(FIGHT)
    battle.tap("a")
    frames = 0
    while not battle.menu:
        battle.game.tick()
        frames += 1
    assert frames <= 120


def test_the_same_state_and_keys_give_the_same_battle(wild: tuple[Machine, bytes]) -> None:
    outcomes = []
    for _ in range(2):
        battle = Battle(*wild)
        for _ in range(3):
            if not battle.is_over:
                battle.use()
        outcomes.append((battle.messages, battle.game.read("wPartyMon1"), battle.foe_hp()))
    assert outcomes[0] == outcomes[1]


def test_the_three_starters_form_a_triangle() -> None:
    water, grass, fire = (
        PRACTICE.SPECIES_TYPES[SPECIES_IDS[name]][0] for name in ("RILLET", "SPRIGOT", "CINDLE")
    )
    for strong, weak in ((water, fire), (fire, grass), (grass, water)):
        assert PRACTICE.TYPE_CHART[strong, weak] == 2.0
        assert PRACTICE.TYPE_CHART[weak, strong] == 0.5


def test_there_are_enough_moves_with_points_and_accuracy() -> None:
    attacks = [move for move in PRACTICE.MOVES.values() if move[2]]
    assert len(attacks) >= 8
    for *_, accuracy, points in PRACTICE.MOVES.values():
        assert 0 < accuracy <= 100
        assert points > 0
