"""What a model is asked about states of the practice game, wherever a run begins."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.config import EnvConfig, RunConfig
from engine.env.crystal_env import EnhancedPyBoyPokemonCrystalEnv
from engine.plans import Situation
from engine.strategy.advisor import RuleAdvisor
from engine.training.single_plan import first_situation
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
    game = EnhancedPyBoyPokemonCrystalEnv(observation_type="state", config=EnvConfig())
    game.reset(seed=0)
    rules = RuleAdvisor(game.profile)
    rules.reset(game.state)
    saved: dict[str, Path] = {}
    while set(saved) != set(MOMENTS):
        for name, is_now in MOMENTS.items():
            if name not in saved and is_now(game.state):
                saved[name] = folder / f"{name}.state"
                saved[name].write_bytes(game.emulator.save_state())
        mask = game.action_mask()
        advice = rules.advise(game.state, mask)
        assert not game.advance(int(np.where(mask, advice.prior, -1.0).argmax()))[1]
    game.close()
    return saved


def asked(state: Path, tmp_path: Path) -> tuple[Situation, dict[str, str]]:
    situation = first_situation(RunConfig(start_state=str(state), save_dir=str(tmp_path)))
    return situation, {part.name: part.text for part in situation.sections}


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("wild", {GoalKind.FIGHT, GoalKind.CATCH, GoalKind.RUN}),
        ("trainer", {GoalKind.FIGHT}),
    ],
)
def test_a_battle_that_a_run_begins_in_is_asked_about(states, tmp_path, name, wanted):
    situation, text = asked(states[name], tmp_path)
    assert {choice.kind for choice in situation.choices} == wanted
    assert "battle" in text


def test_who_begins_in_town_is_not_sent_home(states, tmp_path):
    _, text = asked(states["town"], tmp_path)
    assert text["goals"] == "6 of 10 milestones are passed. Next milestone: Enter the gym"
