"""Read the party and the battle."""

from engine.games.crystal.ram import WorkRam, at, window
from engine.games.profile import GameTables
from engine.types import Battle, BattleKind, Creature, Move

_PARTY_SIZE, _STRUCT = 6, 48
_MAX_LEVEL = 100
_POINTS = 0x3F  # bits 6-7 of a PP byte count PP Ups
_SLEEP = 0x07
_STATUSES = ((0x08, "poison"), (0x10, "burn"), (0x20, "freeze"), (0x40, "paralysis"))

_COUNT, _PARTY = at("wPartyCount"), at("wPartyMon1")
_BATTLE_MODE = at("wBattleMode")
_TRAINER_CLASS, _TRAINER_ID = at("wOtherTrainerClass"), at("wOtherTrainerID")
_ENEMY, _ENEMY_SLOT, _OWN = at("wEnemyMonSpecies"), at("wCurOTMon"), at("wBattleMonSpecies")
# Both battle structs have the same layout: species, item, moves 4, DVs 2, PP 4, friendship,
# level, status, unused, HP 2, maximum HP 2, ..., types at 30.
_BATTLE_STRUCT = 32
_MOVE_IDS, _PP, _LEVEL, _STATUS, _HP, _MAX_HP = 2, 8, 13, 14, 16, 18

CREATURE_WINDOWS: tuple[tuple[int, int], ...] = (
    window("wPartyCount", 8 + _PARTY_SIZE * _STRUCT),
    window("wBattleMode", 8),
    window("wEnemyMonSpecies", _BATTLE_STRUCT),
    window("wBattleMonSpecies", _BATTLE_STRUCT),
    window("wCurOTMon"),
)
"""Work RAM that `CreatureReader` needs."""


class CreatureReader:
    """Read creatures, making new values only where the bytes changed."""

    def __init__(self, ram: WorkRam, tables: GameTables) -> None:
        self._ram = ram.data
        self._tables = tables
        self._party_bytes = b""
        self._party: tuple[Creature, ...] = ()
        self._battle_bytes = b""
        self._battle: Battle | None = None

    def party(self) -> tuple[Creature, ...]:
        """Return the party, at most six."""
        count = min(self._ram[_COUNT], _PARTY_SIZE)
        raw = bytes(self._ram[_PARTY : _PARTY + count * _STRUCT])
        if raw != self._party_bytes:
            self._party_bytes = raw
            self._party = tuple(
                self._party_creature(raw[start : start + _STRUCT])
                for start in range(0, len(raw), _STRUCT)
            )
        return self._party

    def battle(self) -> Battle | None:
        """Return the battle, its creatures only once both sides are in RAM.

        wBattleMode is set before the creatures are loaded, when the enemy's struct still holds
        the last one fought; the own struct's species is 0 until it is sent out.
        """
        ram = self._ram
        mode = ram[_BATTLE_MODE]
        if not mode:
            self._battle_bytes, self._battle = b"", None
            return None
        own_bytes = ram[_OWN : _OWN + _BATTLE_STRUCT]
        enemy_bytes = ram[_ENEMY : _ENEMY + _BATTLE_STRUCT]
        header = bytes((mode, ram[_TRAINER_CLASS], ram[_TRAINER_ID], ram[_ENEMY_SLOT]))
        raw = header + own_bytes + enemy_bytes
        if raw != self._battle_bytes or self._battle is None:
            own = self._battle_creature(bytes(own_bytes))
            enemy = self._battle_creature(bytes(enemy_bytes)) if own else None
            is_trainer = mode != 1
            self._battle_bytes = raw
            self._battle = Battle(
                BattleKind.TRAINER if is_trainer else BattleKind.WILD,
                ram[_TRAINER_CLASS] if is_trainer else 0,
                own,
                enemy,
                ram[_TRAINER_ID] if is_trainer else 0,
                ram[_ENEMY_SLOT] if is_trainer else 0,
            )
        return self._battle

    def _party_creature(self, raw: bytes) -> Creature:
        """Read a party struct: see wPartyMon1... in symbols.py."""
        return Creature(
            species=raw[0],
            name=self._species_name(raw[0]),
            level=raw[31],
            hp=raw[34] << 8 | raw[35],
            max_hp=raw[36] << 8 | raw[37],
            status=_status_name(raw[32]),
            moves=self._known_moves(raw[2:6], raw[23:27]),
            experience=int.from_bytes(raw[8:11], "big"),
            held_item=raw[1],
            types=tuple(self._tables.SPECIES_TYPES.get(raw[0], ())),
        )

    def _battle_creature(self, raw: bytes) -> Creature | None:
        hp, max_hp = raw[_HP] << 8 | raw[_HP + 1], raw[_MAX_HP] << 8 | raw[_MAX_HP + 1]
        if not raw[0] or not 0 < raw[_LEVEL] <= _MAX_LEVEL or not max_hp or hp > max_hp:
            return None
        known = self._tables.SPECIES_TYPES.get(raw[0])
        return Creature(
            species=raw[0],
            name=self._species_name(raw[0]),
            level=raw[_LEVEL],
            hp=hp,
            max_hp=max_hp,
            status=_status_name(raw[_STATUS]),
            moves=self._known_moves(raw[_MOVE_IDS : _MOVE_IDS + 4], raw[_PP : _PP + 4]),
            held_item=raw[1],
            types=tuple(known) if known else (raw[30], raw[31]),
        )

    def _species_name(self, species: int) -> str:
        return self._tables.SPECIES.get(species) or f"no. {species}"

    def _known_moves(self, ids: bytes, points: bytes) -> tuple[Move, ...]:
        facts = self._tables.MOVES
        return tuple(
            Move(number, facts[number][0] if number in facts else f"move {number}", left & _POINTS)
            for number, left in zip(ids, points, strict=True)
            if number
        )


def _status_name(status: int) -> str:
    """Name a status byte: bits 0-2 turns of sleep, then poison, burn, freeze, paralysis."""
    if status & _SLEEP:
        return "sleep"
    return next((name for bit, name in _STATUSES if status & bit), "")
