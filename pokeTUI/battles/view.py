"""Hold what a spectator sees of a battle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

# Read the parts of a protocol line, and name what it names as players do.

SIDES = ("p1", "p2")
STATS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")
_WEATHERS = MappingProxyType(
    {
        "RainDance": "Rain",
        "SunnyDay": "Sun",
        "Snowscape": "Snow",
        "PrimordialSea": "Heavy rain",
        "DesolateLand": "Harsh sunshine",
        "DeltaStream": "Strong winds",
    }
)


def side_number(ident: str) -> int | None:
    """Return 0 or 1 for what begins with p1 or p2, None for all else."""
    return SIDES.index(ident[:2]) if ident[:2] in SIDES else None


def effect_name(text: str) -> str:
    """Return an effect without its kind: "move: Tailwind" is "Tailwind"."""
    return text.partition(": ")[2] if text.startswith(("move: ", "ability: ", "item: ")) else text


def split_line(line: str) -> tuple[str, list[str], dict[str, str]]:
    """Return a line's kind, its arguments, and those in brackets by name."""
    _, kind, *parts = line.split("|") if line.startswith("|") else ["", "", line]
    arguments, named = [], {}
    for part in parts:
        if part.startswith("[") and "]" in part:
            name, _, value = part[1:].partition("]")
            named[name] = value.strip()
        else:
            arguments.append(part)
    return kind, arguments, named


def weather_name(name: str) -> str:
    """Return a weather in players' words."""
    return _WEATHERS.get(name, name)


def spoken_effect(what: str) -> str:
    """Return an effect as players call it: "quarkdriveatk" is "Quark Drive (Atk)"."""
    for start, name in (("quarkdrive", "Quark Drive"), ("protosynthesis", "Protosynthesis")):
        stat = what.removeprefix(start)
        if stat in STATS and what != stat:
            return f"{name} ({stat.capitalize()})"
    if what.startswith("perish"):
        return f"Perish ({what.removeprefix('perish')})"
    return what[:1].upper() + what[1:]


def spaced(name: str) -> str:
    """Put the spaces back that packing takes out: "FakeOut" is "Fake Out"."""
    text = "".join(
        f" {char}" if at and char.isupper() and name[at - 1].isalnum() else char
        for at, char in enumerate(name)
    )
    return text[:1].upper() + text[1:]


NO_BOOSTS: Mapping[str, int] = MappingProxyType({})
_LASTING = MappingProxyType(
    {
        **dict.fromkeys(("Rain", "Sun", "Sandstorm", "Snow"), (5, 8)),
        **dict.fromkeys(("Reflect", "Light Screen", "Aurora Veil"), (5, 8)),
        **dict.fromkeys(("Trick Room", "Gravity", "Magic Room", "Wonder Room"), (5, 5)),
        "Tailwind": (4, 4),
        "Safeguard": (5, 5),
        "Mist": (5, 5),
    }
)
"""Turns without and with the item that makes it last."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Weather, a terrain, a screen or the like.

    Attributes:
        since: Turn at whose end it is counted down for the first time.
    """

    name: str
    since: int
    layers: int = 1

    def turns_left(self, turn: int) -> str:
        """Return how long it lasts from the decision of `turn` on; "" without an end.

        "2-5" where an item nobody has seen may make it last.
        """
        lasting = (5, 8) if self.name.endswith("Terrain") else _LASTING.get(self.name)
        if lasting is None:
            return ""
        short, long = (turns - max(0, turn - self.since) for turns in lasting)
        if short == long or short < 1:
            return str(max(1, long))
        return f"{short}-{long}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a team sheet says of a Pokémon."""

    species: str
    item: str
    ability: str
    moves: tuple[str, ...]
    tera: str


