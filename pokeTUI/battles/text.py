"""Say in plain English what a battle's protocol lines mean: one pure function."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from engine.ground.numerals import parse_number
from pokeTUI.battles import phrases
from pokeTUI.battles.view import (
    SIDES,
    BattleView,
    effect_name,
    side_number,
    split_line,
    spoken_effect,
    weather_name,
)


class Weight(Enum):
    """How much a sentence matters."""

    turn = "turn"
    major = "major"
    minor = "minor"
    faint = "faint"
    end = "end"


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a line says."""

    text: str
    weight: Weight = Weight.minor


def describe(line: str, before: BattleView, own: int | None = None) -> Sentence | None:
    """Return what a line says; None where there is nothing to say.

    Args:
        line: A protocol line.
        before: The battle before it.
        own: 0 or 1: the side that is "yours"; None: nobody's, and players are named.
    """
    kind, parts, named = split_line(line)
    parts += [""] * (4 - len(parts))
    return _Speaker(before, own, parts, named).describe(kind)


class _Speaker:
    """What the sentences about one line have in common."""

    def __init__(
        self, view: BattleView, own: int | None, parts: list[str], named: Mapping[str, str]
    ) -> None:
        self._view = view
        self._own = own
        self._parts = parts
        self._named = named

    def describe(self, kind: str) -> Sentence | None:
        parts = self._parts
        match kind:
            case "turn":
                return Sentence(f"Turn {parts[0]}", Weight.turn)
            case "start":
                return Sentence("Battle started", Weight.turn)
            case "win":
                return Sentence(f"{parts[0]} won the battle!", Weight.end)
            case "tie":
                return Sentence("The battle ended in a tie.", Weight.end)
            case "move":
                return Sentence(f"{self._mon()} used {parts[1]}{self._target()}!", Weight.major)
            case "switch" | "drag":
                return self._sent_out(kind)
            case "cant":
                return Sentence(self._cannot(), Weight.major)
            case "faint":
                return Sentence(f"{self._mon()} fainted!", Weight.faint)
            case "-mega":
                what = f"Mega Evolved into {parts[1]}" if "Mega" in parts[1] else "Mega Evolved"
                return Sentence(f"{self._mon()} {what}!", Weight.major)
            case "-terastallize":
                return Sentence(f"{self._mon()} Terastallized into the {parts[1]} type!",
                                Weight.major)  # fmt: skip
            case _:
                text = self._minor(kind)
                return Sentence(text) if text else None

    def _minor(self, kind: str) -> str:
        what = effect_name(self._parts[1])
        match kind:
            case "-damage" | "-heal" | "-sethp":
                return self._health()
            case "-status" | "-curestatus":
                return self._status(kind)
            case "-boost" | "-unboost" | "-setboost":
                return self._boost(kind)
            case "-weather" | "-fieldstart" | "-fieldend":
                return self._field(kind)
            case "-sidestart" | "-sideend":
                return self._side(kind)
            case "-start" | "-end" | "-singleturn" | "-singlemove" | "-activate":
                return self._effect(kind, what)
            case "-item" | "-enditem":
                return self._item(kind, what)
            case "-ability":
                return f"{self._mon()}'s {what}!"
            case "-clearallboost":
                return "All stat changes were reset!"
            case "-clearboost" | "-clearnegativeboost":
                return f"{self._mon()}'s stat changes were reset!"
            case "detailschange" | "-formechange":
                species = self._parts[1].partition(", ")[0]
                return "" if "-Mega" in species else f"{self._mon()} changed into {species}!"
            case "-transform":
                return f"{self._mon()} transformed into {self._mon(1)}!"
            case "swap":
                return f"{self._mon()} and its ally switched places!"
            case _:
                return self._hit(kind)

    def _hit(self, kind: str) -> str:
        match kind:
            case "-supereffective":
                return f"It's super effective on {self._mon(lower=True)}!"
            case "-resisted":
                return f"It's not very effective on {self._mon(lower=True)}."
            case "-crit":
                return f"A critical hit on {self._mon(lower=True)}!"
            case "-immune":
                return f"It doesn't affect {self._mon(lower=True)}…"
            case "-miss":
                if self._parts[1]:
                    return f"{self._mon(1)} avoided the attack!"
                return f"{self._mon()}'s attack missed!"
            case "-fail":
                return "But it failed!" if not self._parts[1] else f"{self._mon()}: it failed!"
            case "-block":
                return f"{self._mon()} blocked it with {effect_name(self._parts[1])}!"
            case "-notarget":
                return "But there was no target…"
            case "-hitcount":
                return f"Hit {self._parts[1]} times!"
            case "-prepare":
                return f"{self._mon()} is preparing {self._parts[1]}!"
            case "-mustrecharge":
                return f"{self._mon()} must recharge!"
            case "-message" | "-hint":
                return self._parts[0]
            case _:
                return ""

    # Who

    def _mon(self, part: int = 0, *, lower: bool = False) -> str:
        return self._named_mon(self._parts[part], lower=lower)

    def _named_mon(self, ident: str, *, lower: bool = False) -> str:
        name = ident.partition(": ")[2] or ident
        number = side_number(ident)
        if self._own is None and number is not None:
            return f"{self._player(number)}'s {name}"
        if number in (None, self._own):
            return name
        return f"{'the' if lower else 'The'} opposing {name}"

    def _player(self, number: int) -> str:
        return self._view.sides[number].player or SIDES[number]

    def _team(self, ident: str) -> str:
        number = side_number(ident)
        if number is None:
            return ident
        if self._own is None:
            return f"{self._player(number)}'s team"
        return "your team" if number == self._own else "the opposing team"

    # What

    def _sent_out(self, kind: str) -> Sentence:
        number = side_number(self._parts[0])
        name = self._parts[0].partition(": ")[2]
        species = self._parts[1].partition(", ")[0]
        shown = name if species == name else f"{name} ({species})"
        if kind == "drag":
            return Sentence(f"{self._mon()} was dragged out!", Weight.major)
        slot = {"a": 0, "b": 1}.get(self._parts[0][2:3], 0)
        left = None if number is None else self._view.sides[number].mon(slot)
        who = "You" if number == self._own else self._player(number or 0)
        if left is None or left.is_fainted:
            return Sentence(f"{who} sent out {shown}!", Weight.major)
        return Sentence(f"{who} withdrew {left.shown} and sent out {shown}!", Weight.major)

    def _target(self) -> str:
        target = self._parts[2]
        if not target or target == self._parts[0] or "spread" in self._named:
            return ""
        return f" on {self._named_mon(target, lower=True)}"

    def _cannot(self) -> str:
        cause = effect_name(self._parts[1])
        known = phrases.CANNOT.get(cause)
        if known is not None:
            return f"{self._mon()} {known}"
        if self._parts[2]:
            return f"{self._mon()} can't use {self._parts[2]} ({cause})!"
        return f"{self._mon()} can't move ({cause})!"

    def _health(self) -> str:
        mon = self._view.mon(self._parts[0])
        health, _, status = self._parts[1].partition(" ")
        now, before = _share(health), 1.0 if mon is None else mon.hp
        cause = effect_name(self._named.get("from", ""))
        due = f" ({phrases.CAUSES.get(cause, cause)})" if cause else ""
        change = round((now - before) * 100)
        if "silent" in self._named and not change:
            return ""
        if status == "fnt" or change < 0:
            return f"{self._mon()} lost {abs(change) or 'under 1'}% of its health{due}."
        return f"{self._mon()} regained {change}% of its health{due}." if change else ""

    def _status(self, kind: str) -> str:
        status = self._parts[1]
        gained, cured = phrases.STATUSES.get(status, (f"has {status}", f"{status} was cured"))
        if kind == "-status":
            return f"{self._mon()} {gained}!"
        if status in phrases.CURED:
            return f"{self._mon()} {phrases.CURED[status]}"
        return f"{self._mon()}'s {cured}!"

    def _boost(self, kind: str) -> str:
        stat = phrases.STATS.get(self._parts[1], self._parts[1])
        amount = self._parts[2]
        if kind == "-setboost":
            return f"{self._mon()}'s {stat} is now at {int(amount or 0):+d}!"
        if amount == "0":
            return (
                f"{self._mon()}'s {stat} won't go any {'higher' if kind == '-boost' else 'lower'}!"
            )
        much = {"1": "", "2": " sharply" if kind == "-boost" else " harshly"}.get(
            amount, " drastically"
        )
        return f"{self._mon()}'s {stat} {'rose' if kind == '-boost' else 'fell'}{much}!"

    def _field(self, kind: str) -> str:
        name = effect_name(self._parts[0])
        if kind == "-weather":
            if "upkeep" in self._named:
                return ""
            if name == "none":
                weather = self._view.weather
                return (
                    phrases.WEATHERS.get(weather.name, ("", "The weather cleared up."))[1]
                    if weather
                    else ""
                )
            shown = weather_name(name)
            return phrases.WEATHERS.get(shown, (f"{shown} began!", ""))[0]
        started, ended = phrases.FIELDS.get(name, (f"{name} began!", f"{name} ended."))
        return started if kind == "-fieldstart" else ended

    def _side(self, kind: str) -> str:
        name, team = effect_name(self._parts[1]), self._team(self._parts[0])
        began, ended = phrases.SIDES.get(
            name, (f"{name} began for {{team}}!", f"{name} ended for {{team}}.")
        )
        text = began if kind == "-sidestart" else ended
        return text.format(team=team, Team=team[:1].upper() + team[1:])

    def _effect(self, kind: str, what: str) -> str:
        if "silent" in self._named:
            return ""
        mon = self._mon()
        if kind == "-activate":
            return self._activated(what)
        if kind in ("-singleturn", "-singlemove"):
            return f"{mon} {phrases.SINGLE[what]}" if what in phrases.SINGLE else f"{mon}: {what}!"
        if what == "typechange":
            return f"{mon} became {self._parts[2]} type!"
        if what == "typeadd":
            return f"{self._parts[2]} type was added to {mon}!"
        started, ended = phrases.STARTS.get(what, (f"is under {spoken_effect(what)}!", ""))
        if what.startswith(("quarkdrive", "protosynthesis")):
            stat = phrases.STATS.get(
                what.removeprefix("quarkdrive").removeprefix("protosynthesis"), ""
            )
            return f"{mon}'s {stat} was heightened!"
        if kind == "-start":
            return f"{mon} {started}"
        return f"{mon}{ended}" if ended else f"{mon} is no longer under {spoken_effect(what)}."

    def _activated(self, what: str) -> str:
        mon = self._mon()
        if what in phrases.PROTECTS:
            return f"{mon} protected itself!"
        if what == "Substitute":
            return f"The substitute took damage for {self._mon(lower=True)}!"
        if what == "Commander":
            return f"{mon} was swallowed by Dondozo and became its commander!"
        if what == "confusion":
            return f"{mon} is confused!"
        if what == "trapped":
            return f"{mon} can no longer escape!"
        return f"{mon}: {what}!" if what and mon else ""

    def _item(self, kind: str, what: str) -> str:
        if kind == "-item":
            return f"{self._mon()} has {what}!"
        if "eat" in self._named:
            return f"{self._mon()} ate its {what}!"
        if effect_name(self._named.get("from", "")) == "Knock Off":
            return f"{self._mon()} lost its {what}!"
        return f"{self._mon()} used its {what}!"


def _share(health: str) -> float:
    now, _, most = health.partition("/")
    try:
        return parse_number(now) / parse_number(most or "100")
    except (ValueError, ZeroDivisionError):
        return 0.0
