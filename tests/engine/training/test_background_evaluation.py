"""The policy alone is evaluated beside the training, which is as it would be without."""

import dataclasses
import json
import os
import signal
import socket
import tempfile
import threading

import numpy as np
import pytest

from engine.agents.base import spaces_of
from engine.config import EnvConfig, PPOConfig, RunConfig
from engine.demos.recorded_env import make_env
from engine.env.array_world import ArrayWorld
from engine.env.host import LocalHost
from engine.env.worker import CALL, DONE, Channel
from engine.events import EvaluationEnded, WarningRaised
from engine.games.catalog import load_game
from engine.training.background_evaluation import BackgroundEvaluation
from engine.training.build import build_agent
from engine.training.evaluation import evaluate, evaluation_config
from engine.training.evaluator import serve
from engine.types import Evaluation
from tests.engine.processes import is_gone, wait_until
from tests.engine.training.helpers import Run

pytestmark = pytest.mark.slow

FOUND = Evaluation(10, 1.5, 0.5, 20.0, 0.0, 0.3, {"goal": 0.3})


class Answered(BackgroundEvaluation):
    """Its evaluations are complete at once, without a process."""

    def _start(self):
        ours, theirs = socket.socketpair()
        answer = json.dumps(dataclasses.asdict(FOUND)).encode()

        def serve_all() -> None:
            channel = Channel(theirs)
            try:
                while True:
                    channel.receive()
                    channel.send(DONE, answer)
            except (EOFError, OSError):
                theirs.close()

        threading.Thread(target=serve_all, daemon=True).start()
        return ours


def train(folder, background=None) -> Run:
    run = Run(folder, total_steps=640)
    if background is not None:
        run.trainer.background = background(run.config, run.trainer.log.emit)
    run.play()
    run.trainer.close()
    return run


def journal(folder, *, with_evaluations: bool) -> list[str]:
    lines = (folder / "journal.jsonl").read_text().splitlines()
    return [line for line in lines if with_evaluations or '"EvaluationEnded"' not in line]


def test_background_evaluation_leaves_the_training_as_it_would_be_without(tmp_path):
    train(tmp_path / "plain")
    run = train(tmp_path / "evaluated", Answered)
    evaluations = [event for event in run.events if isinstance(event, EvaluationEnded)]
    assert evaluations
    assert all(event.evaluation == FOUND for event in evaluations)
    plain = journal(tmp_path / "plain", with_evaluations=True)
    assert journal(tmp_path / "evaluated", with_evaluations=False) == plain
    assert len(journal(tmp_path / "evaluated", with_evaluations=True)) > len(plain)


def test_a_killed_evaluator_is_one_warning_and_training_continues(tmp_path):
    run = Run(tmp_path / "run", total_steps=640)
    background = BackgroundEvaluation(run.config, run.trainer.log.emit)
    background.offer(run.trainer.learning.agent, 0, 0)
    pid = background.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: background.poll() or bool(run.events))
    run.trainer.background = background
    run.play()
    run.trainer.close()
    warnings = [event for event in run.events if isinstance(event, WarningRaised)]
    assert len(warnings) == 1
    assert "no longer evaluated in the background" in warnings[0].message
    assert run.trainer.state.metrics.total_steps == 640


def test_closing_the_trainer_ends_the_evaluator(tmp_path):
    run = Run(tmp_path / "run", total_steps=640)
    background = BackgroundEvaluation(run.config, run.trainer.log.emit)
    background.offer(run.trainer.learning.agent, 0, 0)
    run.trainer.background = background
    run.trainer.close()
    assert background.pid is not None
    assert is_gone(background.pid)


@pytest.mark.parametrize(
    "settings",
    [
        {"agent": "ppo"},
        {"agent": "dqn"},
        {"agent": "ppo", "ppo": PPOConfig(recurrent=True, hidden_size=16)},
        {"agent": "ppo", "encoder": "both", "ppo": PPOConfig(hidden_size=16)},
    ],
    ids=["ppo", "dqn", "recurrent", "pixels"],
)
def test_evaluator_finds_what_an_evaluation_in_the_run_finds(settings):
    config = RunConfig(background_episodes=2, env=EnvConfig(max_steps=16), **settings)
    few = evaluation_config(config, 2)
    vector = ArrayWorld(LocalHost([make_env(few, index) for index in range(2)]), 2)
    agent = build_agent(config, spaces_of(vector.reset([0, 1])))
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as weights, theirs:
        np.savez(weights, **agent.save_policy())
        thread = threading.Thread(target=serve, args=(theirs, weights))
        thread.start()
        with ours:
            Channel(ours).send(CALL, config.model_dump_json().encode())
            Channel(ours).send(CALL)
            kind, payload = Channel(ours).receive()
        thread.join()
    assert kind == DONE
    found = Evaluation(**json.loads(payload))
    keys = dict(load_game().milestones)
    assert found == evaluate(agent.player, vector, config, 2, milestones=keys)
    assert found.milestones.keys() == keys.keys()
    assert (found.avg_q_value is not None) is (config.agent == "dqn")
