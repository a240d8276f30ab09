"""Play battles to be watched, or against a person, with a policy's view of each decision.

A session plays one battle after the other in a simulator of its own, without learning.
"""

import contextlib
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from engine.battles.learn.session import BattleSession
from engine.battles.play.players import SCRIPTED, Player
from engine.battles.play.sets import SetSoFar, choose_selection
from engine.battles.policy import Policy
from engine.battles.sim.records import BattleLog, LiveBattle
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import NOBODY, POLICY, Decisions, Lane, Simulator
from engine.battles.sim.teams import Format
from engine.commands import ChooseInBattle, Command, Stop, Watch
from engine.errors import CheckpointError
from engine.events import (
    BattleDecision,
    BattleShown,
    BattleWanted,
    CheckpointSaved,
    Event,
    LookAheadBegan,
    RunFailed,
    RunStopped,
    WarningRaised,
)
from engine.sessions.threaded import ThreadedSession

NUM_OPTIONS = 5
_PACE_S, _REST_S = 2.0, 8.0
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Pairing:
    """The battles that a session plays.

    Attributes:
        format: A best of three is played in sets.
        teams: Packed, of p1 and p2.
        players: Policies, the simulator's own players, or a person, who has any other name.
    """

    format: Format
    teams: tuple[str, str]
    players: tuple[Player, Player]
    seed: int

    def lane(self, number: int) -> Lane:
        """Return the plan of a battle by its number."""
        first, second = (one.name if one.name in SCRIPTED else POLICY for one in self.players)
        return Lane(self.format.id, self.teams, (first, second), self.seed + number, limit=1)


def top_choices(
    policy: Policy,
    observation: NDArray[np.float32],
    legal: NDArray[np.bool_],
    *,
    is_preview: bool,
    also: Sequence[int] = (),
) -> tuple[tuple[tuple[int, float], ...], float]:
    """Return a policy's likeliest codes with their probabilities, and its value.

    Args:
        policy: The policy.
        observation: (1560,) of a decision.
        legal: (90,), its masks.
        is_preview: It is a selection at team preview.
        also: Codes to return too, however unlikely.
    """
    observations, masks = observation[None], legal[None]
    shares = np.exp(policy.log_probs(observations, masks, np.array([is_preview]))[0])
    best = np.argsort(-shares, kind="stable")[:NUM_OPTIONS]
    likely = [int(code) for code in best if shares[code] > 0]
    likely += [code for code in also if code not in likely]
    options = tuple((code, float(shares[code])) for code in likely)
    return options, float(policy.values(observations)[0])


