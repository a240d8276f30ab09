"""The documented names of imitation, from the one place that offers them."""

import dataclasses
import inspect
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from engine import PokemonEnv
from engine.api import bc_pokemon
from engine.api.bc_pokemon import (
    Args,
    ImpalaCNN,
    ReplayBuffer,
    ResidualBlock,
    compute_bc_loss,
    compute_hybrid_loss,
    evaluate,
    load_expert_data,
    train,
)
from engine.config import EnvConfig, RunConfig
from engine.demos.demonstration import Demonstration
from engine.demos.npz import to_npz
from engine.demos.recorder import record_policy, rules_policy
from engine.env.observation.pixels import shrink_screen
from engine.errors import ConfigurationError, DecisionValidationError, DemoError
from engine.imitation.bc import Epoch
from engine.imitation.cloning import Progress
from engine.imitation.networks import build_network
from engine.imitation.policies import read_policy
from engine.runs.cloning_settings import CloningConfig, check, in_epochs
from engine.runs.metrics import evaluation_metrics
from engine.runs.policy_folders import PolicyFolder
from engine.types import (
    GAME_BOY_ADVANCE_FRAME_SHAPE,
    GAME_BOY_FRAME_SHAPE,
    Action,
    Evaluation,
    Spaces,
)
from tests.engine.games.emerald.practice import needs_core
from tests.engine.training.helpers import FakeWandb


@pytest.fixture(scope="module")
def expert(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Demonstration]]:
    """A demonstration as it is, and another one as the documented NPZ."""
    saves, folder = tmp_path_factory.mktemp("saves"), tmp_path_factory.mktemp("expert_data")
    config = RunConfig(save_dir=str(saves))
    made = list(record_policy(rules_policy(0), config, 2, folder, by="rules", max_steps=20))
    path, demo = made[1]
    to_npz(demo, folder / "episode_0001.npz", config)
    path.unlink()
    return folder, [demo for _, demo in made]


def test_all_documented_names_are_offered_with_their_parameters() -> None:
    wanted = {
        "ImpalaCNN": ["action_dim", "hidden_dim"],
        "ReplayBuffer": ["capacity", "shape", "seed"],
        "load_expert_data": ["expert_data_dir", "config"],
        "compute_bc_loss": ["policy_net", "batch"],
        "compute_hybrid_loss": ["q_net", "target_net", "batch", "bc_weight"],
        "evaluate": ["env", "policy_net", "n_episodes", "device"],
    }
    for name, parameters in wanted.items():
        assert list(inspect.signature(getattr(bc_pokemon, name)).parameters) == parameters
    assert set(wanted) <= set(bc_pokemon.__all__)
    assert inspect.signature(compute_hybrid_loss).parameters["bc_weight"].default == 1.0


def test_settings_have_the_documented_keys_and_defaults() -> None:
    assert dataclasses.asdict(Args()) == {
        "exp_name": "bc_pokemon", "seed": 1, "torch_deterministic": True, "cuda": True,
        "track": False, "wandb_project_name": "pokemon-il",
        "rom_path": "",  # the document's is of another console
        "expert_data_dir": "rl_training/expert_data", "total_training_steps": 100_000,
        "batch_size": 64, "learning_rate": 1e-4, "weight_decay": 1e-5, "hidden_dim": 256,
        "eval_frequency": 5_000, "eval_episodes": 5, "save_frequency": 10_000,
        "model_dir": "rl_training/models", "save_best": True,
    }  # fmt: skip


def test_settings_count_in_batches_what_cloning_counts_in_epochs() -> None:
    given = Args(total_training_steps=1_000, eval_frequency=90, cuda=False).settings()
    config = check(CloningConfig, in_epochs(given, batches=20))
    assert (config.epochs, config.eval_every, config.save_every) == (50, 5, 500)
    assert (config.network, config.inputs, config.device) == ("impala", "screen", "cpu")
    assert (config.learning_rate, config.weight_decay, config.patience) == (1e-4, 1e-5, 0)
    assert (config.deterministic, config.save_best) == (True, True)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"total_training_steps": 0}, "total_training_steps = 0"),
        ({"save_frequency": -3}, "save_frequency = -3"),
        ({"learning_rate": 0.0}, "learning_rate = 0.0"),
        ({"track": True, "wandb_project_name": " "}, "wandb_project_name is empty"),
        ({"exp_name": "../up"}, "exp_name = '../up' is not valid in a folder name"),
        ({"hidden_dim": 0}, "hidden_size = 0"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(
    changes: dict[str, object], named: str, expert: tuple[Path, object], tmp_path: Path
) -> None:
    args = dataclasses.replace(
        Args(expert_data_dir=str(expert[0]), model_dir=str(tmp_path)),
        **changes,  # type: ignore[arg-type]
    )
    with pytest.raises(ConfigurationError, match=named) as caught:
        train(args)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "policies").exists()


