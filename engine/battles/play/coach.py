"""Review a battle decision by decision, and compare the selections that two teams allow.

A decision is judged by what its side knew when it was made: by looking ahead in copies of the
battle, in which all that is hidden from it is drawn anew. The battle's true course tells only what
was chosen, and where that led.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.battles.learn.demonstrations import Battle, decisions_of
from engine.battles.learn.importing import REASONS
from engine.battles.play.search import Analysis, Option, SearchSettings, analyse
from engine.battles.play.spectating import top_choices, with_names
from engine.battles.policy import Policy
from engine.battles.sim.actions import PREVIEW_CODES
from engine.battles.sim.records import Asked, Transcript
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import NOBODY, POLICY, Lane, Outlook, Simulator
from engine.battles.sim.teams import Format
from engine.errors import BattleError

UNSEEN = "a Pokémon not yet seen"


@dataclass(frozen=True, slots=True)
class ReviewedDecision:
    """A decision of a battle that was played. Values are from -1 (lost) to 1 (won).

    Attributes:
        asked: The decision.
        foe_request: The foe's at the same time, as far as it is public; None where it has nothing
            to decide, or is not known.
        analysis: What the decision was worth; the values of options are NaN where no copies could
            be made.
        played: The option that was chosen; None: that is not known.
        luck: By how much the next decision was better than could be expected of the choice; None:
            not known.
    """

    asked: Asked
    foe_request: Mapping[str, Any] | None
    analysis: Analysis
    played: Option | None
    luck: float | None

    @property
    def best(self) -> Option:
        """The reply that should have been chosen."""
        return self.analysis.options[0]

    @property
    def cost(self) -> float | None:
        """By how much the best reply is worth more than what was played; None: not known."""
        if self.played is None or math.isnan(self.played.value):
            return None
        return max(0.0, self.best.value - self.played.value)


@dataclass(frozen=True, slots=True)
class Review:
    """A battle that was played, as one of its sides should look back on it.

    Attributes:
        battle: The battle.
        side: 0 or 1.
        lines: What spectators saw, with the players' names.
        decisions: Of that side, in order.
        unknown: How many more it made, of which the lines do not tell enough.
    """

    battle: Battle
    side: int
    lines: tuple[str, ...]
    decisions: tuple[ReviewedDecision, ...]
    unknown: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether the battle is known by its input log, so that copies could be made of it."""
        return bool(self.battle.input_log)

    @property
    def result(self) -> float:
        """1 if the side won, -1 if it lost, 0 after a tie."""
        return _result(self.battle, self.side)


def review(
    simulator: Simulator,
    battle: Battle,
    side: int,
    policy: Policy,
    settings: SearchSettings,
    rng: np.random.Generator,
    advance: Callable[[int, int], object] = lambda done, total: None,
) -> Review:
    """Judge every decision that a side made in a battle.

    Where only spectators' lines are known, a decision is what the policy alone says of it: nothing
    is known of how else the battle might have gone.

    Args:
        simulator: Its lanes are replaced.
        battle: The battle.
        side: 0 or 1.
        policy: Judges.
        settings: How far to look ahead.
        rng: Draws the copies.
        advance: Called with how many decisions are judged, and of how many.

    Raises:
        BattleError: The battle cannot be replayed, or nothing is known of the side's decisions.
    """
    known = _Played(simulator, battle, side)
    if not known.rows:
        raise BattleError(
            f"What {battle.players[side]} could choose is not known: {known.why_unknown}.",
            f"Try the other side, --side p{2 - side}, or a battle of your own.",
        )
    values = policy.values(known.outlook.observations[known.rows]).tolist()
    nexts = [*values[1:], known.end]
    decisions = []
    for done, (row, after) in enumerate(zip(known.rows, nexts, strict=True), 1):
        decisions.append(known.judge(row, after, policy, settings, rng))
        advance(done, len(known.rows))
    return Review(battle, side, known.lines, tuple(decisions), known.unknown)


