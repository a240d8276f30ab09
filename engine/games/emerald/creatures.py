"""Read the party and the battle.

A creature of the party has 48 encrypted bytes: four blocks whose order follows from its
personality, each word XORed with its personality and its first owner's number, under a checksum.
The game takes them apart and together within a frame; where a checksum is wrong all the same, the
creature is as it was last read.
"""

import struct
from collections.abc import Iterable
from itertools import permutations
from typing import NamedTuple

from engine.games.base import GameTables
from engine.games.emerald.control import BATTLE_BIT, IN_BATTLE
from engine.games.emerald.memory import (
    CHOOSE_TARGET,
    Memory,
    Profile,
    ewram_at,
    functions_of,
    iwram_at,
)
from engine.types import Battle, BattleKind, Creature

PARTY_SIZE, CREATURE_SIZE = 6, 100
EGG = 412
"""SPECIES_EGG; its blocks hold what will hatch."""

_MAX_LEVEL = 100
_PRESENT = 2  # of the flags
_HEAD = struct.Struct("<II11xB8xH2x48sIB x7H")
"""Personality, owner, flags, checksum, the blocks, status, level, health and stats."""
_WORDS, _HALVES = struct.Struct("<12I"), struct.Struct("<24H")
_BLOCKS = "GAEM"  # growth, attacks, effort, the rest
_ORDERS = tuple(tuple(order.index(block) for block in _BLOCKS) for order in permutations(_BLOCKS))
"""By personality % 24: where each of `_BLOCKS` lies."""
_GROWTH, _ATTACKS = struct.Struct("<HHI4x"), struct.Struct("<4H4B")
_IVS, _EGG_BIT = 4, 1 << 30
_BLOCK_SIZE = 12

_SLEEP = 0x07
_STATUSES = ((0x08, "poison"), (0x10, "burn"), (0x20, "freeze"), (0x40, "paralysis"),
             (0x80, "poison"))  # fmt: skip

_COUNT, _PARTY = ewram_at("gPlayerPartyCount"), ewram_at("gPlayerParty")
_ENEMY_PARTY = ewram_at("gEnemyParty")
_TYPE_FLAGS, _DOUBLE, _TRAINER = ewram_at("gBattleTypeFlags"), 1, 8
_CONTROLLERS, _TARGET = iwram_at("gBattlerControllerFuncs"), iwram_at("gMultiUsePlayerCursor")
_OPPONENT = ewram_at("gTrainerBattleOpponent_A")
_FIGHTERS, _FIGHTER_SIZE, _NUM_FIGHTERS = ewram_at("gBattleMons"), 0x58, 4
_NUMBERS = ewram_at("gBattlersCount")
_POSITIONS, _INDEXES = ewram_at("gBattlerPositions"), ewram_at("gBattlerPartyIndexes")
_OWN, _ENEMY = (0, 2), (1, 3)
"""Positions of either side; the second ones in double battles."""
_FIGHTER = struct.Struct("<H5H4H4x8Bx2Bx4BHBxHH24xII")
"""Species, stats, moves, stages, types, points, health, level, most health, item, personality and
status."""
_UNCHANGED = 6
_MOST_STAGE = 12
_TRAINER_SIZE, _TRAINER_CLASS = 40, 1


class _Fighter(NamedTuple):
    """One of gBattleMons."""

    creature: Creature
    personality: int


