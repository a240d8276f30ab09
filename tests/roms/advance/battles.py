"""A wild battle of MOSSLIGHT ADVANCE, situations written into its RAM, and the keys to play it."""

import struct

from engine.games.emerald.memory import SYMBOLS
from engine.games.emerald.screen import decode
from tests.roms.advance.machine import Machine
from tests.roms.advance.party import SIZE, Creature
from tests.roms.advance.player import Player

FIGHT, BAG, TEAM, RUN = range(4)
OWN, FOE = range(2)
FIGHTER = 0x58
STATS, MOVES, STAGES, TYPES, POINTS, HP, LEVEL, MAX_HP, EXPERIENCE, STATUS = (
    0x02, 0x0C, 0x18, 0x21, 0x24, 0x28, 0x2A, 0x2C, 0x44, 0x4C,
)  # fmt: skip
"""Offsets in gBattleMons; the stats are attack, defense, speed, special attack and defense."""
ATTACK, DEFENSE, SPEED, SPECIAL_ATTACK, SPECIAL_DEFENSE = range(STATS, STATS + 10, 2)
PARTY_STATUS, PARTY_LEVEL, PARTY_HP, PARTY_MAX_HP = 0x50, 0x54, 0x56, 0x58
ASLEEP, POISONED = 5, 8
FAST_WITHOUT_SCENES = 2 | 1 << 10
POTION, BALL = 13, 4
PATIENCE = 1500
_MENUS = {
    "Task_HandleSelectionMenuInput": "menu",
    "Task_HandleChooseMonInput": "party",
    "Task_BagMenu_HandleInput": "bag",
    "Task_HandleYesNoInput": "question",
    "CB2_EvolutionSceneUpdate": "evolves",
}


def encrypt(raw: bytes, blocks: dict[str, bytes]) -> bytes:
    """Return a creature's 100 bytes with some of the blocks G, A, E and M replaced."""
    personality, owner = struct.unpack_from("<II", raw)
    key, order = personality ^ owner, Creature.parse(raw).order
    words = [word ^ key for word in struct.unpack_from("<12I", raw, 32)]
    plain = bytearray(struct.pack("<12I", *words))
    for name, block in blocks.items():
        at = 12 * order.index(name)
        plain[at : at + 12] = block
    checksum = sum(struct.unpack("<24H", plain)) & 0xFFFF
    words = [word ^ key for word in struct.unpack("<12I", plain)]
    head: bytes = raw[:28] + checksum.to_bytes(2, "little") + raw[30:32]
    return head + struct.pack("<12I", *words) + raw[80:]


