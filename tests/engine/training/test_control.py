"""A person's control of a run on the practice game."""

import contextlib
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from engine.commands import Branch, KeepState, Restart, SetGoal, SetMode, SetWeight, TakeOver
from engine.config import EnvConfig, RunConfig
from engine.env.game_env import GameEnv
from engine.env.vector.world import ENV_FACTORY, VectorEnv
from engine.events import (
    CommandRefused,
    EpisodeEnded,
    GameObserved,
    ReasoningLogged,
    RunStopped,
    StatesKept,
    SteeringChanged,
)
from engine.games.catalog import load_game
from engine.planning.rules.goals import known_goals
from engine.sessions.train import EngineSession
from engine.training.state import write_state
from tests.engine.training.helpers import PPO, Clock, Run, events_of

pytestmark = pytest.mark.slow

SETTINGS = {
    "num_envs": 2,
    "workers": 1,
    "keep_states_interval": 25,
    "env": EnvConfig(max_steps=90, progress_steps=0),
}
PROFILE = load_game()


@contextlib.contextmanager
def made(folder: Path, **settings) -> Iterator[Run]:
    run = Run(
        folder,
        make_vector=lambda config: VectorEnv(ENV_FACTORY, config, config.num_envs, 1),
        save_dir=str(folder.parent),
        **SETTINGS | settings,
    )
    trainer = run.trainer
    trainer.state.milestone_texts.update(PROFILE.milestones)
    trainer.state.known_goals = known_goals(PROFILE)
    trainer.state.kept_states.write = partial(write_state, folder / "states", PROFILE.sha1)
    with run.vector:
        yield run


def test_the_rules_know_the_way_to_most_of_the_practice_game():
    assert {"entered_lab", "got_starter", "first_badge"} <= known_goals(PROFILE)


def test_a_branch_begins_where_the_state_was_kept(tmp_path):
    with made(tmp_path / "run", headless=False, mode="llm_only", clock=Clock(1.0)) as run:
        run.trainer.reporter.watch(0)
        run.obey(SetGoal("entered_lab"))
        run.steps(60)
        states = run.of(StatesKept)[-1].states
        assert {25, 50} <= {one.episode_steps for one in states}
        assert len(states) > 2  # milestones were reached, too
        chosen = states[-1]
        run.obey(Restart())
        assert run.of(GameObserved)[-1].state.place.name == "HOME 2F"
        run.obey(Branch(chosen.number))
        observed = run.of(GameObserved)[-1]
        assert observed.state.place.name == chosen.place
        assert "left_bedroom" in observed.milestones
        run.steps(100)
        counted = [one.summary for one in run.of(EpisodeEnded) if one.summary.env_index == 0]
        assert not any(summary.start for summary in counted)
        assert not run.refusals


def test_a_state_that_was_kept_begins_a_new_run(tmp_path):
    with made(tmp_path / "run", headless=False, clock=Clock(tick_s=0.05)) as run:
        run.trainer.reporter.watch(1)
        run.obey(SetMode("llm_only"))
        run.steps(40)
        run.obey(TakeOver(), KeepState(), KeepState())
        place = run.of(GameObserved)[-1].state.place
        texts = [event.text for event in run.of(ReasoningLogged) if "--state" in event.text]
        paths = [Path(re.search(r"--state (\S+)", text)[1]) for text in texts]
        assert len(set(paths)) == 2
        assert place.name.lower().replace(" ", "-") in paths[0].name
    env = GameEnv(observation_type="state", start_state=str(paths[0]))
    env.reset(seed=0)
    found = env.state.place
    assert (found.name, found.x, found.y) == (place.name, place.x, place.y)
    env.close()


@pytest.mark.parametrize(
    "change",
    [SetWeight("step", 0.5), SetGoal("entered_lab"), SetMode("rl_only"), SetMode("llm_only")],
    ids=repr,
)
def test_a_changed_run_is_resumed_bit_for_bit(tmp_path, change):
    with made(tmp_path / "whole") as whole:
        whole.steps(40)
        whole.obey(change)
        whole.steps(80)
        expected = whole.vector.save(), whole.trainer.state.batch.features.tobytes()
    with made(tmp_path / "parts") as first:
        first.steps(40)
        first.obey(change)
        first.trainer.save()
    with made(tmp_path / "parts") as second:
        second.resume()
        second.steps(80)
        assert (second.vector.save(), second.trainer.state.batch.features.tobytes()) == expected
    assert first.curve + second.curve == whole.curve != []


def test_a_session_goes_on_with_what_was_changed(tmp_path):
    def ended(steps: int, resume: str | None, *commands) -> tuple[EngineSession, list]:
        config = RunConfig(
            save_dir=str(tmp_path), total_steps=steps, headless=True, ppo=PPO, **SETTINGS
        )
        session = EngineSession(config, resume)
        for command in commands:
            session.send(command)
        return session, events_of(session)

    commands = SetWeight("step", 0.5), SetGoal("got_starter"), KeepState()
    first, events = ended(60, None, *commands)
    assert isinstance(events[-1], RunStopped), events[-1]
    assert not [event for event in events if isinstance(event, CommandRefused)]
    assert len(list(Path(first.run_dir, "states").glob("0001-home-2f.state"))) == 1
    _, events = ended(120, "latest")
    (steering,) = (event for event in events if isinstance(event, SteeringChanged))
    assert dict(steering.weights)["step"] == 0.5
    assert steering.goal == "got_starter"
    (kept,) = (event for event in events if isinstance(event, StatesKept))
    assert [one.place for one in kept.states] == ["HOME 2F"]