class _Played:
    """A battle that was played, with the decisions of one side in it."""

    def __init__(self, simulator: Simulator, battle: Battle, side: int) -> None:
        self._simulator = simulator
        self._battle = battle
        self._side = side
        self._transcript = _transcript(simulator, battle)
        self.outlook: Outlook = decisions_of(battle, simulator)
        own = [row for row, each in enumerate(self._transcript.asked) if each.side == side]
        self.rows = [row for row in own if self._transcript.asked[row].request is not None]
        self.unknown = len(own) - len(self.rows)
        self.why_unknown = REASONS.get(int(self.outlook.results[own[0]]) if own else 0, "no turns")
        self.lines = with_names(self._transcript.lines, battle.players)

    @property
    def end(self) -> float | None:
        """What the side's last decision led to; None where a player gave up, or time was up."""
        is_forced = any(line.startswith(">force") for line in self._battle.input_log[-1:])
        return None if is_forced else _result(self._battle, self._side)

    def judge(
        self,
        row: int,
        after: float | None,
        policy: Policy,
        settings: SearchSettings,
        rng: np.random.Generator,
    ) -> ReviewedDecision:
        """Return what a decision was worth; `after` is the policy's value of the next one."""
        asked, code = self._transcript.asked[row], int(self.outlook.results[row])
        is_exact = bool(self._battle.input_log)
        analysis = (
            self._look_ahead(row, policy, settings, rng) if is_exact else self._look(row, policy)
        )
        played = next((one for one in analysis.options if one.code == code), None)
        luck = None
        if is_exact and played is not None and after is not None:
            luck = after - played.value
        return ReviewedDecision(asked, self._foe_request(asked), analysis, played, luck)

    def _look_ahead(
        self, row: int, policy: Policy, settings: SearchSettings, rng: np.random.Generator
    ) -> Analysis:
        asked = self._transcript.asked[row]
        same = (one.inputs for one in self._transcript.asked if one.place == asked.place)
        waiting = self._simulator.resume(self._battle.input_log[: min(same)])
        mine = next((at for at, seat in enumerate(waiting.seats) if seat == self._side), None)
        if mine is None:
            raise BattleError("The choices in the battle's log do not fit.", "Use another battle.")
        code = int(self.outlook.results[row])
        also = (code,) if code >= 0 else ()
        return analyse(self._simulator, policy, waiting, mine, settings, rng, also)

    def _look(self, row: int, policy: Policy) -> Analysis:
        """Return what the policy says without looking ahead."""
        code = int(self.outlook.results[row])
        options, value = top_choices(
            policy,
            self.outlook.observations[row],
            self.outlook.legal[row],
            is_preview=bool(self.outlook.is_preview[row]),
            also=(code,) if code >= 0 else (),
        )
        return Analysis(value, tuple(Option(one, share, math.nan) for one, share in options))

    def _foe_request(self, asked: Asked) -> Mapping[str, Any] | None:
        at_once = (
            one.request
            for one in self._transcript.asked
            if one.place == asked.place and one.side != asked.side
        )
        request = next(at_once, None)
        return request and _as_shown(request, self._transcript.lines[: asked.place])


def _transcript(simulator: Simulator, battle: Battle) -> Transcript:
    if battle.input_log:
        return simulator.transcript(battle.input_log)
    return simulator.transcript(battle.lines, battle.format)


def _result(battle: Battle, side: int) -> float:
    return 0.0 if not battle.winner else 1.0 if battle.winner == f"p{side + 1}" else -1.0


def _as_shown(request: Mapping[str, Any], lines: Sequence[str]) -> Mapping[str, Any]:
    """Return what spectators know of a request: no health, no stats, no names never sent out."""
    side_id, party = request["side"]["id"], request["side"]["pokemon"]
    arrivals = (line.split("|") for line in lines if line.startswith(("|switch|", "|drag|")))
    shown = {ident[5:] for _, _, ident, *_ in arrivals if ident.startswith(side_id)}
    public = [
        {
            "ident": one["ident"] if is_shown else f"{side_id}: {UNSEEN}",
            "details": one["details"] if is_shown else UNSEEN,
            "condition": "",
            "active": one["active"],
        }
        for one in party
        for is_shown in [bool(request.get("teamPreview")) or one["ident"][4:] in shown]
    ]
    return {**request, "side": {"id": side_id, "pokemon": public}}


@dataclass(frozen=True, slots=True)
class PreviewAdvice:
    """What to select at team preview.

    Attributes:
        analysis: What selections are worth, best first.
        foe_shares: (90,) float32, how likely the foe takes each selection.
        requests: Both sides', the own one first.
    """

    analysis: Analysis
    foe_shares: NDArray[np.float32]
    requests: tuple[Mapping[str, Any], Mapping[str, Any]]


def advise(
    format: Format,
    teams: tuple[str, str],
    policy: Policy,
    node: NodeCommand,
    settings: SearchSettings,
    rng: np.random.Generator,
) -> PreviewAdvice:
    """Compare the selections of the first team against the second.

    Args:
        format: Of the battle.
        teams: Packed: the own one, and the foe's, of which the own side knows the sheet only.
        policy: Proposes selections, and values the first turn.
        node: Runs the simulator.
        settings: How far to look ahead.
        rng: Draws the copies.

    Raises:
        WorkerError: The simulator stopped.
    """
    lane = Lane(format.id, teams, (POLICY, POLICY), int(rng.integers(1 << 31)), limit=1)
    with Simulator([lane], node) as simulator:
        waiting = simulator.step(NOBODY, NOBODY)
        analysis = analyse(simulator, policy, waiting, 0, settings, rng)
        log_probs = policy.log_probs(
            waiting.observations[1:], waiting.legal[1:], waiting.is_preview[1:]
        )
        own, foe = simulator.spectate(0).requests
    assert own is not None
    assert foe is not None
    return PreviewAdvice(analysis, np.exp(log_probs[0, :PREVIEW_CODES]), (own, foe))