class Battle:
    """A battle at its action menu.

    Attributes:
        game: The machine.
        messages: The texts that were shown, in order.
    """

    def __init__(self, game: Machine, state: bytes) -> None:
        game.load(state)
        self.game = game
        self.messages: list[str] = []

    # ---- situations ------------------------------------------------------------------------

    def write(self, name: str, offset: int, value: int, size: int = 2) -> None:
        """Write a little-endian number into a symbol."""
        data = value.to_bytes(size, "little")
        self.game.emulator.write(0, SYMBOLS[name].address + offset, data)

    def put(self, side: int, offset: int, value: int, size: int = 2) -> None:
        """Write a number of a creature in battle."""
        self.write("gBattleMons", side * FIGHTER + offset, value, size)

    def set_hp(self, side: int, hp: int, most: int) -> None:
        """Give a side these HP, in the battle and in its party."""
        owner = ("gPlayerParty", "gEnemyParty")[side]
        index = self.game.get("gBattlerPartyIndexes", 2 * side, 2)
        for name, base, now, full in (
            ("gBattleMons", side * FIGHTER, HP, MAX_HP),
            (owner, index * SIZE, PARTY_HP, PARTY_MAX_HP),
        ):
            self.write(name, base + now, hp)
            self.write(name, base + full, most)

    def set_status(self, side: int, status: int) -> None:
        """Give a side a status, in the battle and in its party."""
        self.put(side, STATUS, status, 4)
        self.write(("gPlayerParty", "gEnemyParty")[side], PARTY_STATUS, status, 4)

    def harmless_foe(self) -> None:
        """Let the opponent sleep on, with plenty of HP."""
        self.set_hp(FOE, 600, 600)
        self.set_status(FOE, ASLEEP)

    def set_types(self, side: int, types: tuple[int, ...]) -> None:
        self.put(side, TYPES, types[0] | types[-1] << 8)

    def teach(self, *moves: int, points: int = 10) -> None:
        """Give the own creature these moves, in the battle and in the party."""
        ids = (*moves, 0, 0, 0)[:4]
        left = [points if move else 0 for move in ids]
        for slot in range(4):
            self.put(OWN, MOVES + 2 * slot, ids[slot])
            self.put(OWN, POINTS + slot, left[slot], 1)
        self.change_party(0, A=struct.pack("<4H4B", *ids, *left))

    def change_party(self, index: int, **blocks: bytes) -> None:
        """Replace blocks (G, A, E, M) of a creature in the party."""
        raw = encrypt(self.raw(index), blocks)
        self.game.emulator.write(0, SYMBOLS["gPlayerParty"].address + SIZE * index, raw)

    def raw(self, index: int, owner: str = "gPlayerParty") -> bytes:
        """Return the 100 bytes of a creature in a party."""
        return self.game.read(owner, SIZE * index, SIZE)

    def add_creature(self, hp: int) -> None:
        """Append a copy of the first creature, with these HP."""
        count = self.game.get("gPlayerPartyCount")
        address = SYMBOLS["gPlayerParty"].address + SIZE * count
        self.game.emulator.write(0, address, self.raw(0))
        self.write("gPlayerParty", SIZE * count + PARTY_HP, hp)
        self.write("gPlayerPartyCount", 0, count + 1, 1)

    def carry(self, offset: int, item: int, quantity: int) -> None:
        """Let a pocket, at its offset in save block 1, hold this item only."""
        address = self.game.get("gSaveBlock1Ptr", size=4) + offset
        held = struct.pack("<HHH", item, quantity ^ self.game.key & 0xFFFF, 0)
        self.game.emulator.write(0, address, held)

    def quantity(self, offset: int) -> int:
        """Return the quantity in a pocket's first place."""
        return int.from_bytes(self.game.block(1, offset + 2, 2), "little") ^ self.game.key & 0xFFFF

    def seed(self, number: int) -> None:
        self.write("gRngValue", 0, 0x9E3779B1 * (number + 1) & 0xFFFFFFFF, 4)

    # ---- keys ------------------------------------------------------------------------------

    @property
    def waits(self) -> str:
        """What waits for keys: "action", "move", "menu" and so on; "over", or "" for nothing."""
        game = self.game
        if not game.in_battle:
            return "over"
        if game.get("gPaletteFade", 7) & 0x80:
            return ""
        menu = game.function("gBattlerControllerFuncs")
        if menu:
            return {"HandleInputChooseAction": "action", "HandleInputChooseMove": "move"}[menu]
        tasks = {game.mode, *game.tasks}
        return next((meaning for task, meaning in _MENUS.items() if task in tasks), "")

    def tap(self, button: str) -> None:
        self.game.act(button, hold=3, frames=6)

    def wait(self) -> str:
        """Continue, keeping the messages, until something waits; return what."""
        for _ in range(PATIENCE):
            text = decode(self.game.read("gDisplayedStringBattle")).replace("\n", " ")
            if text not in self.messages[-1:]:
                self.messages.append(text)
            if self.waits:
                return self.waits
            self.game.tick(2)
        raise AssertionError(f"nothing comes of it: {self.game.mode} {self.messages[-3:]}")

    def choose(self, entry: int) -> str:
        """Take an entry of the action menu; return what waits next."""
        assert self.waits == "action"
        return self._take_of_four("gActionSelectionCursor", entry)

    def use(self, slot: int = 0) -> str:
        """Use a move; return what waits next."""
        assert self.choose(FIGHT) == "move"
        return self._take_of_four("gMoveSelectionCursor", slot)

    def _take_of_four(self, cursor: str, entry: int) -> str:
        at = self.game.get(cursor)
        if at & 2 != entry & 2:
            self.tap("down" if entry & 2 else "up")
        if at & 1 != entry & 1:
            self.tap("right" if entry & 1 else "left")
        assert self.game.get(cursor) == entry
        return self.confirm()

    def confirm(self) -> str:
        """Press A; return what waits next."""
        self.tap("a")
        return self.wait()

    def point_at(self, slot: int) -> None:
        """Move the party's cursor."""
        for _ in range(8):
            at = self.game.get("gPartyMenu", 9)
            if at == slot:
                return
            self.tap("down" if at < slot else "up")
        raise AssertionError(f"the party's cursor never reaches {slot}")

    def open_pocket(self, pocket: int) -> None:
        """Open the bag at a pocket, counted from 0."""
        self.write("gBagPosition", 5, pocket, 1)
        assert self.choose(BAG) == "bag"

    # ---- reading ---------------------------------------------------------------------------

    def number(self, side: int, offset: int, size: int = 2) -> int:
        return self.game.get("gBattleMons", side * FIGHTER + offset, size)

    def hp(self, side: int) -> int:
        return self.number(side, HP)

    def creature(self, index: int, owner: str = "gPlayerParty") -> Creature:
        return Creature.parse(self.raw(index, owner))

    def said(self, words: str) -> bool:
        return any(words in text for text in self.messages)


def rested(game: Machine) -> bytes:
    """Return the state with an own creature that the way here has not weakened."""
    battle = Battle(game, game.save())
    full = battle.number(OWN, MAX_HP)
    battle.set_hp(OWN, full, full)
    battle.set_status(OWN, 0)
    return game.save()


def enter_wild_battle() -> tuple[Machine, bytes]:
    """Play from power-on to the action menu of the first wild battle."""
    game = Machine(seed=3)
    player = Player(game, grass_cost=1)
    player.start_game()
    options = game.get("gSaveBlock2Ptr", size=4) + 0x14
    game.emulator.write(0, options, FAST_WITHOUT_SCENES.to_bytes(2, "little"))
    player.take_starter(2)
    player.travel("MILLBROOK PATH")
    player.walk_to((14, 8))
    for turn in range(400):
        if game.mode == "CB2_InitBattle" or game.in_battle:
            break
        game.act(("left", "right")[turn & 1], hold=16)
    for _ in range(PATIENCE):
        if game.function("gBattlerControllerFuncs") == "HandleInputChooseAction":
            return game, rested(game)
        game.tick(2)
    raise AssertionError(f"no battle began: {player.where()}")
