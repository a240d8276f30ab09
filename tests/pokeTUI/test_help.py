"""Look at the help as a user reads it: 80 columns, panels of options, true defaults."""

from typing import Any, cast

import pytest
import typer
from typer.testing import CliRunner

from engine.config import VgcConfig
from pokeTUI.cli.main import app


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