def test_the_network_is_the_one_that_is_cloned_into() -> None:
    """Weights of either fit the other, and pictures are seen alike."""
    config = CloningConfig(network="impala", inputs="screen", hidden_size=16)
    clone = build_network(config, Spaces(3, len(Action)))
    network = ImpalaCNN(hidden_dim=16)
    network.load_state_dict(clone.state_dict())
    rng = np.random.default_rng(0)
    frames = rng.integers(0, 256, (2, *GAME_BOY_FRAME_SHAPE), dtype=np.uint8)
    small = np.stack([shrink_screen(frame) for frame in frames])
    nothing, allowed = torch.zeros(2, 3), torch.ones(2, len(Action), dtype=torch.bool)
    with torch.inference_mode():
        wanted = clone(nothing, torch.from_numpy(small), allowed)
        for pictures in (
            torch.from_numpy(frames),
            torch.from_numpy(frames).float(),
            torch.from_numpy(small.transpose(0, 2, 3, 1).copy()),
        ):
            assert torch.allclose(network(pictures), wanted, atol=1e-5)
    assert sum(isinstance(part, ResidualBlock) for part in network.modules()) == 6


def test_the_network_takes_other_actions_and_other_screens() -> None:
    network = ImpalaCNN(action_dim=10, hidden_dim=8)
    assert network(torch.zeros(3, 160, 240, 3, dtype=torch.uint8)).shape == (3, 10)


def test_a_full_buffer_drops_the_oldest_step() -> None:
    buffer = ReplayBuffer(3, shape=(1, 1, 3))
    for step in range(5):
        picture = np.full((1, 1, 3), step, np.uint8)
        buffer.add(picture, step, step / 2, picture + 1, step == 4)
    assert (len(buffer), buffer.size, buffer.ptr) == (3, 3, 2)
    batch = buffer.sample(200)
    assert set(batch["actions"].tolist()) == {2, 3, 4}
    assert (batch["observations"][:, 0, 0, 0] == batch["actions"]).all()
    assert (batch["next_observations"][:, 0, 0, 0] == batch["actions"] + 1).all()
    assert (batch["rewards"] == batch["actions"] / 2).all()
    assert (batch["dones"] == (batch["actions"] == 4)).all()


def test_a_buffer_keeps_a_game_boys_frames_unless_it_is_told_otherwise() -> None:
    assert ReplayBuffer(3).observations.shape == (3, 144, 160, 3)
    documented = ReplayBuffer(3, shape=(160, 240, 3))
    assert documented.next_observations.shape == (3, 160, 240, 3)
    frame = np.zeros((160, 240, 3), np.uint8)
    documented.add(frame, 9, 0.0, frame, False)
    with pytest.raises(DemoError, match="A frame is 160 x 240 x 3"):
        ReplayBuffer(3).add(frame, 0, 0.0, frame, False)


def test_expert_data_are_all_steps_of_both_kinds_of_file(
    expert: tuple[Path, list[Demonstration]],
) -> None:
    folder, demos = expert
    buffer = load_expert_data(folder)
    pressed = [action for demo in demos for action in demo.actions.tolist()]
    assert buffer.actions.tolist() == pressed
    assert buffer.observations.shape == (len(buffer), 84, 84, 3)
    assert np.flatnonzero(buffer.dones).tolist() == [19, 39]
    assert (buffer.next_observations[:19] == buffer.observations[1:20]).all()
    assert buffer.rewards.sum() == pytest.approx(sum(demo.rewards.sum() for demo in demos))


def test_foreign_expert_data_are_read_and_damaged_ones_refused(tmp_path: Path) -> None:
    with pytest.raises(DemoError, match="There are no demonstrations in"):
        load_expert_data(tmp_path)
    steps = {
        "observations": np.zeros((3, *GAME_BOY_FRAME_SHAPE), np.uint8),
        "actions": np.array([0, 1, 2]),
        "rewards": np.array([0.0, 0.5, 1.0]),  # as lists of Python are saved
        "dones": np.array([False, False, True]),
    }
    np.savez_compressed(tmp_path / "episode_0000.npz", **steps)
    buffer = load_expert_data(str(tmp_path))
    assert (buffer.actions.tolist(), buffer.rewards.tolist()) == ([0, 1, 2], [0, 0.5, 1])
    wrong = [
        {"actions": np.array([0, 1])},
        {"actions": np.array([0, 1, 99])},
        {"observations": np.zeros((3, 96, 120, 3), np.uint8)},
        {"rewards": np.zeros(2, np.float32)},
        {"dones": np.array([None, None, None])},
    ]
    for changes in wrong:
        np.savez_compressed(tmp_path / "episode_0000.npz", **(steps | changes))
        with pytest.raises(DemoError) as caught:
            load_expert_data(tmp_path)
        assert "\n" not in str(caught.value)