class CreatureReader:
    """Read creatures, making new values only where the bytes changed.

    Args:
        memory: Of the machine.
        profile: Of the image that it runs.
        tables: Name species, moves and classes of trainers, and give the types.
    """

    def __init__(self, memory: Memory, profile: Profile, tables: GameTables) -> None:
        self._memory = memory
        self._ewram, self._iwram = memory.ewram, memory.iwram
        self._tables = tables
        self._controllers = functions_of(profile).controllers
        self._trainers = profile.rom.get("gTrainers", 0)
        self._raw = b""
        self._known: dict[int, tuple[bytes, Creature]] = {}
        self._party: tuple[Creature, ...] = ()
        self._battle_raw = b""
        self._battle: Battle | None = None

    def party(self) -> tuple[Creature, ...]:
        """Return the party, at most six."""
        ewram = self._ewram
        count = ewram[_COUNT]
        if not 0 < count <= PARTY_SIZE:
            self._raw, self._party, self._known = b"", (), {}
            return ()
        raw = bytes(ewram[_PARTY : _PARTY + count * CREATURE_SIZE])
        if raw != self._raw:
            self._raw = raw
            starts = range(0, len(raw), CREATURE_SIZE)
            found = (self._member(raw[at : at + CREATURE_SIZE]) for at in starts)
            self._party = tuple(one for one in found if one is not None)
            self._known = {at: one for at, one in self._known.items() if one[1] in self._party}
        return self._party

    def save(self) -> str:
        """Return the creatures as last read: the game may be half-way through changing them."""
        return b"".join(raw for raw, _ in self._known.values()).hex()

    def restore(self, saved: str) -> None:
        """Put back what `save` returned."""
        data = bytes.fromhex(saved)
        self._raw, self._known = b"", {}
        for at in range(0, len(data), CREATURE_SIZE):
            self._member(data[at : at + CREATURE_SIZE])

    def battle(self) -> Battle | None:
        """Return the battle, its creatures only once they are sent out.

        gBattleMons keeps the last battle's until then: one counts if its personality is that of
        the party's creature that it stands for.
        """
        ewram = self._ewram
        if not self._iwram[IN_BATTLE] & BATTLE_BIT:
            self._battle_raw, self._battle = b"", None
            return None
        raw = b"".join(
            (
                ewram[_FIGHTERS : _FIGHTERS + _NUM_FIGHTERS * _FIGHTER_SIZE],
                ewram[_NUMBERS : _POSITIONS + 4],
                ewram[_TYPE_FLAGS : _TYPE_FLAGS + 4],
                ewram[_OPPONENT : _OPPONENT + 2],
                self._iwram[_CONTROLLERS : _CONTROLLERS + 4 * _NUM_FIGHTERS],
                self._iwram[_TARGET : _TARGET + 1],
                *(self._personality_bytes(party, slot)
                  for party in (_PARTY, _ENEMY_PARTY) for slot in range(PARTY_SIZE)),
            )
        )  # fmt: skip
        if raw != self._battle_raw or self._battle is None:
            self._battle_raw, self._battle = raw, self._make_battle()
        return self._battle

    def _make_battle(self) -> Battle:
        flags = self._ewram[_TYPE_FLAGS]
        is_double = bool(flags & _DOUBLE)
        asked, is_target_asked = self._asked() if is_double else (0, False)
        own, own_slot = self._first((asked, *_OWN) if is_double else _OWN[:1], _PARTY)
        enemy, enemy_slot = self._first(_ENEMY if is_double else _ENEMY[:1], _ENEMY_PARTY)
        target = self._aimed_at() if is_target_asked else None
        if not flags & _TRAINER:
            return Battle(
                BattleKind.WILD,
                0,
                own,
                enemy,
                own_slot=own_slot,
                is_double=is_double,
                target=target,
            )
        opponent = self._half(_OPPONENT)
        row = self._memory.read(self._trainers + _TRAINER_SIZE * opponent, _TRAINER_SIZE)
        number = row[_TRAINER_CLASS] if row else 0
        return Battle(
            BattleKind.TRAINER,
            number,
            own,
            enemy,
            trainer_id=opponent,
            enemy_slot=enemy_slot,
            own_slot=own_slot,
            trainer_name=self._tables.trainer_class_name(number),
            is_double=is_double,
            target=target,
        )

    def _asked(self) -> tuple[int, bool]:
        """Return the position of whom the player commands now, and whether a target is asked."""
        for number in range(min(self._ewram[_NUMBERS], _NUM_FIGHTERS)):
            start = _CONTROLLERS + 4 * number
            function = int.from_bytes(self._iwram[start : start + 4], "little")
            name = self._controllers.get(function)
            if self._ewram[_POSITIONS + number] in _OWN and name is not None:
                return self._ewram[_POSITIONS + number], name == CHOOSE_TARGET
        return _OWN[0], False

    def _aimed_at(self) -> Creature | None:
        """Return the creature under the cursor that chooses a move's target."""
        number = self._iwram[_TARGET]
        position = self._ewram[_POSITIONS + number] if number < _NUM_FIGHTERS else _NUM_FIGHTERS
        return self._fighter(position, _ENEMY_PARTY if position in _ENEMY else _PARTY)[0]

    def _first(self, positions: Iterable[int], party: int) -> tuple[Creature | None, int]:
        """Return the first in some positions who stands; if all have fainted, the first."""
        found = [self._fighter(position, party) for position in positions]
        return next((one for one in found if one[0] and one[0].hp), found[0])

    def _fighter(self, position: int, party: int) -> tuple[Creature | None, int]:
        """Return who stands in a position, and its place in its party; None, 0: nobody yet."""
        ewram = self._ewram
        for number in range(min(ewram[_NUMBERS], _NUM_FIGHTERS)):
            slot = self._half(_INDEXES + 2 * number)
            if ewram[_POSITIONS + number] != position or slot >= PARTY_SIZE:
                continue
            found = self._battle_creature(_FIGHTERS + _FIGHTER_SIZE * number)
            personality = int.from_bytes(self._personality_bytes(party, slot), "little")
            if found is not None and found.personality == personality:
                return found.creature, slot
        return None, 0

    def _personality_bytes(self, party: int, slot: int) -> memoryview:
        start = party + CREATURE_SIZE * slot
        return self._ewram[start : start + 4]

    def _member(self, raw: bytes) -> Creature | None:
        """Return a creature of the party, None where it never was right."""
        personality = int.from_bytes(raw[:4], "little")
        found = self._decode(raw)
        if found is not None:
            self._known[personality] = raw, found
            return found
        known = self._known.get(personality)
        return known[1] if known else None

    def _decode(self, raw: bytes) -> Creature | None:
        personality, owner, flags, checksum, blocks, status, level, hp, max_hp, *stats = (
            _HEAD.unpack(raw)
        )
        key = personality ^ owner
        secret = _WORDS.pack(*(word ^ key for word in _WORDS.unpack(blocks)))
        if sum(_HALVES.unpack(secret)) & 0xFFFF != checksum or not flags & _PRESENT:
            return None
        growth, attacks, _, rest = (
            secret[_BLOCK_SIZE * at : _BLOCK_SIZE * (at + 1)] for at in _ORDERS[personality % 24]
        )
        species, item, experience = _GROWTH.unpack(growth)
        if not species or not 0 < level <= _MAX_LEVEL or not max_hp:
            return None
        moves = _ATTACKS.unpack(attacks)
        is_egg = bool(int.from_bytes(rest[_IVS : _IVS + 4], "little") & _EGG_BIT)
        species = EGG if is_egg else species
        return Creature(
            species=species,
            name="EGG" if is_egg else self._tables.species_name(species),
            level=level,
            hp=min(hp, max_hp),
            max_hp=max_hp,
            status=_status_name(status),
            moves=self._tables.known_moves(moves[:4], moves[4:]),
            experience=experience,
            held_item=item,
            types=tuple(self._tables.SPECIES_TYPES.get(species, ())),
            stats=tuple(stats),
        )

    def _battle_creature(self, start: int) -> _Fighter | None:
        values = _FIGHTER.unpack_from(self._ewram, start)
        species, stats, moves, stages = values[0], values[1:6], values[6:10], values[10:18]
        first, second, points = values[18], values[19], values[20:24]
        hp, level, max_hp, item, personality, status = values[24:]
        if not species or not 0 < level <= _MAX_LEVEL or not max_hp or hp > max_hp:
            return None
        changed = tuple(map(_staged, stats, stages[1:6]))
        creature = Creature(
            species=species,
            name=self._tables.species_name(species),
            level=level,
            hp=hp,
            max_hp=max_hp,
            status=_status_name(status),
            moves=self._tables.known_moves(moves, points),
            held_item=item,
            types=(first,) if first == second else (first, second),
            stats=changed,
        )
        return _Fighter(creature, personality)

    def _half(self, at: int) -> int:
        return self._ewram[at] | self._ewram[at + 1] << 8


def _staged(stat: int, stage: int) -> int:
    """Return a stat as `stage` changed it: 0 a quarter, 6 as it is, 12 four times."""
    by = min(stage, _MOST_STAGE) - _UNCHANGED
    return stat * (2 + by) // 2 if by >= 0 else stat * 2 // (2 - by)


def _status_name(status: int) -> str:
    """Name a status: bits 0-2 turns of sleep, then poison, burn, freeze, paralysis, bad poison."""
    if status & _SLEEP:
        return "sleep"
    return next((name for bit, name in _STATUSES if status & bit), "")
