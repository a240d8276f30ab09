"""What a side may choose, from the simulator's request: in words, and why something is illegal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim.actions import (
    COMPATIBLE,
    PASS,
    SELECTIONS,
    SLOT_CODES,
    SWITCH,
    TARGETS,
    is_gimmick,
)

NO_TARGET = TARGETS.index(0)
_SPREAD = {
    "allAdjacentFoes": "both opponents",
    "allAdjacent": "all others",
    "all": "the field",
    "allySide": "your side",
    "allies": "your side",
    "allyTeam": "your team",
    "foeSide": "their side",
    "randomNormal": "a random opponent",
    "self": "itself",
}


@dataclass(frozen=True, slots=True)
class Member:
    """One of the own party, as its request describes it."""

    name: str
    species: str
    condition: str
    is_active: bool
    is_fainted: bool
    is_commanding: bool
    item: str
    ability: str
    tera: str


@dataclass(frozen=True, slots=True)
class Move:
    """A move that a slot knows now. `target` is Showdown's kind of target."""

    name: str
    pp: str
    target: str
    is_disabled: bool

    @property
    def reach(self) -> str:
        """Whom it hits, where there is nothing to choose."""
        return _SPREAD.get(self.target, "")


@dataclass(frozen=True, slots=True)
class Slot:
    """What the request says of one slot. `gimmick`: "Tera Water", "Mega Evolution" or ""."""

    moves: tuple[Move, ...]
    is_trapped: bool
    gimmick: str
    must_switch: bool


@dataclass(frozen=True, slots=True)
class Request:
    """What a side is asked: to move, to switch (`is_forced`), or to select its team."""

    party: tuple[Member, ...]
    slots: tuple[Slot, Slot]
    is_preview: bool
    is_forced: bool


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose for a slot, or for a move its target; `why_not` is "" if it is legal.

    `parts` are what there is to know of it, the most important first.
    """

    code: int
    text: str
    parts: tuple[str, ...] = ()
    why_not: str = ""


def read_request(raw: Mapping[str, Any]) -> Request:
    """Read a request as the simulator sends it."""
    party = tuple(_member(one) for one in raw["side"]["pokemon"])
    active = [*(raw.get("active") or ()), None, None][:2]
    forced = [*(raw.get("forceSwitch") or ()), False, False][:2]
    first, second = (_slot(one or {}, bool(must)) for one, must in zip(active, forced, strict=True))
    return Request(
        party, (first, second), bool(raw.get("teamPreview")), bool(raw.get("forceSwitch"))
    )


def _member(raw: Mapping[str, Any]) -> Member:
    return Member(
        raw["ident"].partition(": ")[2],
        raw["details"].partition(", ")[0],
        raw["condition"],
        bool(raw["active"]),
        raw["condition"].endswith("fnt"),
        bool(raw.get("commanding")),
        raw.get("item", ""),
        raw.get("ability") or raw.get("baseAbility", ""),
        raw.get("terastallized") or raw.get("teraType", ""),
    )


def _slot(raw: Mapping[str, Any], must_switch: bool) -> Slot:
    moves = tuple(
        Move(
            one["move"],
            f"{one['pp']}/{one['maxpp']}" if "pp" in one else "",
            one.get("target", ""),
            bool(one.get("disabled")),
        )
        for one in raw.get("moves", ())
    )
    tera = raw.get("canTerastallize")
    gimmick = f"Tera {tera}" if tera else "Mega Evolution" if raw.get("canMegaEvo") else ""
    return Slot(moves, bool(raw.get("trapped")), gimmick, must_switch)


# In words


def words(request: Request, code: int, foes: Sequence[str]) -> str:
    """Return a joint code, or a selection at preview, in words; `foes` stand in slots 1 and 2."""
    if request.is_preview:
        names = [request.party[i].species for i in SELECTIONS[code] if i < len(request.party)]
        return f"lead {' + '.join(names[:2])}, back {' + '.join(names[2:])}"
    parts = [
        slot_words(request, slot, one, foes) for slot, one in enumerate(divmod(code, SLOT_CODES))
    ]
    return " + ".join(part for part in parts if part) or "pass"


def slot_words(request: Request, slot: int, code: int, foes: Sequence[str]) -> str:
    """Return one slot's code in words; "" for a pass."""
    if code == PASS:
        return ""
    if code >= SWITCH:
        member = code - SWITCH
        name = request.party[member].name if member < len(request.party) else "?"
        return f"switch to {name}"
    number, target = code // 10, code % 5
    moves = request.slots[slot].moves
    text = moves[number].name if number < len(moves) else f"move {number + 1}"
    if target != NO_TARGET:
        text += f" → {target_name(request, slot, target, foes)}"
    return f"{text}, {request.slots[slot].gimmick or 'gimmick'}" if is_gimmick(code) else text


