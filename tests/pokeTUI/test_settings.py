import re
from pathlib import Path

import pytest

from engine.commands import SetMode, SetWeight
from engine.config import RunConfig, load_config
from pokeTUI.settings import changed, command_for, settings_of, shown, value_of, write_config
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press, screen_text
from tests.pokeTUI.says import assert_has

SETTINGS = {one.key: one for one in settings_of(RunConfig)}


def test_every_setting_of_a_run_is_there() -> None:
    dump = RunConfig().model_dump()
    for key, setting in SETTINGS.items():
        assert shown(value_of(dump, key)) == shown(setting.default)
    assert {"seed", "ppo.epochs", "rewards.map", "planner.think", "curriculum.stages"} <= set(
        SETTINGS
    )


def test_kind_range_and_description_come_from_the_schema() -> None:
    setting = SETTINGS["env.hold_frames"]
    assert setting.kind == "whole number"
    assert setting.allowed == "at least 1, at most 60"
    assert "Frames a button is held" in setting.description
    assert SETTINGS["agent"].choices == ("ppo", "dqn", "rules", "random", "explore")


def test_the_model_itself_judges_a_value() -> None:
    config, wrong = changed(RunConfig(), "ppo.epochs", " 7 ")
    assert (config.ppo.epochs, wrong) == (7, "")
    assert changed(RunConfig(), "ppo.epochs", "0") == (
        None,
        "Input should be greater than or equal to 1",
    )
    assert changed(RunConfig(num_envs=32), "workers", "99")[1]
    assert changed(RunConfig(), "rewards.extra", "{")[1] == "Use JSON, like the current value."
    extra, _ = changed(RunConfig(), "rewards.extra", '{"mine": 2}')
    assert extra.rewards.extra == {"mine": 2.0}


def test_live_settings_have_a_command() -> None:
    assert command_for("mode", "rl_only") == SetMode("rl_only")
    assert command_for("rewards.map", "2.5") == SetWeight("map", 2.5)
    assert command_for("ppo.epochs", "3") is None
    assert command_for("rewards.extra", "{}") is None
    assert [key for key, one in SETTINGS.items() if one.is_live][:2] == ["mode", "strategy"]


@pytest.mark.parametrize("name", ["run.toml", "run.json"])
def test_written_config_is_read_again(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_TRUST", "a b")
    config = RunConfig.model_validate(
        {"seed": 3, "ppo": {"learning_rate": 1e-5}, "rewards": {"extra": {"a b": 1}}}
    )
    write_config(config, tmp_path / "new" / name)
    assert load_config(tmp_path / "new" / name) == config
    assert [path.name for path in (tmp_path / "new").iterdir()] == [name]


async def test_a_setting_is_changed_and_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_cockpit(80, 24) as (pilot, _):
        await press(pilot, "comma", "slash", *"o.ep", "enter")
        text = screen_text(pilot)
        assert_has(text, "ppo.epochs", "whole number, at least 1")
        await press(pilot, "enter", "backspace", "0", "enter")
        assert "greater than or equal to 1" in screen_text(pilot)
        await pilot.press("backspace", "7", "enter", "w", "enter")
        assert await comes_to_show(pilot, "poketui run --config")
        assert load_config(tmp_path / "poketui.toml").ppo.epochs == 7
        await press(pilot, "w", "enter")
        assert "Overwrite it?" in screen_text(pilot)
        await press(pilot, "enter", "escape", "escape")
        assert "Settings" not in screen_text(pilot)


async def test_live_setting_is_sent() -> None:
    async with open_cockpit() as (pilot, session):
        await pilot.press("comma", "slash", *"ds.map", "enter", "enter")
        await press(pilot, "backspace", "backspace", "backspace", *"2.5", "enter")
        assert session.sent == [SetWeight("map", 2.5)]
        await press(pilot, "escape", "slash", *"mode", "enter")
        text = screen_text(pilot)
        assert "applies immediately" in text or "●" in text


async def test_without_colour_a_sign_tells_the_chosen_row_and_which_list_has_the_keyboard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_cockpit(80, 24) as (pilot, _):
        await press(pilot, "comma", "down")
        second = list(SETTINGS)[1]
        assert re.search(rf"▹ run .*\n.*▸ . {second} ", screen_text(pilot))
        await press(pilot, "left", "down")
        text = screen_text(pilot)
        assert text.count("▸") == text.count("▹") == 1
        assert re.search(r"▸ (?!run)\w+", text)


async def test_settings_show_what_zero_and_nothing_stand_for_and_that_no_model_is_set() -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        await press(pilot, "comma")
        text = screen_text(pilot)
        assert re.search(r"rom_path +\(mosslight\)", text)
        assert re.search(r"workers +0 \(one per core\)", text)
        assert re.search(r"initial_strategy +llm_heavy +rules: no model", text)
        await press(pilot, "escape", "S")
        assert "planner-led (80 %); the rules: no --llm-model" in screen_text(pilot)


async def test_a_long_description_is_shown_whole_with_its_default() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        await press(pilot, "comma", "slash", *"swarm_share", "enter", "end")
        text = " ".join(screen_text(pilot).replace("│", "").split())
        assert "episodes count apart; 0: none. default: 0.0 (none)" in text


async def test_the_theme_is_a_setting_too() -> None:
    async with open_cockpit(80, 24) as (pilot, _):
        await press(pilot, "comma", "h", "end", "enter", "enter", "down", "enter")
        assert pilot.app.theme == "daylight"


def test_an_address_with_a_password_is_refused_without_showing_it() -> None:
    found, said = changed(RunConfig(), "llm_base_url", "http://user:s3cret@host/v1")
    assert found is None
    assert "password" in said
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("key", "value", "meaning"),
    [
        ("workers", 0, "one per core"),
        ("workers", 2, ""),
        ("rom_path", "", "mosslight"),
        ("planner.max_cost_per_run", 0.0, "no limit"),
        ("dqn.alpha", 0.0, ""),
    ],
)
def test_meaning_of_zero_and_nothing_is_described(key: str, value: object, meaning: str) -> None:
    assert SETTINGS[key].meaning(value) == meaning
