"""What a person plays in the agent's place is learnt from: at once, and by cloning later."""

from pathlib import Path

import numpy as np
import pytest

from engine.agents.dqn import DQN
from engine.commands import GiveBack, StartRecording, StopRecording, TakeOver
from engine.config import DQNConfig, ImitationConfig, RunConfig
from engine.demos.demonstration import read_demo
from engine.env.observation.space import spaces_of_game
from engine.errors import DemoError
from engine.events import PolicyUpdated, ReasoningLogged, RecordingEnded, WarningRaised
from engine.games.catalog import load_game
from engine.imitation.aggregation import aggregate
from engine.imitation.demonstrations import read_examples
from engine.imitation.from_demonstrations import Source, clone_policy
from engine.runs.cloning_settings import CloningConfig
from engine.types import Action
from tests.engine.training.helpers import Run
from tests.engine.training.test_demo_recording import playing, press

pytestmark = pytest.mark.slow

SPACES = spaces_of_game(load_game(""))

SMALL = DQNConfig(capacity=400, warmup_steps=16, batch_size=16, hidden_size=32)
SHOWN = 4


def walk(run: Run) -> list[int]:
    """Take over for some steps that are possible, and give back; return what was pressed."""
    run.obey(TakeOver())
    pressed = []
    for number in range(SHOWN):
        ways = (Action.LEFT, Action.RIGHT, Action.UP, Action.DOWN, Action.B)
        mask = run.trainer.state.batch.mask[1]
        pressed.append(next(way for way in ways[number % 2 :] if mask[way]))
        press(run, pressed[-1])
    run.obey(GiveBack())
    return pressed


def shown_by_a_person(folder: Path) -> tuple[Path, list[int]]:
    """Let a policy play, take over amidst it; return what is saved, and what was pressed."""
    with playing(folder) as run:
        run.obey(StartRecording())
        run.steps(6)
        pressed = walk(run)
        run.steps(6)
        run.obey(StopRecording())
        return Path(run.of(RecordingEnded)[-1].path), pressed


def learner(path: Path, config: RunConfig) -> DQN:
    """Return an agent that learns from a demonstration."""
    agent = DQN(SMALL, 2, SPACES, 0, imitation=ImitationConfig(offline_gradients=4))
    seen = CloningConfig(network="dqn", inputs="features")
    agent.add_demonstrations(read_examples(path, seen, config).transitions())
    return agent


def said(run: Run) -> list[str]:
    return [event.text for event in run.of(ReasoningLogged) if event.source == "human"]


def test_mixed_demonstration_shows_only_the_human_steps(tmp_path):
    path, pressed = shown_by_a_person(tmp_path)
    demo = read_demo(path)
    assert len(demo.actions) == 16
    config = RunConfig(save_dir=str(tmp_path))
    examples = read_examples(path, CloningConfig(inputs="features"), config)
    assert examples.actions.tolist() == pressed
    assert examples.transitions().is_cut.tolist() == [False, False, False, True]


def test_a_set_is_found_by_its_name(tmp_path):
    with playing(tmp_path) as run:
        pressed = walk(run)
    config = RunConfig(save_dir=str(tmp_path))
    seen = CloningConfig(inputs="features")
    examples = read_examples(Path("interventions"), seen, config)
    assert examples.actions.tolist() == pressed
    with pytest.raises(DemoError, match="no demonstration"):
        read_examples(Path("nothing"), seen, config)


def test_interventions_join_the_demonstrations_of_an_agent_that_learns_from_some(tmp_path):
    path, _ = shown_by_a_person(tmp_path)
    settings = {"agent": learner(path, RunConfig(save_dir=str(tmp_path)))}
    with playing(tmp_path / "dqn", dqn=SMALL, **settings) as run:
        demos = run.trainer.learning.agent._demos
        former = demos.replay.count
        run.steps(40)
        walk(run)
        assert demos.replay.count == former + SHOWN - 1, "the last step led to none known"
        count = demos.replay.count
        assert said(run)[-1] == (f"your 4 steps were added to the demonstrations: {count} now")
        run.steps(40)
        assert np.isfinite(run.of(PolicyUpdated)[-1].figures["cloning_loss"])
        run.trainer.save()
        facts, arrays = run.trainer.learning.agent.save()
        other = DQN(SMALL, 2, SPACES, 0, imitation=ImitationConfig())
        other.load(facts, arrays)
        assert other._demos.replay.count == count
        for name, array in other.save()[1].items():
            assert np.asarray(array).tobytes() == np.asarray(arrays[name]).tobytes(), name
    assert run.of(WarningRaised) == []


def test_an_agent_that_learns_from_no_demonstrations_goes_on_as_before(tmp_path):
    agent = DQN(SMALL, 2, SPACES, 0)
    with playing(tmp_path, dqn=SMALL, agent=agent) as run:
        walk(run)
        walk(run)
        assert not agent.has_demonstrations
    hints = [text for text in said(run) if "poketui bc interventions" in text]
    assert len(hints) == 1, "said once"
    assert not any("were added" in text for text in said(run))


def test_a_policy_is_cloned_from_interventions_and_by_dagger(tmp_path):
    with playing(tmp_path) as run:
        for _ in range(3):
            walk(run)
            run.steps(5)
    given = {"hidden_size": 32, "eval_episodes": 0, "epochs": 2, "batch_size": 4}
    source = Source("interventions")
    cloned = clone_policy(str(tmp_path), given, source)
    assert len(cloned.epochs) == 2
    rounds = {"rounds": 1, "episodes": 1, "envs": 1, "epochs": 1}
    made = aggregate(str(tmp_path), given, rounds, source)
    assert made.epochs[0].total > made.epochs[0].labelled


def test_the_proposals_are_what_the_agent_would_have_done(tmp_path):
    config = SMALL.model_copy(update={"epsilon_end": 0.0})
    agent = DQN(config, 2, SPACES, 0)
    best = []
    with playing(tmp_path, dqn=config, agent=agent, mode="rl_only") as run:
        run.steps(20)
        run.obey(TakeOver())
        for action in (Action.LEFT, Action.UP, Action.RIGHT, Action.DOWN, Action.A):
            batch = run.trainer.state.batch
            values = np.where(batch.mask, agent.evaluate(batch).numpy(), -np.inf)
            best.append(int(values[1].argmax()))
            press(run, action)
        run.obey(GiveBack())
        demo = read_demo(Path(run.of(RecordingEnded)[-1].path))
    assert demo.proposals[demo.begins_at :].tolist() == best