def with_names(lines: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Return protocol lines with the players' names in place of p1 and p2."""
    shown = []
    plain = [name.replace("|", " ") for name in names]
    for line in lines:
        for side, name in zip(("p1", "p2"), plain, strict=True):
            line = line.replace(f"|player|{side}|{side}|", f"|player|{side}|{name}|")
            line = f"|win|{name}" if line == f"|win|{side}" else line
        shown.append(line)
    return tuple(shown)


class MatchSession(ThreadedSession):
    """Battles of a pairing, shown decision by decision; a person may play one side.

    Commands: ChooseInBattle, Watch (after the end of a battle: the next one), Stop.

    Args:
        pairing: Who plays what.
        node: Runs the simulator.
        person: 0 or 1: the side that a person plays.
        adviser: Policy whose view of the watched side's decisions is shown; None: none.
        pace_s: How long a decision is shown if no person plays.
        keep: Takes each battle that ended.
        next_policy: Called before each battle; returns the policy that plays and advises from then
            on, None: the same as before.
        rest_s: How long the end of a battle is shown before the next one; None: until Watch.
    """

    def __init__(
        self,
        pairing: Pairing,
        node: NodeCommand,
        *,
        person: int | None = None,
        adviser: Policy | None = None,
        pace_s: float = 0.0,
        keep: Callable[[BattleLog], None] | None = None,
        next_policy: Callable[[], Policy | None] = lambda: None,
        rest_s: float | None = None,
    ) -> None:
        super().__init__("battle")
        self._pairing = pairing
        self._node = node
        self._adviser = adviser
        self._pace_s = pace_s
        self._keep = keep
        self._next_policy = next_policy
        self._rest_s = rest_s
        self._rng = np.random.default_rng(pairing.seed)
        self._has_next = False
        self._code: int | None = None
        self._number = 0
        self._set = SetSoFar(pairing.format.best_of)
        self._game = 1
        self._decisions: list[BattleDecision] = []
        self._person = person
        # The simulator does not report its own players' decisions: the other side is watched.
        is_second = pairing.players[0].name in SCRIPTED
        self.side = int(is_second) if person is None else person
        """The side that is watched."""

    def _work(self) -> RunStopped:
        with Simulator([self._pairing.lane(0)], self._node) as simulator:
            while self._commands.stop is None:
                if self._play(simulator):
                    self._after(simulator)
                    self._wait_for_next()
                    self._number += 1
                    simulator.set_lanes({0: self._pairing.lane(self._number)})
        stop = self._commands.stop
        return RunStopped(stop.reason if stop else "", 0, "")

    def _play(self, simulator: Simulator) -> bool:
        """Play a battle; return False if the session ends before."""
        self._decisions = []
        self._has_next = False
        if self._set.is_over:
            self._set = SetSoFar(self._pairing.format.best_of)
        self._game = len(self._set.results) + 1
        if (policy := self._next_policy()) is not None:
            self._adviser = policy
            first, second = (
                player if player.name in SCRIPTED else replace(player, policy=policy)
                for player in self._pairing.players
            )
            self._pairing = replace(self._pairing, players=(first, second))
        waiting = simulator.step(NOBODY, NOBODY)
        while len(waiting.seats):
            scene = simulator.spectate(0)
            self._evaluate_decision(waiting, scene)
            self._show(scene.lines, scene.types)
            codes = self._decide(simulator, waiting, scene)
            if codes is None:
                return False
            self._add_choice(waiting, codes)
            waiting = simulator.step(waiting.seats, codes)
        return True

    def _evaluate_decision(self, waiting: Decisions, scene: LiveBattle) -> None:
        """Add the adviser's view of the watched side's decision."""
        rows = (waiting.seats % 2 == self.side).nonzero()[0]
        request = scene.requests[self.side]
        if self._adviser is None or not len(rows) or request is None:
            return
        row = rows[0]
        options, value = top_choices(
            self._adviser,
            waiting.observations[row],
            waiting.legal[row],
            is_preview=bool(waiting.is_preview[row]),
        )
        self._decisions.append(
            BattleDecision(len(scene.lines), json.dumps(request), options, value)
        )

    def _decide(
        self, simulator: Simulator, waiting: Decisions, scene: LiveBattle
    ) -> NDArray[np.int64] | None:
        """Return a code for each decision; None: the session ends."""
        codes = np.zeros(len(waiting.seats), np.int64)
        for row, seat in enumerate(waiting.seats):
            side = int(seat % 2)
            if side != self._person:
                codes[row] = self._code_of(simulator, waiting, row)
                continue
            request = scene.requests[side]
            assert request is not None
            code = self._ask(request, waiting, row, len(scene.lines))
            if code is None:
                return None
            codes[row] = code
        if self._person is None:
            until = time.monotonic() + self._pace_s
            self._wait(lambda: time.monotonic() >= until)
        return None if self._commands.stop else codes

    def _code_of(self, simulator: Simulator, waiting: Decisions, row: int) -> int:
        """Return what a policy chooses, at team preview by the set's earlier games."""
        side = int(waiting.seats[row] % 2)
        player, games = self._pairing.players[side], self._set.selections_of(1 - side)
        if player.search is not None:
            self.mailbox.post(LookAheadBegan())
        if not games or player.policy is None or not waiting.is_preview[row]:
            return int(player.decide(simulator, waiting, np.array([row]), self._rng)[0])
        seen = waiting.observations[row], waiting.legal[row]
        return choose_selection(simulator, player.policy, side, *seen, games, self._rng)

    def _ask(
        self, request: Mapping[str, object], waiting: Decisions, row: int, place: int
    ) -> int | None:
        self._code = None
        self.mailbox.post(
            BattleWanted(place, json.dumps(request), waiting.legal[row], waiting.observations[row])
        )
        self._wait(lambda: self._code is not None)
        return self._code

    def _add_choice(self, waiting: Decisions, codes: NDArray[np.int64]) -> None:
        rows = (waiting.seats % 2 == self.side).nonzero()[0]
        if len(rows) and self._decisions:
            last = self._decisions[-1]
            self._decisions[-1] = replace(last, chosen=int(codes[rows[0]]))

    def _after(self, simulator: Simulator) -> None:
        """Show the end of the battle, and keep it."""
        for log in simulator.logs():
            first, second = (player.name for player in self._pairing.players)
            named = replace(log, players=(first, second))
            transcript = simulator.transcript(log.input_log)
            self._set.add(transcript.lines, log.winner)
            self._show(transcript.lines, transcript.types)
            if self._keep is not None:
                try:
                    self._keep(named)
                except OSError as error:
                    reason = error.strerror or error
                    self.mailbox.post(WarningRaised(f"The battle cannot be saved: {reason}."))

    def _show(self, lines: Sequence[str], types: Mapping[str, tuple[str, ...]]) -> None:
        names = [player.name for player in self._pairing.players]
        self.mailbox.post(
            BattleShown(
                str(self._number),
                self.side,
                with_names(lines, names),
                types,
                tuple(self._decisions),
                set=self._set.score(self.side, self._game),
            )
        )

    def _wait_for_next(self) -> None:
        until = None if self._rest_s is None else time.monotonic() + self._rest_s
        self._wait(lambda: self._has_next or (until is not None and time.monotonic() >= until))

    def _wait(self, is_over: Callable[[], bool]) -> None:
        """Obey commands until `is_over`, or until Stop."""
        self._obey(self._commands.drain())
        while not is_over() and self._commands.stop is None:
            self._obey(self._commands.drain(LOOK_S))

    def _obey(self, commands: Iterable[Command]) -> None:
        for command in commands:
            match command:
                case ChooseInBattle(code=code):
                    self._code = code
                case Watch():
                    self._has_next = True
                case _:
                    pass


class ExhibitionSession:
    """A run of battles in training, with battles of its newest policy to watch beside it.

    They are played slowly, in a simulator of their own, from the first checkpoint on.

    Args:
        run: The session that trains.
        pairing: The battles to watch; its players that are not the simulator's have the policy.
    """

    def __init__(self, run: BattleSession, pairing: Pairing, node: NodeCommand) -> None:
        self._run = run
        self._battles = MatchSession(
            pairing, node, next_policy=self._newest, pace_s=_PACE_S, rest_s=_REST_S
        )
        self._checkpoint: Path | None = None

    @property
    def mailbox(self) -> Self:
        """Return this object, whose `drain` reads both mailboxes."""
        return self

    @property
    def is_alive(self) -> bool:
        """Return whether the run continues."""
        return self._run.is_alive

    def start(self) -> None:
        """Start the run; the battles begin with its first checkpoint."""
        self._run.start()

    def send(self, command: Command) -> None:
        """Send Watch to the battles, Stop to both, all else to the run."""
        if isinstance(command, Watch | Stop):
            self._battles.send(command)
        if not isinstance(command, Watch):
            self._run.send(command)

    def drain(self) -> list[Event]:
        """Return the events of the run, and the watched battles."""
        events = self._run.mailbox.drain()
        for event in events:
            if isinstance(event, CheckpointSaved):
                self._begin(Path(event.path))
            elif isinstance(event, RunStopped | RunFailed):
                self._battles.send(Stop())
        for event in self._battles.mailbox.drain():
            if isinstance(event, BattleShown):
                events.insert(0, event)
            elif isinstance(event, RunFailed):
                events.insert(0, WarningRaised(f"No battles are shown any more: {event.message}"))
        return events

    def _begin(self, checkpoint: Path) -> None:
        is_first, self._checkpoint = self._checkpoint is None, checkpoint
        if is_first:
            self._battles.start()

    def _newest(self) -> Policy | None:
        assert self._checkpoint is not None
        with contextlib.suppress(CheckpointError):  # it may just have been deleted for a newer one
            return Policy.load(self._checkpoint)
        return None