@needs_core
def test_documented_frames_and_buttons_are_read_as_the_advance_games(tmp_path: Path) -> None:
    steps = {
        "observations": np.full((3, *GAME_BOY_ADVANCE_FRAME_SHAPE), 7, np.uint8),
        "actions": np.array([0, 8, 9], np.int32),
        "rewards": np.zeros(3, np.float32),
        "dones": np.array([False, False, True]),
    }
    np.savez_compressed(tmp_path / "episode_0001.npz", **steps)
    buffer = load_expert_data(tmp_path)
    assert buffer.actions.tolist() == [0, 8, 9]
    assert buffer.observations.shape == (3, 84, 84, 3)
    whole = ReplayBuffer(2, shape=GAME_BOY_ADVANCE_FRAME_SHAPE)
    frame = steps["observations"][0]
    whole.add(frame, 9, 0.5, frame, False)
    assert whole.sample(4)["observations"].shape == (4, *GAME_BOY_ADVANCE_FRAME_SHAPE)


class Table(nn.Module):
    """Returns rows of a table, by the first colour of the first pixel."""

    def __init__(self, rows: list[list[float]]) -> None:
        super().__init__()
        self.rows = nn.Parameter(torch.tensor(rows))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.rows[observations[:, 0, 0, 0].long()]
        return found


def two_steps() -> ReplayBuffer:
    buffer = ReplayBuffer(2, shape=(1, 1, 3))
    first, second = (np.full((1, 1, 3), value, np.uint8) for value in (0, 1))
    buffer.add(first, 0, 1.0, second, False)
    buffer.add(second, 1, 2.0, second, True)
    return buffer


def test_losses_are_those_of_the_document() -> None:
    buffer = two_steps()
    batch = {
        name: getattr(buffer, name)
        for name in ("observations", "actions", "rewards", "next_observations", "dones")
    }
    network, target = Table([[2.0, 0.0], [3.0, 1.0]]), Table([[0.0, 0.0], [5.0, 4.0]])
    loss, accuracy = compute_bc_loss(network, batch)
    wanted = (np.log1p(np.exp(-2.0)) + np.log1p(np.exp(2.0))) / 2
    assert loss.item() == pytest.approx(wanted)
    assert accuracy.item() == 0.5
    total, bc_loss, td_loss = compute_hybrid_loss(network, target, batch, bc_weight=3.0)
    assert bc_loss.item() == pytest.approx(wanted)
    assert td_loss.item() == pytest.approx(((1 + 0.99 * 5 - 2) ** 2 + (2 - 1) ** 2) / 2)
    assert total.item() == pytest.approx(3 * wanted + td_loss.item())
    same, *_ = compute_hybrid_loss(network, target, tuple(batch.values()), 3.0)
    assert same.item() == total.item()
    total.backward()
    assert network.rows.grad is not None
    assert target.rows.grad is None


@pytest.mark.slow
def test_a_loop_of_ones_own_learns_what_is_shown(expert: tuple[Path, object]) -> None:
    """The document's loop, shortened: it foretells better than before what it has seen."""
    buffer = load_expert_data(expert[0])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = ImpalaCNN(hidden_dim=16)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    losses = []
    for _ in range(10):
        loss, _ = compute_bc_loss(network, buffer.sample(8))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert np.mean(losses[-3:]) < 0.8 * losses[0]


