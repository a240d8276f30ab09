"""A history of decisions as the engine writes it."""

from pathlib import Path

from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.planning.history.schema import DecisionRecord
from engine.types import Action, Source
from tests.pokeTUI.fake_session import make_battle, make_game

_SOURCES = (Source.POLICY, Source.PLANNER, Source.POLICY, Source.RULES)


def write_history(path: Path, count: int, run: str = "mossy-otter-7") -> None:
    """Write `count` decisions of 100 steps an episode; every third went well."""
    with DecisionHistoryAnalyzer(path, run=run) as history:
        for number in range(count):
            add_decision(history, number, run)
        assert history.flush()


def add_decision(history: DecisionHistoryAnalyzer, number: int, run: str = "mossy-otter-7") -> None:
    """Record decision `number`, from 0 on."""
    game = make_game(
        name=("MILLBROOK PATH", "FERNWICK", "STONEHOLLOW")[number % 3],
        battle=make_battle() if number % 5 == 0 else None,
    )
    record = DecisionRecord.of(
        GameStateAnalysis.of(game),
        int(list(Action)[4 + number % 4]),
        f"reason {number}: the way to the goal leads along here",
        0.5 + number % 50 / 100,
        timestamp=1_700_000_000.0 + number,
        episode_id=f"{run}/{1 + number // 100}",
        step_number=1 + number % 100,
        goal_kind="reach",
        source=_SOURCES[number % len(_SOURCES)],
    )
    history.add(record, 0.02 if number % 3 == 0 else -0.01)
