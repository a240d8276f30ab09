"""Look at the help as a user reads it: 80 columns, panels of options, true defaults."""

from typing import Any, cast

import pytest
import typer
from typer.testing import CliRunner

from engine.config import RunConfig, VgcConfig
from engine.runs.cloning_settings import CloningConfig, DaggerConfig
from pokeTUI.cli.main import app

_RUN, _CLONING, _DAGGER = RunConfig(), CloningConfig(), DaggerConfig()
_DEFAULTS = {
    "run": ((_RUN, "agent mode strategy llm_interval seed"),),
    "record": ((_RUN, "seed"),),
    "bc": (
        (_CLONING, "network inputs hidden_size epochs batch_size lr=learning_rate weight_decay"),
        (_CLONING, "balance val_share patience eval_episodes eval_every save_every seed device"),
        (_DAGGER, "rounds round_episodes=episodes beta=beta_start"),
    ),
}
"""By command: the settings, and the options that stand for some of them."""


@pytest.mark.parametrize(
    "page",
    ["run", "bc", "record", "bench play", "llm ask", "llm export", "demos filter", "demos export"],
)
def test_help_fits_80_columns_and_is_not_cut(page: str) -> None:
    shown = CliRunner().invoke(app, [*page.split(), "--help"], terminal_width=80).output
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


@pytest.mark.parametrize("page", ["run", "bc", "record", "bench play"])
def test_many_options_are_grouped_into_panels(page: str) -> None:
    shown = CliRunner().invoke(app, [*page.split(), "--help"], terminal_width=80).output
    for panel in ("Options", "Game", "Agent" if page != "bc" else "DAgger", "Run", "Output"):
        assert f"─ {panel} ─" in shown


@pytest.mark.parametrize("command", _DEFAULTS)
def test_defaults_shown_in_help_are_those_of_the_settings(command: str) -> None:
    found = cast(Any, typer.main.get_command(app)).commands[command]
    shown = {option.name: option.show_default for option in found.params if option.name != "help"}
    for settings, names in _DEFAULTS[command]:
        for pair in names.split():
            option, _, setting = pair.partition("=")
            value = getattr(settings, setting or option)
            assert type(value)(shown[option]) == value, option


def test_options_of_battles_have_the_documented_defaults() -> None:
    found = cast(Any, typer.main.get_command(app)).commands["vgc"].commands["train"]
    shown = {option.name: option.show_default for option in found.params}
    documented = {
        "num_workers": 4, "buffer_size": 2048, "lr": 3e-4, "gamma": 0.99, "gae_lambda": 0.95,
        "ppo_epochs": 10, "num_minibatches": 32, "clip_coef": 0.2, "ent_coef": 0.01,
        "vf_coef": 0.5, "target_kl": 0.03,
    }  # fmt: skip
    assert {name: float(shown[name]) for name in documented} == documented
    ours = {
        "lr": "learning_rate", "ppo_epochs": "epochs", "num_minibatches": "minibatches",
        "clip_coef": "clip", "ent_coef": "entropy", "vf_coef": "value_coefficient",
    }  # fmt: skip
    config = VgcConfig()
    assert {name: getattr(config, ours.get(name, name)) for name in documented} == documented
    assert (config.bc_model, shown["checkpoint_dir"]) == ("", "saves/vgc")


@pytest.mark.parametrize(
    "arguments",
    [
        "--num-workers 4",
        "--num-workers 4 --bc-model data/models/your_bc_model.pt --lr 1e-4",
        "--num-workers 6 --buffer-size 4096 --battle-format gen9vgc2023regulationc "
        "--checkpoint-dir ./my_checkpoints --lr 3e-4",
        "--num-workers 4 --buffer-size 1024 --checkpoint-dir /mnt/c/checkpoints",
        "--num-workers 1",
        "--num-workers 2 --buffer-size 512",
    ],
)
def test_documented_commands_of_battles_are_taken(arguments: str) -> None:
    train = cast(Any, typer.main.get_command(app)).commands["vgc"].commands["train"]
    taken = train.make_context("train", arguments.split()).params
    given = {name: value for name, value in taken.items() if value not in (None, False)}
    assert given.keys() - {"set_"} == {
        word.removeprefix("--").replace("-", "_")
        for word in arguments.split()
        if word.startswith("--")
    }