@dataclass(frozen=True, slots=True)
class Mon:
    """A Pokémon as far as it has been seen.

    Attributes:
        name: Its nickname, by which the lines call it; "" before it was sent out.
        hp: 0 to 1.
        hp_text: As the lines have it, e.g. "57/100".
        status: brn, par, psn, tox, slp, frz or "".
        effects: What it is under: Substitute, Taunt, ...
        turn_effects: The same for this turn only: Protect, Follow Me, ...
        tera: Type after it terastallized, "" before.
        item: "" once it is used up or lost; None: not seen.
        moves: Those it was seen to use.
    """

    species: str
    name: str = ""
    level: int = 100
    gender: str = ""
    hp: float = 1.0
    hp_text: str = ""
    status: str = ""
    is_fainted: bool = False
    boosts: Mapping[str, int] = field(default_factory=lambda: NO_BOOSTS)
    effects: tuple[str, ...] = ()
    turn_effects: tuple[str, ...] = ()
    tera: str = ""
    is_mega: bool = False
    item: str | None = None
    ability: str = ""
    moves: tuple[str, ...] = ()
    types: tuple[str, ...] = ()

    @property
    def is_seen(self) -> bool:
        """Whether it was sent out."""
        return bool(self.name)

    @property
    def shown(self) -> str:
        """Its nickname, or its species where it was not sent out."""
        return self.name or self.species


@dataclass(frozen=True, slots=True)
class Side:
    """One player's half.

    Attributes:
        team: In the order of the team preview; Pokémon that were not shown there follow.
        active: Index into `team` of the left and the right slot, None for an empty one.
        brought: How many of the team are taken along; 0 before that is known.
        party: Species of those that are taken along; empty: not known, as of an opponent.
    """

    player: str = ""
    team: tuple[Mon, ...] = ()
    active: tuple[int | None, int | None] = (None, None)
    conditions: tuple[Condition, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    brought: int = 0
    party: frozenset[str] = frozenset()

    def mon(self, slot: int) -> Mon | None:
        """Return the Pokémon in slot 0 or 1."""
        index = self.active[slot]
        return None if index is None else self.team[index]

    def bench(self) -> list[Mon]:
        """Return the team without those in the slots, and without those that stayed at home."""
        return [
            mon
            for index, mon in enumerate(self.team)
            if index not in self.active and (mon.is_seen or self._may_come(mon))
        ]

    def _may_come(self, mon: Mon) -> bool:
        if self.party:
            return any(is_species(mon.species, one) for one in self.party)
        return not self.brought or sum(one.is_seen for one in self.team) < self.brought

    def sheet_of(self, species: str) -> Sheet | None:
        """Return what the team sheet says of a species, None where nothing."""
        return next((one for one in self.sheets if is_species(one.species, species)), None)

    def facts(self, mon: Mon) -> tuple[str, ...]:
        """Return item, ability and Tera type, as far as they are known and still hold."""
        sheet = self.sheet_of(mon.species)
        item = mon.item if mon.item is not None else sheet.item if sheet else ""
        item = "no item" if mon.item == "" else item
        ability = mon.ability or (sheet.ability if sheet and not mon.is_mega else "")
        tera = f"Tera {sheet.tera}" if sheet and sheet.tera and not mon.tera else ""
        return tuple(part for part in (item, ability, tera) if part)

    def moves(self, mon: Mon) -> tuple[str, ...]:
        """Return the moves that are known: all by its sheet, or those that it has used."""
        sheet = self.sheet_of(mon.species)
        return sheet.moves if sheet else mon.moves


@dataclass(frozen=True, slots=True)
class BattleView:
    """A battle as a spectator sees it.

    Attributes:
        turn: 0 until both sides have sent out their leads.
        winner: A player's name; None: not decided, "": a tie.
    """

    sides: tuple[Side, Side] = (Side(), Side())
    tier: str = ""
    turn: int = 0
    weather: Condition | None = None
    field: tuple[Condition, ...] = ()
    """Terrain, Trick Room and the like."""
    is_preview: bool = False
    winner: str | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it is decided."""
        return self.winner is not None

    def at(self, ident: str) -> tuple[int, int] | None:
        """Return side and index in the team of "p1a: Name"; None if there is no such Pokémon."""
        number = side_number(ident)
        if number is None:
            return None
        side = self.sides[number]
        slot = {"a": 0, "b": 1}.get(ident[2:3])
        name = ident.partition(": ")[2]
        index = None if slot is None else side.active[slot]
        if index is None or (name and side.team[index].name != name):
            known = (i for i, mon in enumerate(side.team) if name and mon.name == name)
            index = next(known, index)
        return None if index is None else (number, index)

    def mon(self, ident: str) -> Mon | None:
        """Return the Pokémon that a line calls "p1a: Name"."""
        at = self.at(ident)
        return None if at is None else self.sides[at[0]].team[at[1]]


def is_species(shown: str, species: str) -> bool:
    """Return whether a Pokémon at preview may be that of a forme."""
    return shown.removesuffix("-*").partition("-")[0] == species.partition("-")[0]
