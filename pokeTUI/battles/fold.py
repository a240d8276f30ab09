"""Fold a battle's protocol lines into what a spectator sees: pure, so that it can be tested alone.

The lines are Showdown's (sim/SIM-PROTOCOL.md there), of the spectators' channel or a player's.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from engine.ground.numerals import parse_number, parse_whole
from pokeTUI.battles.view import (
    NO_BOOSTS,
    STATS,
    BattleView,
    Condition,
    Mon,
    Sheet,
    Side,
    effect_name,
    is_species,
    side_number,
    spaced,
    split_line,
    spoken_effect,
    weather_name,
)


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
                replace(side, team=tuple(replace(mon, boosts=NO_BOOSTS) for mon in side.team))
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
            team[left], boosts=NO_BOOSTS, effects=(), turn_effects=(), moves=team[left].moves
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
        boosts=team[left].boosts if is_same and left is not None else NO_BOOSTS,
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
    return next((i for i in unseen if is_species(team[i].species, new.species)), None)


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
            return replace(gone, boosts=NO_BOOSTS, effects=(), turn_effects=())
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
            return NO_BOOSTS


def _with_health(mon: Mon, condition: str) -> Mon:
    """Take "57/100 par", "0 fnt" or "84/175"."""
    health, _, status = condition.partition(" ")
    now, _, most = health.partition("/")
    try:
        hp = parse_number(now) / parse_number(most or "100")
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


def _with_side(view: BattleView, number: int, side: Side) -> BattleView:
    return replace(view, sides=(side, view.sides[1]) if number == 0 else (view.sides[0], side))


def _number(text: str, default: int) -> int:
    try:
        return parse_whole(text, 0, 9_999)
    except ValueError:
        return default
