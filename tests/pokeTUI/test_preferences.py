import asyncio
import os
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.config import RunConfig
from engine.errors import ConfigurationError
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.draw.layout import Arrangement
from pokeTUI.panes.kinds import pane_keys
from pokeTUI.preferences import PreferenceFile, Preferences, config_folder, layout_of
from pokeTUI.settings import to_toml
from tests.engine.processes import wait_until
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press, screen_text
from tests.pokeTUI.fake_session import FakeSession
from tests.pokeTUI.says import assert_has

texts = st.text(max_size=8)
scalars = st.one_of(st.booleans(), st.integers(-(2**60), 2**60), st.floats(), texts)
tables = st.recursive(
    st.dictionaries(texts, st.one_of(scalars, st.lists(scalars, max_size=3)), max_size=3),
    lambda inner: st.dictionaries(texts, st.one_of(scalars, inner), max_size=3),
    max_leaves=4,
)


@given(tables)
def test_preferences_written_as_toml_are_read_back(values: dict[str, object]) -> None:
    assert repr(tomllib.loads(to_toml(values))) == repr(values) or sort(
        tomllib.loads(to_toml(values))
    ) == sort(values)


def sort(value: object) -> object:
    if isinstance(value, dict):
        return {key: sort(value[key]) for key in sorted(value)}
    return repr(value)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert PreferenceFile(tmp_path / "none").load() == Preferences()


def test_preferences_are_kept(tmp_path: Path) -> None:
    file = PreferenceFile(tmp_path / "new" / "folder")
    layout = layout_of(Arrangement(frozenset({"log"}), ("party",), "log", True, {"a": {"b": 0.25}}))
    file.save({"theme": "daylight", "layout": layout})
    file.save({"keys": {"pause": "f5"}})
    kept = file.load()
    assert kept.theme == "daylight"
    assert kept.keys == {"pause": "f5"}
    arrangement = kept.arrangement()
    assert arrangement == Arrangement(frozenset({"log"}), ("party",), "", True, {"a": {"b": 0.25}})
    assert [path.name for path in file.path.parent.iterdir()] == ["preferences.toml"]


def test_the_names_of_panes_are_those_that_exist() -> None:
    layout = Preferences.model_json_schema()["$defs"]["LayoutPreferences"]["properties"]
    assert tuple(layout["hidden"]["items"]["enum"]) == pane_keys()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("theme = 'pink'", "theme = 'pink'"),
        ("colour = 1", "unknown key 'colour'"),
        ("theme = ", "Invalid value"),
        ("[layout]\nsizes = 3", "layout.sizes = 3"),
        ("\udcc3(", "UTF-8"),
        *(
            (f"[layout.sizes.main]\ngame = {share}\n", "a number is too large, or none")
            for share in ("nan", "inf", "1e300")
        ),
    ],
)
def test_a_broken_file_is_named_and_left_alone(tmp_path: Path, text: str, words: str) -> None:
    file, content = PreferenceFile(tmp_path), text.encode(errors="surrogateescape")
    file.path.write_bytes(content)
    with pytest.raises(ConfigurationError) as caught:
        file.load()
    assert_has(caught.value.message, str(file.path), words)
    assert "\n" not in caught.value.message
    with pytest.raises(ConfigurationError):
        file.save({"theme": "daylight"})
    assert file.path.read_bytes() == content


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_preferences_of_any_editor_are_read(tmp_path: Path, encoding: str) -> None:
    file = PreferenceFile(tmp_path)
    file.path.write_bytes('theme = "daylight"\r\n'.encode(encoding))
    assert file.load().theme == "daylight"


def test_the_folder_follows_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POKETUI_CONFIG_DIR", "/one")
    assert config_folder() == Path("/one")
    monkeypatch.delenv("POKETUI_CONFIG_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/two")
    assert config_folder() == Path("/two/poketui")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", "/three")
    assert config_folder() == Path("/three/.config/poketui")


async def test_layout_theme_and_view_are_remembered(config_dir: Path) -> None:
    async with open_cockpit(120, 40) as (pilot, _):
        await pilot.press("2", "T", "v", "greater_than_sign")
        seen = pilot.app.board.arrangement  # type: ignore[attr-defined]
        view = pilot.app.board.game.mode  # type: ignore[attr-defined]
    file = PreferenceFile(config_dir)  # a slow disk is not waited for at the end
    kept = (layout_of(seen), "daylight", view.value)

    def is_kept() -> bool:
        now = file.load()
        return (now.layout, now.theme, now.view) == kept

    assert await asyncio.to_thread(wait_until, is_kept, 60.0)
    async with open_cockpit(120, 40) as (pilot, _):
        board = pilot.app.board  # type: ignore[attr-defined]
        assert pilot.app.theme == "daylight"
        assert "rewards" not in board.plan.regions
        assert board.arrangement.hidden == seen.hidden
        assert board.plan.regions["game"].width == 64
        assert board.game.mode is view


async def test_the_users_keys_are_obeyed(config_dir: Path) -> None:
    PreferenceFile(config_dir).save({"keys": {"pause": "f5", "save": "p"}})
    async with open_cockpit() as (pilot, session):
        await press(pilot, "space", "s", "f5", "p")
        assert [type(command).__name__ for command in session.sent] == ["Pause", "Save"]
        assert "f5 resume" in screen_text(pilot)


def test_a_wrong_keymap_is_told_before_the_screen_is_drawn(config_dir: Path) -> None:
    PreferenceFile(config_dir).save({"keys": {"pause": "q"}})
    with pytest.raises(ConfigurationError, match="both pause and quit"):
        CockpitApp(FakeSession(), RunConfig())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_a_read_only_home_only_loses_the_memory(config_dir: Path) -> None:
    config_dir.chmod(0o500)
    async with open_cockpit() as (pilot, _):
        await pilot.press("T")
        assert await comes_to_show(pilot, "Your preferences cannot be saved")
    config_dir.chmod(0o700)


async def test_a_folder_that_cannot_be_made_only_loses_the_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(tmp_path / "file" / "below"))
    async with open_cockpit() as (pilot, _):
        await pilot.press("x")  # leaves the first page
        await pilot.press("T")
        assert await comes_to_show(pilot, "Your preferences cannot be saved")


async def test_the_first_run_explains_itself_once(config_dir: Path) -> None:
    (config_dir / "preferences.toml").unlink()
    async with open_cockpit(80, 24) as (pilot, session):
        text = screen_text(pilot)
        assert_has(text, "Welcome to PokeTUI", "press any key", "take the game over")
        assert session.is_alive
        await press(pilot, "p")
        assert "Welcome" not in screen_text(pilot)
        assert session.sent == []
    async with open_cockpit(80, 24) as (pilot, _):
        assert "Welcome" not in screen_text(pilot)