def target_name(request: Request, slot: int, target: int, foes: Sequence[str]) -> str:
    """Return who is meant by an index into `TARGETS`."""
    place = TARGETS[target]
    if place > 0:
        return foes[place - 1] if place <= len(foes) and foes[place - 1] else f"foe {place}"
    own = -place - 1
    name = request.party[own].name if own < len(request.party) else ""
    return "itself" if own == slot else f"ally {name}"


# What may be chosen


def has_choice(legal: NDArray[np.bool_], slot: int) -> bool:
    """Return whether a slot has anything to decide; `legal` is (90,)."""
    return bool(slot_mask(legal, slot)[:PASS].any())


def slot_mask(legal: NDArray[np.bool_], slot: int) -> NDArray[np.bool_]:
    """Return one slot's mask, (45,), of both, (90,)."""
    return legal[slot * SLOT_CODES : (slot + 1) * SLOT_CODES]


def slot_options(
    request: Request, legal: NDArray[np.bool_], slot: int, first: int | None, *, gimmick: bool
) -> list[Option]:
    """Return a slot's moves and switches; a move's code is that of its first legal target.

    Args:
        request: What the side is asked.
        legal: (90,), both slots' masks.
        slot: 0 or 1.
        first: The code chosen for slot 0 where this is slot 1.
        gimmick: Whether moves are to use the gimmick.
    """
    mask = slot_mask(legal, slot)
    if first is not None:
        mask = mask & COMPATIBLE[first]
    found = []
    for number, move in enumerate(request.slots[slot].moves):
        codes = _move_codes(number, mask, gimmick=gimmick)
        why_not = "" if codes else _why_not_move(request, slot, number, mask, gimmick=gimmick)
        code = codes[0] if codes else number * 10
        if not request.is_forced:
            parts = (move.reach, f"PP {move.pp}" if move.pp else "")
            found.append(Option(code, move.name, tuple(filter(None, parts)), why_not))
    for position, member in enumerate(request.party):
        code = SWITCH + position
        if member.is_active:
            continue
        why_not = "" if mask[code] else _why_not_switch(request, slot, position, first)
        found.append(Option(code, f"switch to {member.name}", why_not=why_not))
    if mask[PASS]:
        found.append(Option(PASS, "pass", ("nothing to do",)))
    return found


def target_options(
    request: Request,
    legal: NDArray[np.bool_],
    slot: int,
    first: int | None,
    code: int,
    foes: Sequence[str],
) -> list[Option]:
    """Return the targets that the move of `code` could have; none: there is nothing to choose."""
    mask = slot_mask(legal, slot)
    if first is not None:
        mask = mask & COMPATIBLE[first]
    base = code - code % 5
    codes = [base + target for target in range(len(TARGETS)) if mask[base + target]]
    if code >= SWITCH or len(codes) < 2:
        return []
    codes.sort(key=_opponents_first)
    return [Option(one, target_name(request, slot, one % 5, foes)) for one in codes]


def _move_codes(number: int, mask: NDArray[np.bool_], *, gimmick: bool) -> list[int]:
    start = number * 10 + 5 * gimmick
    codes = [start + target for target in range(len(TARGETS)) if mask[start + target]]
    return sorted(codes, key=_opponents_first)


def _opponents_first(code: int) -> tuple[bool, int]:
    target = TARGETS[code % 5]
    return target < 0, abs(target)


def _why_not_move(
    request: Request, slot: int, number: int, mask: NDArray[np.bool_], *, gimmick: bool
) -> str:
    move, own = request.slots[slot].moves[number], request.party[slot]
    if own.is_fainted:
        return f"{own.name} has fainted"
    if own.is_commanding:
        return f"{own.name} is commanding"
    if gimmick and _move_codes(number, mask, gimmick=False):
        return f"no {request.slots[slot].gimmick or 'gimmick'} here: the other slot uses it"
    if move.pp.startswith("0/"):
        return "no PP left"
    if move.is_disabled:
        return "disabled: Taunt, Encore, a Choice item or the like"
    return "not now"


def _why_not_switch(request: Request, slot: int, position: int, first: int | None) -> str:
    member = request.party[position]
    if first == SWITCH + position:
        return "the other slot switches to it"
    if member.is_fainted:
        return "it has fainted"
    if request.slots[slot].is_trapped:
        return f"{request.party[slot].name} is trapped"
    if request.is_forced and not request.slots[slot].must_switch:
        return "this slot stays"
    return "not now"