@pytest.mark.slow
def test_samples_of_the_document_run_as_they_stand_there(tmp_path: Path) -> None:
    """Collecting, the loop, `evaluate` and the checkpoint; only masks and the actions are ours."""
    env = PokemonEnv(rom_path="", headless=True, base_fps=240, config=EnvConfig(max_steps=16))
    rng = np.random.default_rng(0)
    for episode in range(2):
        obs, info = env.reset()
        episode_data: dict[str, list[Any]] = {
            "observations": [], "actions": [], "rewards": [], "dones": []
        }  # fmt: skip
        done = False
        while not done:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            next_obs, reward, terminated, truncated, info = env.step(action)
            done = terminated or truncated
            for name, value in zip(episode_data, (obs, action, reward, done), strict=True):
                episode_data[name].append(value)
            obs = next_obs
        np.savez_compressed(
            tmp_path / f"episode_{episode:04d}.npz",
            **episode_data,  # type: ignore[arg-type]
            episode_return=sum(episode_data["rewards"]),
            episode_length=len(episode_data["rewards"]),
        )
    expert_buffer = load_expert_data(str(tmp_path))
    policy_net = ImpalaCNN(action_dim=9, hidden_dim=8)
    optimizer = torch.optim.Adam(policy_net.parameters(), lr=1e-4, weight_decay=1e-5)
    batch = expert_buffer.sample(4)
    logits = policy_net(torch.FloatTensor(batch["observations"]))
    loss = nn.functional.cross_entropy(logits, torch.LongTensor(batch["actions"]))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    total_loss, bc_loss, td_loss = compute_hybrid_loss(policy_net, policy_net, batch)
    assert total_loss.item() == pytest.approx(bc_loss.item() + td_loss.item())
    obs, info = env.reset()
    with torch.no_grad():
        action = policy_net(torch.FloatTensor(obs).unsqueeze(0)).argmax(dim=-1).item()
    env.step(action)
    assert np.isfinite(evaluate(env, policy_net, n_episodes=1, device=torch.device("cpu")))
    env.close()
    cloned = train(small_args(tmp_path, tmp_path / "models"))
    policy, _ = read_policy(str(tmp_path / "models"), str(cloned.folder))
    saved = {"step": 2, "model_state_dict": policy.network.state_dict()}
    saved["optimizer_state_dict"] = optimizer.state_dict()
    torch.save(saved, tmp_path / "checkpoint_2.pth")
    checkpoint = torch.load(tmp_path / "checkpoint_2.pth", weights_only=True)
    policy_net.load_state_dict(checkpoint["model_state_dict"])


def test_training_clones_the_network_and_keeps_what_played_best(
    expert: tuple[Path, object], tmp_path: Path
) -> None:
    args = small_args(expert[0], tmp_path, total_training_steps=4)
    told: list[object] = []
    cloned = train(args, report=told.append)
    assert [one.number for one in told if isinstance(one, Epoch)] == [1, 2]
    assert cloned.best is not None
    policy, path = read_policy(str(tmp_path), "latest")
    assert path == cloned.best
    assert policy.config.network == "impala"
    network = ImpalaCNN(hidden_dim=8)
    network.load_state_dict(policy.network.state_dict())
    again = train(small_args(expert[0], tmp_path, save_best=False))
    assert again.best is None
    assert not list(again.folder.rglob("best*"))


def small_args(expert: Path, folder: Path, **changes: Any) -> Args:
    args = Args(
        expert_data_dir=str(expert), model_dir=str(folder), hidden_dim=8, batch_size=16,
        total_training_steps=2, eval_episodes=0, cuda=False,
    )  # fmt: skip
    return dataclasses.replace(args, **changes)


def test_exp_name_names_the_policy_and_the_newest_is_the_latest_whatever_its_name(
    expert: tuple[Path, object], tmp_path: Path
) -> None:
    for name in ("zebra", ""):
        cloned = train(small_args(expert[0], tmp_path, exp_name=name))
        assert re.fullmatch(rf"{name and name + '_'}\d{{8}}-\d{{6}}(-\d+)?", cloned.folder.name)
        assert list((cloned.folder / "tensorboard").iterdir())
        assert PolicyFolder.find(str(tmp_path), "latest").path == cloned.folder


