"""Games that wait for a language model's goals, over the real protocol; DAgger from them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.config import EnvConfig, PlannerConfig, RunConfig
from engine.imitation.aggregation import aggregate
from engine.imitation.blocking_planner import make_asked_games
from engine.imitation.cloning import Note
from engine.imitation.from_demonstrations import Source
from engine.imitation.games import rules_expert
from engine.planning.models.exchanges import scan
from engine.runs.policy_folders import PolicyFolder
from tests.engine.planning.models.fake_backends import until_no_thread_is_left
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner

MODEL = "scripted:latest"
FEW = EnvConfig(max_steps=300, progress_steps=0)


def played(
    folder: Path, said: list[str], url: str = "", model: str = MODEL, steps: int = 160
) -> tuple[set[int], set[str]]:
    """Follow the planner in two games; return who set goals, and where they were."""
    config = RunConfig(
        save_dir=str(folder), llm_model=model, llm_base_url=url, env=FEW, num_envs=2, workers=1,
        planner=PlannerConfig(calls_per_minute=6000),
    )  # fmt: skip
    games = make_asked_games(config, 2, None, folder / "exchanges.jsonl", said.append)
    goal_sources: set[int] = set()
    places: set[str] = set()
    try:
        batch = games.reset([0, 1])
        expert, rng = rules_expert(0), np.random.default_rng(0)
        for _ in range(steps):
            labels = expert(batch)
            chance = [rng.choice(np.flatnonzero(mask)) for mask in batch.mask]
            batch = games.step(np.where(labels >= 0, labels, chance))
            goal_sources |= {env.goal_source for env in games.envs}
            places |= {env.place for env in games.envs}
    finally:
        games.close()
    return goal_sources, places


@pytest.mark.slow
@pytest.mark.parametrize(("character", "leaves"), [("oracle", True), ("liar", False)])
def test_a_models_goals_lead_where_it_wants_to_go(tmp_path, character, leaves):
    """Who knows the game leads out of the house; who lies keeps the player about it."""
    said: list[str] = []
    with OllamaServer(ScriptedPlanner(character), models=(MODEL,)) as server:
        goal_sources, places = played(tmp_path, said, server.url)
    assert said == []
    assert 1 in goal_sources
    assert ("MILLBROOK PATH" in places) is leaves
    exchanges = list(scan(tmp_path / "exchanges.jsonl").exchanges)
    assert len(exchanges) > 3
    until_no_thread_is_left()


def test_where_no_model_answers_the_rules_lead_and_that_is_said_once(tmp_path, closed_port):
    said: list[str] = []
    goal_sources, places = played(tmp_path, said, closed_port, steps=60)
    assert goal_sources == {0}
    assert len(places) > 1
    (complaint,) = said
    assert complaint.startswith("No language model answers. The rules set the goals until one")
    until_no_thread_is_left()


def test_without_a_model_the_planner_is_the_rules(tmp_path):
    said: list[str] = []
    goal_sources, _ = played(tmp_path, said, model="", steps=20)
    assert goal_sources == {0}
    assert said == ["No language model is set (--llm-model): the rules set the planner's goals."]


@pytest.mark.slow
def test_dagger_learns_from_the_planner_and_is_resumed_with_it(tmp_path):
    given = {"hidden_size": 16, "eval_episodes": 0, "learning_rate": 1e-3, "epochs": 2}
    ways: dict[str, Any] = {"envs": 1, "episodes": 1, "beta_start": 1.0}
    told: list[object] = []
    with OllamaServer(ScriptedPlanner("oracle"), models=(MODEL,)) as server:
        game = {"llm_model": MODEL, "llm_base_url": server.url}
        save_dir = str(tmp_path)
        first = aggregate(
            save_dir, given, {**ways, "rounds": 1}, Source(), expert="planner", game=game,
            report=told.append,
        )  # fmt: skip
        asked = len(list(scan(first.folder / "exchanges.jsonl").exchanges))
        second = aggregate(save_dir, {}, {"rounds": 2}, Source(), resume="latest")
    assert not [note for note in told if isinstance(note, Note)]
    assert asked > 5
    assert [found.number for found in second.epochs] == [2]
    assert second.folder == first.folder
    settings = PolicyFolder(first.folder).settings()
    assert settings["dagger"]["epochs"] == first.epochs[0].epoch.number == 2
    assert (settings["expert"], settings["game"]["llm_model"]) == ("planner", MODEL)
    assert len(list(scan(first.folder / "exchanges.jsonl").exchanges)) > asked
