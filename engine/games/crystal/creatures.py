"""Read the party and the battle."""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from engine.emulator.base import Emulator
from engine.games.base import GameTables
from engine.games.crystal.memory import SYMBOLS, Symbol, WorkRam, at, window
from engine.types import Battle, BattleKind, Creature, Move

_PARTY_SIZE, _STRUCT = 6, 48
_SPECIES_LIST = 8
"""Bytes of the count, six species and the list's end before the party's structs."""
_MAX_LEVEL = 100
_EGG = 253
_POINTS = 0x3F  # bits 6-7 of a PP byte count PP Ups
_SLEEP = 0x07
_STATUSES = ((0x08, "poison"), (0x10, "burn"), (0x20, "freeze"), (0x40, "paralysis"))

_COUNT, _PARTY = at("wPartyCount"), SYMBOLS["wPartyMon1"]
_BATTLE_MODE = at("wBattleMode")
_TRAINER_CLASS, _TRAINER_ID = at("wOtherTrainerClass"), at("wOtherTrainerID")
_OWN, _OWN_SLOT = SYMBOLS["wBattleMonSpecies"], SYMBOLS["wCurBattleMon"]
_ENEMY, _ENEMY_SLOT = SYMBOLS["wEnemyMonSpecies"], SYMBOLS["wCurOTMon"]
# Both battle structs have the same layout: species, item, moves 4, DVs 2, PP 4, friendship,
# level, status, unused, HP 2, maximum HP 2, five stats of 2, types 2. A party struct ends with
# level, status, unused, HP, maximum HP and the stats too.
_BATTLE_STRUCT = 32
_MOVE_IDS, _PP, _TYPES = 2, 8, 30
_LEVEL, _PARTY_LEVEL = 13, 31
_WILD = 1
_BODY = struct.Struct(">BBx7H")

CREATURE_WINDOWS = (window("wPartyCount", _SPECIES_LIST), window("wBattleMode", 5))
"""Work RAM that `CreatureReader` needs at any time; the rest it reads when there is something."""