def test_track_sends_the_figures_to_the_named_project(
    expert: tuple[Path, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wandb = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.setenv("WANDB_MODE", "offline")
    cloned = train(small_args(expert[0], tmp_path, track=True, wandb_project_name="il"))
    (_, options), _, *logged, finish = wandb.calls
    assert (options["project"], options["mode"]) == ("il", "offline")
    assert options["name"] == cloned.folder.name
    assert options["name"].startswith("bc_pokemon_")
    assert options["config"]["cloning"]["learning_rate"] == 1e-4
    assert "train/bc_loss" in logged[0][1]
    assert finish == ("finish", 0)


@pytest.mark.parametrize("is_installed", [False, True])
def test_track_without_wandb_or_a_login_is_one_line_and_leaves_no_policy(
    expert: tuple[Path, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_installed: bool,
) -> None:
    monkeypatch.delenv("WANDB_MODE", raising=False)
    if is_installed:
        monkeypatch.setitem(sys.modules, "wandb", FakeWandb())
    else:
        monkeypatch.setattr("engine.runs.weights_biases.find_spec", lambda name: None)
    said = "Not logged in" if is_installed else r"pip install 'poketui\[wandb\]'"
    with pytest.raises(ConfigurationError, match=said) as caught:
        train(small_args(expert[0], tmp_path, track=True))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "policies").exists()


def test_a_clone_that_is_stopped_before_its_first_checkpoint_leaves_no_folder(
    expert: tuple[Path, object], tmp_path: Path
) -> None:
    def stop(told: object) -> None:
        if isinstance(told, Progress) and told.what == "learning":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(small_args(expert[0], tmp_path / "models"), report=stop)
    assert not (tmp_path / "models" / "policies").exists()


def test_a_folder_without_demonstrations_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    with pytest.raises(DemoError, match="There are no demonstrations in"):
        train(small_args(tmp_path / "nowhere", tmp_path / "models"))
    assert list(tmp_path.iterdir()) == []


def test_an_evaluation_is_the_mean_return_of_what_is_likeliest(game_env, tmp_path: Path) -> None:
    config = EnvConfig(max_steps=16)
    env = game_env("", observation_type="screen", config=config, cache_dir=tmp_path)
    network = ImpalaCNN(hidden_dim=8)
    with torch.no_grad():
        network.actor.weight.zero_()
        network.actor.bias.copy_(torch.arange(len(Action), dtype=torch.float32))
    env.reset(seed=0)
    assert np.isfinite(evaluate(env, network, 2))
    assert network.training


def test_figures_have_the_documented_names_beside_the_others() -> None:
    epoch = Epoch(1, 0.5, 0.75, 1.0, None, is_best=True)
    assert epoch.figures()["train/bc_loss"] == epoch.figures()["bc/loss"] == 0.5
    assert epoch.figures()["train/accuracy"] == 0.75
    evaluation = Evaluation(3, 12.0, 0.0, 100.0, 0.0, 0.0, {})
    found = evaluation_metrics(evaluation)
    assert found["eval/episodic_return"] == found["eval/mean_reward"] == 12.0


def test_policy_network_takes_raw_uint8_arrays_of_a_batch() -> None:
    """The document's `logits = policy_network(obs)`, with what the buffer draws."""
    buffer = ReplayBuffer(4)
    rng = np.random.default_rng(0)
    for action in range(4):
        frames = rng.integers(0, 256, (2, *GAME_BOY_FRAME_SHAPE), dtype=np.uint8)
        buffer.add(frames[0], action, 0.5, frames[1], False)
    policy_network = ImpalaCNN(hidden_dim=8)
    batch = buffer.sample(8)
    obs, actions = batch["observations"], batch["actions"]
    logits = policy_network(obs)
    assert logits.shape == (8, len(Action))
    assert torch.equal(logits, policy_network(torch.from_numpy(obs)))
    nn.functional.cross_entropy(logits, torch.LongTensor(actions)).backward()
    read_only = obs[:1]
    read_only.setflags(write=False)  # of which torch would warn
    assert policy_network(read_only).shape == (1, len(Action))


@pytest.mark.parametrize("shape", [GAME_BOY_FRAME_SHAPE, (2, 3, 84, 84), ()])
def test_policy_network_refuses_pictures_of_another_form(shape: tuple[int, ...]) -> None:
    with pytest.raises(ConfigurationError, match=r"\(N, height, width, 3\)"):
        ImpalaCNN(hidden_dim=8)(np.zeros(shape, np.uint8))


@pytest.mark.parametrize("action", [9, -1, 3.7, True, None])
def test_buffer_refuses_what_is_no_action(action: object) -> None:
    buffer = ReplayBuffer(2, shape=(1, 1, 3))
    picture = np.zeros((1, 1, 3), np.uint8)
    with pytest.raises(
        DecisionValidationError, match=r"There is no action .*Use an index from 0 to 8"
    ):
        buffer.add(picture, action, 0.0, picture, False)  # type: ignore[arg-type]
    assert len(buffer) == 0


def test_buffer_refuses_other_pictures_and_endless_rewards() -> None:
    buffer = ReplayBuffer(2, shape=(1, 1, 3))
    picture = np.zeros((1, 1, 3), np.uint8)
    for wrong in (np.zeros((2, 1, 3), np.uint8), picture.astype(np.float32), picture[0]):
        with pytest.raises(DemoError, match="keeps 1 x 1 x 3, uint8"):
            buffer.add(picture, 0, 0.0, wrong, False)
    with pytest.raises(DemoError, match="Invalid reward: nan"):
        buffer.add(picture, 0, float("nan"), picture, False)
    with pytest.raises(DemoError, match="cannot hold 0 steps"):
        ReplayBuffer(0)
    with pytest.raises(DemoError, match="no steps to sample from"):
        buffer.sample(1)
