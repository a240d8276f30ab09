"""What a model is asked about states of the practice game, wherever a run begins."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.game_env import GameEnv
from engine.planning.models.single_plan import first_situation
from engine.planning.rules.advisor import RuleAdvisor
from engine.planning_types import PlanningQuery
from engine.types import BattleKind, GameState, GoalKind

STONEHOLLOW = "STONEHOLLOW"


def is_fight(state: GameState, kind: BattleKind) -> bool:
    battle = state.battle
    return battle is not None and battle.kind is kind and battle.own is not None


MOMENTS: dict[str, Callable[[GameState], bool]] = {
    "wild": lambda state: is_fight(state, BattleKind.WILD) and state.control.in_menu,
    "trainer": lambda state: is_fight(state, BattleKind.TRAINER) and state.control.in_menu,
    "town": lambda state: state.place.name == STONEHOLLOW and state.control.is_free,
}


@pytest.fixture(scope="module")
def states(tmp_path_factory) -> dict[str, Path]:
    """Saved states of a game that the rules play: each moment's first."""
    folder = tmp_path_factory.mktemp("states")
    game = GameEnv(observation_type="state", config=EnvConfig())
    rules = RuleAdvisor(game.game)
    saved: dict[str, Path] = {}
    seed, is_over = 0, True
    while set(saved) != set(MOMENTS):
        if is_over:  # a wild creature does not cross every way
            game.reset(seed=seed)
            rules.reset(game.state)
            seed += 1
        for name, is_now in MOMENTS.items():
            if name not in saved and is_now(game.state):
                saved[name] = folder / f"{name}.state"
                saved[name].write_bytes(game.emulator.save_state())
        mask = game.action_mask()
        advice = rules.advise(game.state, mask)
        is_over = any(game.advance(int(np.where(mask, advice.prior, -1.0).argmax()))[1:])
    game.close()
    return saved


def asked(state: Path, tmp_path: Path) -> tuple[PlanningQuery, dict[str, str]]:
    query = first_situation(RunConfig(start_state=str(state), save_dir=str(tmp_path)))
    return query, {part.name: part.text for part in query.sections}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("wild", {GoalKind.FIGHT, GoalKind.CATCH, GoalKind.RUN}),
        ("trainer", {GoalKind.FIGHT}),
    ],
)
def test_a_battle_that_a_run_begins_in_is_asked_about(states, tmp_path, name, wanted):
    query, text = asked(states[name], tmp_path)
    assert {option.kind for option in query.options} == wanted
    assert "battle" in text


def test_single_plan_in_town_does_not_lead_home(states, tmp_path):
    _, text = asked(states["town"], tmp_path)
    assert text["goals"] == "6 of 38 milestones are passed. Next milestone: Enter the gym"
