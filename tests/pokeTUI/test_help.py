"""Look at the help as a user reads it: 80 columns, panels of options, true defaults."""

from typing import Any, cast

import pytest
import typer
from typer.testing import CliRunner

from engine.config import RunConfig
from engine.imitation.settings import CloningConfig, DaggerConfig
from pokeTUI.cli.main import app

_RUN, _CLONING, _DAGGER = RunConfig(), CloningConfig(), DaggerConfig()
_DEFAULTS = {
    "run": (
        (_RUN, "agent mode strategy llm_interval seed"),
        (_RUN, "envs=num_envs"),
    ),
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
