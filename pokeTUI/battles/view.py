"""Fold a battle's protocol lines into what a spectator sees: pure, so that it can be tested alone.

The lines are Showdown's (sim/SIM-PROTOCOL.md there), of the spectators' channel or a player's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

SIDES = ("p1", "p2")
STATS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")
_NOTHING: Mapping[str, int] = MappingProxyType({})
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
    boosts: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
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
    """

    player: str = ""
    team: tuple[Mon, ...] = ()
    active: tuple[int | None, int | None] = (None, None)
    conditions: tuple[Condition, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    brought: int = 0

    def mon(self, slot: int) -> Mon | None:
        """Return the Pokémon in slot 0 or 1."""
        index = self.active[slot]
        return None if index is None else self.team[index]

    def bench(self) -> list[Mon]:
        """Return the team without those in the slots, and without those that stayed at home."""
        is_whole = bool(self.brought) and sum(mon.is_seen for mon in self.team) == self.brought
        return [
            mon
            for index, mon in enumerate(self.team)
            if index not in self.active and (mon.is_seen or not is_whole)
        ]

    def sheet_of(self, species: str) -> Sheet | None:
        """Return what the team sheet says of a species, None where nothing."""
        return next((one for one in self.sheets if _is_species(one.species, species)), None)


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
        """Return side and index in the team of "p1a: Name"; None where there is none such."""
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


def fold_lines(
    view: BattleView, lines: Iterable[str], types: Mapping[str, tuple[str, ...]] | None = None
) -> BattleView:
    """Return the view after some lines; `types` are those of each species."""
    for line in lines:
        view = fold_line(view, line, types)
    return view


def fold_line(
    view: BattleView, line: str, types: Mapping[str, tuple[str, ...]] | None = None
) -> BattleView:
    """Return the view after a line; lines that are not understood change nothing."""
    kind, parts, named = split_line(line)
    parts += [""] * (4 - len(parts))
    match kind:
        case "turn":
            return _new_turn(view, parts[0])
        case "player" | "poke" | "teamsize" | "showteam":
            return _set_up(view, kind, parts, line, types or {})
        case "tier":
            return replace(view, tier=parts[0])
        case "teampreview":
            return replace(view, is_preview=True)
        case "start":
            return replace(view, is_preview=False)
        case "win" | "tie":
            return replace(view, winner=parts[0] if kind == "win" else "", is_preview=False)
        case "switch" | "drag" | "replace":
            return _sent_out(view, parts, types or {}, is_same=kind == "replace")
        case "swap":
            return _swapped(view, parts)
        case "-weather" | "-fieldstart" | "-fieldend":
            return _fold_field(view, kind, parts, named)
        case "-sidestart" | "-sideend" | "-swapsideconditions":
            return _fold_side(view, kind, parts)
        case "-clearallboost":
            sides = tuple(
                replace(side, team=tuple(replace(mon, boosts=_NOTHING) for mon in side.team))
                for side in view.sides
            )
            return replace(view, sides=(sides[0], sides[1]))
        case _:
            return _fold_mon(view, kind, parts, named, types or {})


# What is around the Pokémon


def _new_turn(view: BattleView, number: str) -> BattleView:
    sides = tuple(
        replace(side, team=tuple(replace(mon, turn_effects=()) for mon in side.team))
        for side in view.sides
    )
    return replace(view, turn=_number(number, view.turn), sides=(sides[0], sides[1]))


def _set_up(
    view: BattleView,
    kind: str,
    parts: list[str],
    line: str,
    types: Mapping[str, tuple[str, ...]],
) -> BattleView:
    number = side_number(parts[0])
    if number is None:
        return view
    side = view.sides[number]
    match kind:
        case "player":
            side = replace(side, player=parts[1] or side.player)
        case "poke":
            mon = _of_details(parts[1], types)
            side = replace(side, team=(*side.team, mon))
        case "teamsize":
            side = replace(side, brought=_number(parts[1], side.brought))
        case "showteam":
            side = replace(side, sheets=read_sheets(line.split("|", 3)[-1]))
    return _with_side(view, number, side)


def _fold_field(
    view: BattleView, kind: str, parts: list[str], named: Mapping[str, str]
) -> BattleView:
    name = effect_name(parts[0])
    since = max(1, view.turn)
    if kind == "-weather":
        if name == "none":
            return replace(view, weather=None)
        if "upkeep" in named:
            return view
        return replace(view, weather=Condition(weather_name(name), since))
    others = tuple(one for one in view.field if one.name != name)
    if kind == "-fieldend":
        return replace(view, field=others)
    if name.endswith("Terrain"):
        others = tuple(one for one in others if not one.name.endswith("Terrain"))
    return replace(view, field=(*others, Condition(name, since)))


def weather_name(name: str) -> str:
    """Return a weather in players' words."""
    return _WEATHERS.get(name, name)


def _fold_side(view: BattleView, kind: str, parts: list[str]) -> BattleView:
    if kind == "-swapsideconditions":
        one, other = view.sides
        return replace(
            view,
            sides=(
                replace(one, conditions=other.conditions),
                replace(other, conditions=one.conditions),
            ),
        )
    number, name = side_number(parts[0]), effect_name(parts[1])
    if number is None:
        return view
    side = view.sides[number]
    before = next((one for one in side.conditions if one.name == name), None)
    others = tuple(one for one in side.conditions if one.name != name)
    if kind == "-sideend":
        return _with_side(view, number, replace(side, conditions=others))
    if before is not None:
        now = replace(before, layers=before.layers + 1)
    else:
        now = Condition(name, max(1, view.turn))
    return _with_side(view, number, replace(side, conditions=(*others, now)))


# Who stands where


def _sent_out(
    view: BattleView, parts: list[str], types: Mapping[str, tuple[str, ...]], *, is_same: bool
) -> BattleView:
    number = side_number(parts[0])
    slot = {"a": 0, "b": 1}.get(parts[0][2:3])
    if number is None or slot is None:
        return view
    side = view.sides[number]
    name = parts[0].partition(": ")[2]
    new = replace(_of_details(parts[1], types), name=name)
    left = side.active[slot]
    team = list(side.team)
    if left is not None:
        team[left] = replace(
            team[left], boosts=_NOTHING, effects=(), turn_effects=(), moves=team[left].moves
        )
    index = _place_of(team, new, taken=side.active)
    if index is None:
        index = len(team)
        team.append(new)
    before = team[index]
    mon = replace(
        before,
        name=name,
        species=new.species,
        level=new.level,
        gender=new.gender,
        types=new.types or before.types,
        boosts=team[left].boosts if is_same and left is not None else _NOTHING,
        effects=(),
        turn_effects=(),
    )
    team[index] = _with_health(mon, parts[2]) if parts[2] else mon
    active = list(side.active)
    active[slot] = index
    side = replace(side, team=tuple(team), active=(active[0], active[1]))
    return _with_side(view, number, side)


def _place_of(team: list[Mon], new: Mon, taken: tuple[int | None, ...]) -> int | None:
    """Return where in the team the Pokémon stands that is sent out, None where nowhere."""
    for index, mon in enumerate(team):
        if mon.name == new.name:
            return index
    unseen = [i for i, mon in enumerate(team) if not mon.is_seen and i not in taken]
    for index in unseen:
        if team[index].species == new.species:
            return index
    return next((i for i in unseen if _is_species(team[i].species, new.species)), None)


def _is_species(shown: str, species: str) -> bool:
    """Return whether a Pokémon at preview may be that of a forme."""
    return shown.removesuffix("-*").partition("-")[0] == species.partition("-")[0]


def _swapped(view: BattleView, parts: list[str]) -> BattleView:
    number = side_number(parts[0])
    if number is None:
        return view
    side = view.sides[number]
    return _with_side(view, number, replace(side, active=side.active[::-1]))


# What becomes of one Pokémon


def _fold_mon(
    view: BattleView,
    kind: str,
    parts: list[str],
    named: Mapping[str, str],
    types: Mapping[str, tuple[str, ...]],
) -> BattleView:
    at = view.at(parts[0])
    if at is None:
        return view
    number, index = at
    side = view.sides[number]
    mon = side.team[index]
    after = _changed(view, mon, kind, parts, named, types)
    if after is mon:
        return view
    team = (*side.team[:index], after, *side.team[index + 1 :])
    return _with_side(view, number, replace(side, team=team))


def _changed(
    view: BattleView,
    mon: Mon,
    kind: str,
    parts: list[str],
    named: Mapping[str, str],
    types: Mapping[str, tuple[str, ...]],
) -> Mon:
    what = effect_name(parts[1])
    match kind:
        case "move" if "from" not in named and what not in (*mon.moves, "Struggle"):
            return replace(mon, moves=(*mon.moves, what))
        case "-damage" | "-heal" | "-sethp":
            return _with_health(mon, parts[1])
        case "faint":
            gone = replace(mon, hp=0.0, hp_text="0", is_fainted=True, status="")
            return replace(gone, boosts=_NOTHING, effects=(), turn_effects=())
        case "-status":
            return replace(mon, status=parts[1])
        case "-curestatus":
            return replace(mon, status="")
        case "-boost" | "-unboost" | "-setboost":
            amount = _number(parts[2], 0) * (-1 if kind == "-unboost" else 1)
            stage = amount if kind == "-setboost" else mon.boosts.get(parts[1], 0) + amount
            return replace(mon, boosts=_boosted(mon.boosts, {parts[1]: stage}))
        case "-clearboost" | "-clearnegativeboost" | "-clearpositiveboost" | "-invertboost":
            return replace(mon, boosts=_cleared(mon.boosts, kind))
        case "-copyboost":
            other = view.mon(parts[1])
            return mon if other is None else replace(mon, boosts=other.boosts)
        case "-terastallize":
            return replace(mon, tera=parts[1], types=(parts[1],))
        case "-mega":
            return replace(mon, is_mega=True, item=parts[2] or mon.item)
        case "detailschange" | "-formechange" | "-transform":
            species = (_of_details(parts[1], {}) if kind != "-transform" else mon).species
            known = mon.types if mon.tera else types.get(species, mon.types)
            return replace(mon, species=species, types=known)
        case "-item":
            return replace(mon, item=what)
        case "-enditem":
            return replace(mon, item="")
        case "-ability":
            return replace(mon, ability=what)
        case "-singleturn" | "-singlemove" if what not in mon.turn_effects:
            return replace(mon, turn_effects=(*mon.turn_effects, what))
        case "-start" | "-end":
            return _under(mon, kind, what, parts[2])
        case _:
            return mon


def _under(mon: Mon, kind: str, what: str, detail: str) -> Mon:
    if kind == "-start" and what == "typechange":
        return replace(mon, types=tuple(detail.split("/")))
    name = spoken_effect(what)
    key = name.split(" (")[0]
    others = tuple(one for one in mon.effects if one.split(" (")[0] != key)
    return replace(mon, effects=others if kind == "-end" else (*others, name))


def spoken_effect(what: str) -> str:
    """Return an effect as players call it: "quarkdriveatk" is "Quark Drive (Atk)"."""
    for start, name in (("quarkdrive", "Quark Drive"), ("protosynthesis", "Protosynthesis")):
        stat = what.removeprefix(start)
        if stat in STATS and what != stat:
            return f"{name} ({stat.capitalize()})"
    if what.startswith("perish"):
        return f"Perish ({what.removeprefix('perish')})"
    return what[:1].upper() + what[1:]


def _boosted(boosts: Mapping[str, int], changes: Mapping[str, int]) -> Mapping[str, int]:
    stages = {**boosts, **changes}
    found = {stat: max(-6, min(6, stages.get(stat, 0))) for stat in STATS}
    return MappingProxyType({stat: stage for stat, stage in found.items() if stage})


def _cleared(boosts: Mapping[str, int], kind: str) -> Mapping[str, int]:
    match kind:
        case "-invertboost":
            return MappingProxyType({stat: -stage for stat, stage in boosts.items()})
        case "-clearnegativeboost":
            return MappingProxyType({stat: n for stat, n in boosts.items() if n > 0})
        case "-clearpositiveboost":
            return MappingProxyType({stat: n for stat, n in boosts.items() if n < 0})
        case _:
            return _NOTHING


def _with_health(mon: Mon, condition: str) -> Mon:
    """Take "57/100 par", "0 fnt" or "84/175"."""
    health, _, status = condition.partition(" ")
    now, _, most = health.partition("/")
    try:
        hp = float(now) / float(most) if most else float(now) / 100
    except (ValueError, ZeroDivisionError):
        return mon
    is_fainted = status == "fnt"
    return replace(
        mon,
        hp=max(0.0, min(1.0, hp)),
        hp_text=health,
        status="" if is_fainted else status,
        is_fainted=is_fainted,
    )


def _of_details(details: str, types: Mapping[str, tuple[str, ...]]) -> Mon:
    """Read "Iron Hands, L50, M, shiny, tera:Grass"."""
    species, *rest = details.split(", ")
    level = next((_number(one[1:], 100) for one in rest if one[:1] == "L"), 100)
    gender = next((one for one in rest if one in ("M", "F")), "")
    tera = next((one.removeprefix("tera:") for one in rest if one.startswith("tera:")), "")
    known = (tera,) if tera else types.get(species, ())
    return Mon(species, level=level, gender=gender, tera=tera, types=known)


def read_sheets(packed: str) -> tuple[Sheet, ...]:
    """Read a team in Showdown's packed form."""
    sheets = []
    for entry in packed.split("]"):
        parts = entry.split("|")
        if len(parts) < 5:
            continue
        species = spaced(parts[1] or parts[0])
        moves = tuple(spaced(move) for move in parts[4].split(",") if move)
        rest = parts[11].split(",") if len(parts) > 11 else []
        tera = rest[5] if len(rest) > 5 else ""
        sheets.append(Sheet(species, spaced(parts[2]), spaced(parts[3]), moves, tera))
    return tuple(sheets)


def spaced(name: str) -> str:
    """Put the spaces back that packing takes out: "FakeOut" is "Fake Out"."""
    text = "".join(
        f" {char}" if at and char.isupper() and name[at - 1].isalnum() else char
        for at, char in enumerate(name)
    )
    return text[:1].upper() + text[1:]


def _with_side(view: BattleView, number: int, side: Side) -> BattleView:
    return replace(view, sides=(side, view.sides[1]) if number == 0 else (view.sides[0], side))


def _number(text: str, default: int) -> int:
    try:
        return int(text)
    except ValueError:
        return default
