"""Put a choice together, part by part: slots, moves, targets, or the selection at team preview.

Pure: every step returns another state.
"""

import json
from dataclasses import dataclass, replace

from engine.battles.sim.actions import PASS, SELECTIONS, SLOT_CODES, SWITCH, is_gimmick
from engine.battles.sim.observation import MOVE, MOVES, MOVES_PART
from engine.events import BattleWanted
from pokeTUI.battles.choices import (
    Member,
    Option,
    Request,
    has_choice,
    read_request,
    slot_options,
    slot_words,
    target_options,
)
from pokeTUI.battles.view import BattleView, Mon, Side, is_species

_PICKS = 4
_AIMED_AT = {3: "foe_0", 4: "foe_1", 0: "ally", 1: "ally"}
"""Fields of a move in an observation, by an index into TARGETS."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """A choice that is being made.

    Attributes:
        foes: Names of those in the opponent's slots, "" for an empty one.
        details: Types, item, ability, Tera type and moves of each member of the party.
        chosen: Codes of the slots that are decided; at preview the members in order.
        move: Code of a move whose target is to be chosen, None: none is.
    """

    wanted: BattleWanted
    request: Request
    foes: tuple[str, ...]
    details: tuple[tuple[str, ...], ...] = ()
    chosen: tuple[int, ...] = ()
    move: int | None = None
    has_gimmick: bool = False

    @property
    def slot(self) -> int:
        """The slot that is decided now."""
        return min(1, len(self.chosen))

    @property
    def first(self) -> int | None:
        """What was chosen for slot 0 where slot 1 is decided."""
        return self.chosen[0] if self.chosen else None

    @property
    def code(self) -> int | None:
        """The whole choice; None: it is not complete."""
        if self.request.is_preview:
            if len(self.chosen) < _PICKS:
                return None
            picks = (*sorted(self.chosen[:2]), *sorted(self.chosen[2:_PICKS]))
            return SELECTIONS.index(picks)
        return self.chosen[0] * SLOT_CODES + self.chosen[1] if len(self.chosen) > 1 else None

    @property
    def gimmick(self) -> str:
        """What the slot's gimmick is called, "" where it has none."""
        return "" if self.request.is_preview else self.request.slots[self.slot].gimmick


def begin(wanted: BattleWanted, view: BattleView, own: int) -> Choosing:
    """Return a new choice, in which only slots with nothing to decide are decided."""
    request = read_request(json.loads(wanted.request))
    foes = (mon.shown if mon else "" for mon in map(view.sides[1 - own].mon, (0, 1)))
    details = (_details(view.sides[own], member) for member in request.party)
    return _passed(Choosing(wanted, request, tuple(foes), tuple(details)))


def _details(side: Side, member: Member) -> tuple[str, ...]:
    known = (mon for mon in side.team if is_species(mon.species, member.species))
    mon = next(known, Mon(member.species, item=member.item, ability=member.ability))
    parts = ("/".join(mon.types), *side.facts(mon), *side.moves(mon))
    return tuple(part for part in parts if part)


def title(choosing: Choosing) -> str:
    """Return what is to be chosen now."""
    if choosing.request.is_preview:
        what = ("first lead", "second lead", "third", "fourth")[min(3, len(choosing.chosen))]
        return f"Team preview: choose your {what}"
    name = choosing.request.party[choosing.slot].name
    if choosing.move is not None:
        move = slot_words(choosing.request, choosing.slot, choosing.move, choosing.foes)
        how = f", {choosing.gimmick}" if choosing.has_gimmick else ""
        return f"{name}: {move.partition(' →')[0].partition(',')[0]}{how} on"
    if choosing.request.is_forced:
        return f"Send out in place of {name}"
    return f"What will {name} do?"


def verb(choosing: Choosing) -> str:
    """Return what choosing something does now, in two words."""
    if choosing.request.is_preview:
        return "choose lead" if len(choosing.chosen) < 2 else "choose back"
    if choosing.move is not None:
        return "choose target"
    return "send out" if choosing.request.is_forced else "choose move"


def gimmick_verb(choosing: Choosing) -> str:
    """Return what the gimmick's key does now, as "Tera" or "no Tera"; "" where there is none."""
    if not choosing.gimmick:
        return ""
    name = choosing.gimmick.partition(" ")[0]
    return f"no {name}" if choosing.has_gimmick else name


