"""Evaluate against poke-env's own players, on a server of our own."""

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Self

import numpy as np

from engine.battles.sim.connection import PLAYERS, poke_env_player
from engine.battles.sim.server import ShowdownServer
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import Simulator
from engine.battles.sim.teams import find_format, validate
from engine.battles.sim.websocket import Act, Acting, ServerBattle, ServerPlayer, deciding
from engine.errors import ConfigurationError, WorkerError

if TYPE_CHECKING:
    from poke_env.player import Player

_ROUND = 250
"""Battles that one of poke-env's players plays, as it keeps all of them in memory."""
_SILENCE_S = 60.0
_MAX_FAILURES = 3
"""Rounds in a row without a finished battle that end the evaluation."""


@dataclass(slots=True)
class ServerScore:
    """How battles against one opponent ended.

    Attributes:
        void: Battles that were lost with the server or stalled; others were played instead.
        rejected: Choices that the server called invalid.
        trapped: Choices that hidden information made unavailable.
    """

    opponent: str
    won: int = 0
    tied: int = 0
    lost: int = 0
    void: int = 0
    decisions: int = 0
    rejected: int = 0
    trapped: int = 0
    turns: int = 0
    restarts: int = 0
    seconds: float = 0.0

    @property
    def battles(self) -> int:
        """How many count."""
        return self.won + self.tied + self.lost


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an evaluation.

    Attributes:
        at_once: Battles that are played at the same time.
        stall_s: Seconds without a message after which a battle is given up; if no battle had one
            for a minute, the server is restarted.
    """

    at_once: int = 25
    stall_s: float = 60.0


def evaluate_over_websocket(
    policy: Acting,
    opponents: Sequence[str],
    battles: int,
    format: str,
    teams: Sequence[str],
    node: NodeCommand,
    *,
    seed: int = 0,
    greedy: bool = False,
    limits: Limits | None = None,
    report: Callable[[ServerScore], None] = lambda score: None,
) -> list[ServerScore]:
    """Play a number of battles against each opponent, both with the same team.

    Each challenges the other in half of them, as the server makes the challenger p1. Both accept
    open team sheets.

    Args:
        policy: Plays.
        opponents: Names in `PLAYERS`.
        battles: Against each opponent, divided among the teams.
        format: By the server's name.
        teams: Packed.
        node: Where Node and the simulator are.
        seed: Of the policy's choices; the server's and poke-env's draws cannot be repeated.
        greedy: Take the likeliest choice instead of drawing one.
        limits: How much at once, and how long to wait.
        report: Called with the score after each battle that counts.

    Raises:
        ConfigurationError: There is no such opponent.
        BattleError: A team is not allowed in the format.
        WorkerError: The server or the simulator cannot be kept running.
    """
    for opponent in opponents:
        if opponent not in PLAYERS:
            raise ConfigurationError(
                f"poke-env has no player {opponent}.", f"It has {', '.join(PLAYERS)}."
            )
    with _Arena(node, format, limits or Limits(), report) as arena:
        for team in teams:
            validate(arena.eyes, find_format(format), team)
        act = deciding(policy, np.random.default_rng(seed), greedy=greedy)
        shares = [battles // len(teams) + (i < battles % len(teams)) for i in range(len(teams))]
        return [
            asyncio.run(arena.evaluate(act, opponent, list(zip(teams, shares, strict=True))))
            for opponent in opponents
        ]


class _Arena:
    """A server, and a simulator that follows its battles; both are restarted when they fail."""

    def __init__(
        self, node: NodeCommand, format: str, limits: Limits, report: Callable[[ServerScore], None]
    ) -> None:
        self._node = node
        self._format = find_format(format)
        self._limits = limits
        self._report = report
        self.eyes = Simulator((), node)
        try:
            self._server = ShowdownServer(node)
        except BaseException:
            self.eyes.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.eyes.close()
        self._server.close()

    async def evaluate(
        self, act: Act, opponent: str, shares: Sequence[tuple[str, int]]
    ) -> ServerScore:
        """Play the battles against one opponent; `shares` are (team, battles)."""
        # Only exceptions of poke-env's own tasks get here; the battle of such a task stalls.
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
        score, started = ServerScore(opponent), time.monotonic()
        failures = 0
        for team, share in shares:
            end = score.battles + share
            is_challenger = True
            while (left := end - score.battles) > 0:
                before = score.battles
                error: WorkerError | None = None
                try:
                    await self._play_round(
                        act, score, team, min(_ROUND, (left + 1) // 2), is_challenger=is_challenger
                    )
                except WorkerError as lost:
                    error = lost
                failures = failures + 1 if score.battles == before else 0
                if failures == _MAX_FAILURES:
                    raise error or WorkerError(
                        f"The battles against {opponent} stand still again and again."
                    )
                if error:
                    self._restart()
                    score.restarts += 1
                is_challenger = not is_challenger
        score.seconds = time.monotonic() - started
        return score

    def _restart(self) -> None:
        self.eyes.close()
        self.eyes = Simulator((), self._node)
        self._server.restart()

    async def _play_round(
        self, act: Act, score: ServerScore, team: str, count: int, *, is_challenger: bool
    ) -> None:
        """Play some battles with two new users.

        Raises:
            WorkerError: The server or the simulator is lost, with all unfinished battles.
        """

        def count_end(battle: ServerBattle) -> None:
            if battle.is_void:
                score.void += 1
                return
            result = battle.result or 0
            score.won += result > 0
            score.lost += result < 0
            score.tied += result == 0
            score.turns += battle.turns
            self._report(score)

        token = secrets.token_hex(4)
        ours = ServerPlayer(
            f"poketui{token}", self._server.address, self._format, team, self.eyes, act, count_end
        )
        theirs = poke_env_player(
            score.opponent,
            f"pokeenv{token}",
            self._server.address,
            self._format.id,
            team,
            self._limits.at_once,
        )
        try:
            await ours.run(
                partial(self._match, ours, theirs, count, is_challenger),
                theirs.ps_client.listen,
                partial(self._watch, ours),
            )
        finally:
            score.void += len(ours.battles)
            for name, number in ours.counts.items():
                setattr(score, name, getattr(score, name) + number)

    async def _match(
        self, ours: ServerPlayer, theirs: "Player", count: int, is_challenger: bool
    ) -> None:
        """Start battles and wait until all have ended."""

        def has_begun(number: int) -> bool:
            return ours.started > number

        if is_challenger:
            await theirs.ps_client.logged_in.wait()
            answering = asyncio.create_task(theirs.accept_challenges(ours.name, count))
        else:
            ours.accepts = lambda opponent: opponent == theirs.username
            answering = asyncio.create_task(theirs.send_challenges(ours.name, count))
        try:
            for number in range(count if is_challenger else 0):
                await ours.until(lambda: len(ours.battles) < self._limits.at_once)
                await ours.challenge(theirs.username)
                await ours.until(partial(has_begun, number))
            await ours.until(lambda: ours.started == count and not ours.battles)
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)

    async def _watch(self, ours: ServerPlayer) -> None:
        """Give up stalled battles; return when all are stalled."""
        while True:
            await asyncio.sleep(self._limits.stall_s / 20)
            now = time.monotonic()
            if now - ours.active_at > max(self._limits.stall_s, _SILENCE_S):
                return
            for battle in list(ours.battles.values()):
                if not battle.is_void and now - battle.active_at > self._limits.stall_s:
                    battle.is_void = True
                    await ours.forfeit(battle)
