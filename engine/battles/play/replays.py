"""Show battles that were played, from their input logs or from protocol lines alone."""

import json
from collections.abc import Sequence
from pathlib import Path

from engine.battles.learn.demonstrations import Battle
from engine.battles.play.spectating import LOOK_S, top_choices, with_names
from engine.battles.policy import Policy
from engine.battles.sim.records import Transcript
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import Simulator
from engine.commands import Watch
from engine.errors import BattleError, DemoError
from engine.events import BattleDecision, BattleShown, RunStopped, WarningRaised
from engine.ground.files import parse_json, read_text
from engine.sessions.threaded import ThreadedSession

_MAX_LOG = 1 << 24
_LOG_HINT = "Use a battle's log as text, a replay's .json, or a file of battles (.battles.gz)."


class ReplaySession(ThreadedSession):
    """Battles that were played, one at a time; Watch shows another one.

    Args:
        battles: At least one.
        node: Runs the simulator.
        adviser: Policy whose view of the watched side's decisions is shown; None: none.
        side: 0 or 1, whose decisions are shown.
    """

    def __init__(
        self,
        battles: Sequence[Battle],
        node: NodeCommand,
        *,
        adviser: Policy | None = None,
        side: int = 0,
    ) -> None:
        super().__init__("replay")
        self._battles = tuple(battles)
        self._node = node
        self._adviser = adviser
        self._side = side

    def _work(self) -> RunStopped:
        with Simulator((), self._node) as simulator:
            self._show(simulator, 0)
            while self._commands.stop is None:
                for command in self._commands.drain(LOOK_S):
                    if isinstance(command, Watch):
                        self._try(simulator, command.env_index % len(self._battles))
        return RunStopped(self._commands.stop.reason or "", 0, "")

    def _try(self, simulator: Simulator, number: int) -> None:
        """Show another battle, or stay with the current one if it cannot be replayed."""
        try:
            self._show(simulator, number)
        except BattleError as error:
            self.mailbox.post(WarningRaised(f"Battle {number + 1}: {error.message}"))

    def _show(self, simulator: Simulator, number: int) -> None:
        battle = self._battles[number]
        transcript = simulator.transcript(battle.input_log)
        decisions = analyze_decisions(
            simulator, battle.input_log, transcript, self._side, self._adviser
        )
        self.mailbox.post(
            BattleShown(
                str(number),
                self._side,
                with_names(transcript.lines, battle.players),
                transcript.types,
                decisions,
                number,
                len(self._battles),
            )
        )


def analyze_decisions(
    simulator: Simulator,
    input_log: Sequence[str],
    transcript: Transcript,
    side: int,
    adviser: Policy | None,
) -> tuple[BattleDecision, ...]:
    """Return a side's decisions in a battle that was played, with a policy's view of them."""
    found = simulator.decisions(input_log)
    decisions = []
    for row, asked in enumerate(transcript.asked):
        if asked.side != side:
            continue
        options: tuple[tuple[int, float], ...] = ()
        value = float("nan")
        if adviser is not None:
            options, value = top_choices(
                adviser,
                found.observations[row],
                found.legal[row],
                is_preview=bool(found.is_preview[row]),
            )
        decisions.append(
            BattleDecision(
                asked.place,
                json.dumps(asked.request),
                options,
                value,
                int(found.results[row]),
            )
        )
    return tuple(decisions)


class LinesSession(ThreadedSession):
    """A battle of which only the protocol lines are known."""

    def __init__(self, lines: Sequence[str], side: int = 0) -> None:
        super().__init__("replay")
        self._shown = BattleShown("lines", side, tuple(lines))

    def _work(self) -> RunStopped:
        self.mailbox.post(self._shown)
        while self._commands.stop is None:
            for _ in self._commands.drain(LOOK_S):
                pass
        return RunStopped(self._commands.stop.reason or "", 0, "")


def read_protocol(path: Path) -> tuple[str, ...]:
    """Return the protocol lines of a log as text, or in a replay's or a server's JSON.

    Raises:
        DemoError: It has none.
    """
    try:
        text = read_text(path, _MAX_LOG)
        if path.suffix == ".json":
            found = parse_json(text)["log"]
            text = found if isinstance(found, str) else "\n".join(map(str, found))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DemoError(f"{path} cannot be read: {error}.", _LOG_HINT) from None
    lines = tuple(line for line in text.splitlines() if line and not line.startswith("|t:|"))
    if not any(line.startswith("|switch|") for line in lines):
        raise DemoError(f"There is no battle in {path}.", _LOG_HINT)
    return lines