def so_far(choosing: Choosing) -> str:
    """Return what is chosen already, in words."""
    if choosing.request.is_preview:
        return ", ".join(choosing.request.party[member].species for member in choosing.chosen)
    if not choosing.chosen:
        return ""
    name = choosing.request.party[0].name
    text = slot_words(choosing.request, 0, choosing.chosen[0], choosing.foes)
    return f"{name}: {text}" if text else ""


def options(choosing: Choosing) -> list[Option]:
    """Return what there is to choose from now."""
    request, legal = choosing.request, choosing.wanted.legal
    if request.is_preview:
        return [
            Option(
                number,
                member.species,
                choosing.details[number],
                "already chosen" if number in choosing.chosen else "",
            )
            for number, member in enumerate(request.party)
        ]
    if choosing.move is not None:
        found = target_options(
            request, legal, choosing.slot, choosing.first, choosing.move, choosing.foes
        )
        estimates = (_estimate(choosing, one.code) for one in found)
        return [
            replace(one, parts=(estimate,) * bool(estimate))
            for one, estimate in zip(found, estimates, strict=True)
        ]
    found = slot_options(
        request, legal, choosing.slot, choosing.first, gimmick=choosing.has_gimmick
    )
    return [_with_details(choosing, one) for one in found]


def pick(choosing: Choosing, code: int) -> Choosing:
    """Return the choice with one more part: a move, a target, a switch, a member."""
    if choosing.request.is_preview:
        return replace(choosing, chosen=(*choosing.chosen, code))
    if choosing.move is None:
        targets = target_options(
            choosing.request,
            choosing.wanted.legal,
            choosing.slot,
            choosing.first,
            code,
            choosing.foes,
        )
        if targets:
            return replace(choosing, move=code)
    chosen = (*choosing.chosen, code)
    return _passed(replace(choosing, chosen=chosen, move=None, has_gimmick=False))


def undone(choosing: Choosing) -> Choosing:
    """Return the choice without its last part."""
    if choosing.move is not None:
        return replace(choosing, move=None)
    return replace(choosing, chosen=choosing.chosen[:-1], has_gimmick=False)


def with_gimmick(choosing: Choosing) -> tuple[Choosing, str]:
    """Return the choice with the gimmick, or without it again; and why that is not possible."""
    if not choosing.gimmick:
        return choosing, "no Terastallization or Mega Evolution is possible here"
    if choosing.first is not None and is_gimmick(choosing.first):
        return choosing, "the other slot uses it"
    return replace(choosing, has_gimmick=not choosing.has_gimmick, move=None), ""


def _passed(choosing: Choosing) -> Choosing:
    """Pass for slots that have nothing to decide."""
    if choosing.request.is_preview or len(choosing.chosen) > 1:
        return choosing
    legal = [one.code for one in options(choosing) if not one.why_not]
    if not has_choice(choosing.wanted.legal, choosing.slot) or legal == [PASS]:
        return _passed(replace(choosing, chosen=(*choosing.chosen, PASS)))
    return choosing


def _with_details(choosing: Choosing, option: Option) -> Option:
    """Add what a move would do to each of the opponents, or what a switch would bring in."""
    if option.code == PASS or option.why_not:
        return option
    if option.code >= SWITCH:
        number = option.code - SWITCH
        condition = choosing.request.party[number].condition
        return replace(option, parts=(condition, *choosing.details[number]))
    estimates = [_estimate(choosing, option.code - option.code % 5 + target) for target in (3, 4)]
    shown = (
        f"{name} {estimate}"
        for name, estimate in zip(choosing.foes, estimates, strict=False)
        if estimate and name
    )
    return replace(option, parts=(*shown, *option.parts))


def _estimate(choosing: Choosing, code: int) -> str:
    """Return what a move would do to a target, as estimated from what is public; "" for nothing."""
    slot, number, aimed = choosing.slot, code // 10, _AIMED_AT.get(code % 5)
    if aimed is None:
        return ""
    part = choosing.wanted.observation[MOVES_PART].reshape(MOVES)[slot, number]
    gimmick = "gimmick_" if is_gimmick(code) else ""
    damage = float(part[MOVE.index(f"{gimmick}damage_{aimed}")])
    if damage <= 0:
        return ""
    knocks_out = part[MOVE.index(f"knocks_out_{aimed}")] > 0 and not gimmick
    return f"~{damage:.0%}{' KO' if knocks_out else ''}"
