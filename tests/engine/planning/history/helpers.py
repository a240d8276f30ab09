"""Build what decisions are made on."""

from pathlib import Path

from engine.planning.history.analysis import GameStateAnalysis
from engine.planning.history.decisions import DecisionHistoryAnalyzer
from engine.types import BattleKind
from tests.engine.states import make_battle, make_creature, make_state

WALKING = {"situation": "walking", "map": "HOME"}


def walking(**changes) -> GameStateAnalysis:
    return GameStateAnalysis.of(make_state(**changes))


def fighting(hp: int = 20, level: int = 5, kind: BattleKind = BattleKind.WILD, enemy_hp: int = 20):
    """A battle against a creature of level 3."""
    own = make_creature(hp=hp, level=level)
    enemy = make_creature(level=3, hp=enemy_hp)
    battle = make_battle(kind=kind, own=own, enemy=enemy, trainer_class=int(kind != "wild"))
    return GameStateAnalysis.of(make_state(party=(own,), battle=battle))


def record(
    history: DecisionHistoryAnalyzer, *rewards: float, action: int = 4, analysis=None
) -> None:
    """Record a decision a reward."""
    for reward in rewards:
        history.record_decision(analysis or walking(), action, "because", 0.5, reward)


def size_of(path: Path) -> int:
    """Return the bytes of a database with what belongs to it."""
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))
