"""Gradients that are no numbers, in each learner that shares the steps."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from engine.agents.dqn import DQN
from engine.agents.gradients import MAX_SKIPPED, SKIPPED, Adam, GradientSteps
from engine.errors import TrainingError
from engine.events import Event, PolicyUpdated, WarningRaised
from engine.runs.journal import Journal
from engine.training.reporter import RunLog
from tests.engine.agents.test_dqn import SMALL, play
from tests.engine.agents.test_ppo import filled_agent
from tests.engine.toy import SPACES


def steps() -> tuple[GradientSteps, nn.Linear]:
    network = nn.Linear(2, 1)
    return GradientSteps(Adam(network.parameters(), 1e-3), network, 1.0), network


def loss_of(network: nn.Linear, value: float) -> torch.Tensor:
    return network(torch.full((1, 2), value)).sum()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 3e38])
def test_a_gradient_that_is_no_finite_number_changes_nothing_and_is_counted(value):
    gradients, network = steps()
    before = network.weight.detach().clone()
    assert gradients.take(loss_of(network, value)) is None
    assert gradients.skipped == 1
    assert torch.equal(network.weight, before)
    assert gradients.take(loss_of(network, 1.0)) == pytest.approx(math.sqrt(3))
    assert gradients.skipped == 1
    assert not torch.equal(network.weight, before)
    assert network.weight.isfinite().all()


def test_a_loss_that_is_no_number_is_skipped_though_its_gradient_is_one():
    gradients, network = steps()
    assert gradients.take(loss_of(network, 1.0) + math.nan) is None


def test_so_many_skipped_steps_in_a_row_end_the_run_with_a_remedy():
    gradients, network = steps()
    for _ in range(MAX_SKIPPED - 1):
        gradients.take(loss_of(network, math.nan))
    gradients.take(loss_of(network, 1.0))
    for _ in range(MAX_SKIPPED - 1):
        gradients.take(loss_of(network, math.nan))
    with pytest.raises(TrainingError, match=r"no finite numbers.*Lower the learning rate"):
        gradients.take(loss_of(network, math.nan))


def test_ppo_leaves_out_what_is_no_number_and_keeps_the_count_when_resumed():
    agent, _, batch = filled_agent()
    agent.ppo.rollout.rewards[0, 0] = np.nan
    figures = agent.update(batch)
    assert figures[SKIPPED] > 0
    assert all(parameter.isfinite().all() for parameter in agent.ppo.network.parameters())
    facts, arrays = agent.ppo.save()
    other = filled_agent()[0].ppo
    other.load(facts, arrays)
    assert other.save()[0][SKIPPED] == figures[SKIPPED]
    del facts[SKIPPED]  # as a checkpoint of before
    other.load(facts, arrays)
    assert other.save()[0][SKIPPED] == 0


def test_dqn_leaves_out_what_is_no_number_and_still_draws_by_finite_priorities():
    agent = DQN(SMALL, 4, SPACES, seed=1)
    _, batch, _ = play(agent, 30)
    agent.replay.append(
        features=batch.features * np.nan,
        pixels=batch.pixels,
        mask=batch.mask,
        actions=np.zeros(4, np.int64),
        rewards=np.zeros(4, np.float32),
        terminated=np.ones(4, np.bool_),
        truncated=np.zeros(4, np.bool_),
    )
    for _ in range(5):
        figures = agent.update(batch)
    assert figures[SKIPPED] > 0
    assert np.isfinite(list(figures.values())).all()
    facts, arrays = agent.save()
    assert facts[SKIPPED] == figures[SKIPPED]
    assert all(np.isfinite(each).all() for name, each in arrays.items() if "network" in name)
    del facts[SKIPPED]  # as a checkpoint of before
    agent.load(facts, arrays)


def test_a_run_says_once_that_steps_were_skipped(tmp_path):
    seen: list[Event] = []
    log = RunLog(Journal(tmp_path / "journal.jsonl"), None, seen.append)
    for number, skipped in enumerate((0.0, 2.0, 5.0)):
        log.emit(PolicyUpdated(number, 10, {SKIPPED: skipped}))
    log.close()
    (said,) = (event.message for event in seen if isinstance(event, WarningRaised))
    assert "2 gradient steps whose gradient was no finite number" in said


@pytest.mark.parametrize("weight_decay", [0.0, 1e-2])
def test_adam_does_what_that_of_torch_does_bit_for_bit(weight_decay):
    own, other = (nn.Sequential(nn.Linear(9, 7), nn.ReLU(), nn.Linear(7, 2)) for _ in range(2))
    other.load_state_dict(own.state_dict())
    decayed = [each for each in other.parameters() if each.ndim > 1]
    rest = [each for each in other.parameters() if each.ndim < 2]
    groups = [
        {"params": decayed, "weight_decay": weight_decay},
        {"params": rest, "weight_decay": 0.0},
    ]
    theirs = torch.optim.AdamW(groups, lr=1e-2, eps=1e-5, fused=True)
    ours = Adam(own.parameters(), 1e-2, eps=1e-5, weight_decay=weight_decay)
    for _ in range(30):
        batch = torch.randn(16, 9)
        for network, optimizer in ((own, ours), (other, theirs)):
            network.zero_grad()
            network(batch).square().mean().backward()
            optimizer.step()
    for mine, its in zip(own.parameters(), other.parameters(), strict=True):
        assert torch.equal(mine, its)
        for name, value in theirs.state[its].items():
            assert torch.equal(ours.state[mine][name], value)


def test_learning_never_imports_the_compiler_of_torch():
    program = (
        "import sys, torch\n"
        "from engine.agents.gradients import Adam, GradientSteps\n"
        "network = torch.nn.Linear(2, 1)\n"
        "steps = GradientSteps(Adam(network.parameters(), 1e-3), network, 1.0)\n"
        "assert steps.take(network(torch.ones(1, 2)).sum()) is not None\n"
        "print([name for name in sys.modules if name.startswith('torch._dynamo')])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