class CreatureReader:
    """Read creatures, making new values only where the bytes changed."""

    def __init__(self, emulator: Emulator, ram: WorkRam, tables: GameTables) -> None:
        self._emulator = emulator
        self._ram = ram.data
        self._tables = tables
        self._party_bytes = b""
        self._party: tuple[Creature, ...] = ()
        self._battle_bytes = b""
        self._battle: Battle | None = None

    def party(self) -> tuple[Creature, ...]:
        """Return the party, at most six."""
        count = min(self._ram[_COUNT], _PARTY_SIZE)
        if not count:
            self._party_bytes, self._party = b"", ()
            return ()
        listed = bytes(self._ram[_COUNT + 1 : _COUNT + 1 + count])
        structs = self._emulator.read(_PARTY.bank, _PARTY.address, count * _STRUCT)
        if listed + structs != self._party_bytes:
            self._party_bytes = listed + structs
            self._party = tuple(
                self._party_creature(species, structs[slot * _STRUCT : (slot + 1) * _STRUCT])
                for slot, species in enumerate(listed)
            )
        return self._party

    def battle(self, party: tuple[Creature, ...]) -> Battle | None:
        """Return the battle, its creatures only once both sides are in RAM.

        wBattleMode is set before the creatures are loaded, when the enemy's struct still holds
        the last one fought and the own one, which other things share, may hold anything.
        """
        ram = self._ram
        mode = ram[_BATTLE_MODE]
        if not mode:
            self._battle_bytes, self._battle = b"", None
            return None
        own_bytes = self._read(_OWN, _BATTLE_STRUCT)
        enemy_bytes = self._read(_ENEMY, _BATTLE_STRUCT)
        slots = self._read(_OWN_SLOT), self._read(_ENEMY_SLOT)
        trainer = bytes((mode, ram[_TRAINER_CLASS], ram[_TRAINER_ID]))
        raw = b"".join((trainer, *slots, own_bytes, enemy_bytes))
        if raw != self._battle_bytes or self._battle is None:
            own_slot, enemy_slot = slots[0][0], slots[1][0]
            own = self._battle_creature(own_bytes)
            if own is None or not _is_of(own, party, own_slot):
                # Not kept: the party may be what changes next, and it is no part of `raw`.
                return self._make_battle(None, None, 0, enemy_slot)
            enemy = self._battle_creature(enemy_bytes)
            self._battle_bytes = raw
            self._battle = self._make_battle(own, enemy, own_slot, enemy_slot)
        return self._battle

    def _read(self, symbol: Symbol, size: int = 1) -> bytes:
        return self._emulator.read(symbol.bank, symbol.address, size)

    def _make_battle(
        self, own: Creature | None, enemy: Creature | None, own_slot: int, enemy_slot: int
    ) -> Battle:
        ram = self._ram
        if ram[_BATTLE_MODE] == _WILD:
            return Battle(BattleKind.WILD, 0, own, enemy, own_slot=own_slot)
        number = ram[_TRAINER_CLASS]
        return Battle(
            BattleKind.TRAINER,
            number,
            own,
            enemy,
            trainer_id=ram[_TRAINER_ID],
            enemy_slot=min(enemy_slot, _PARTY_SIZE - 1),
            own_slot=own_slot,
            trainer_name=self._tables.trainer_class_name(number),
        )

    def _party_creature(self, listed: int, raw: bytes) -> Creature:
        """Read a party struct: see wPartyMon1... in facts/symbols.csv.

        Only the list of species tells an egg; its struct holds what will hatch.
        """
        species = _EGG if listed == _EGG else raw[0]
        body = _body(raw[_PARTY_LEVEL:])
        return Creature(
            species=species,
            name=self._tables.species_name(species),
            level=min(body.level, _MAX_LEVEL),
            hp=min(body.hp, body.max_hp),
            max_hp=body.max_hp,
            status=_status_name(body.status),
            moves=self._known_moves(raw[2:6], raw[23:27]),
            experience=int.from_bytes(raw[8:11], "big"),
            held_item=raw[1],
            types=tuple(self._tables.SPECIES_TYPES.get(species, ())),
            stats=body.stats,
        )

    def _battle_creature(self, raw: bytes) -> Creature | None:
        body = _body(raw[_LEVEL:])
        if not raw[0] or not 0 < body.level <= _MAX_LEVEL:
            return None
        if not body.max_hp or body.hp > body.max_hp:
            return None
        first, second = raw[_TYPES : _TYPES + 2]
        return Creature(
            species=raw[0],
            name=self._tables.species_name(raw[0]),
            level=body.level,
            hp=body.hp,
            max_hp=body.max_hp,
            status=_status_name(body.status),
            moves=self._known_moves(raw[_MOVE_IDS : _MOVE_IDS + 4], raw[_PP : _PP + 4]),
            held_item=raw[1],
            types=(first,) if first == second else (first, second),
            stats=body.stats,
        )

    def _known_moves(self, ids: bytes, points: bytes) -> tuple[Move, ...]:
        return self._tables.known_moves(ids, (left & _POINTS for left in points))


class _Body(NamedTuple):
    level: int
    status: int
    hp: int
    max_hp: int
    stats: tuple[int, ...]


def _body(raw: bytes) -> _Body:
    """Read what a party's and a battle's struct share: level, status, unused, words big-endian."""
    level, status, hp, max_hp, *stats = _BODY.unpack_from(raw)
    return _Body(level, status, hp, max_hp, tuple(stats))


def _is_of(own: Creature, party: Sequence[Creature], slot: int) -> bool:
    """Return whether a battle's own struct belongs to the party's creature in `slot`.

    Species and moves may differ: creatures transform. Health differs within a turn.
    """
    if slot >= len(party):
        return False
    member = party[slot]
    return (own.level, own.max_hp) == (member.level, member.max_hp)


def _status_name(status: int) -> str:
    """Name a status byte: bits 0-2 turns of sleep, then poison, burn, freeze, paralysis."""
    if status & _SLEEP:
        return "sleep"
    return next((name for bit, name in _STATUSES if status & bit), "")
