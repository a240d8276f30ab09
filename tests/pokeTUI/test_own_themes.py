"""Themes of the user's own: files beside the preferences."""

import re
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import OptionList

from engine.config import RunConfig
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.app.doctor.files import examine_preferences
from pokeTUI.app.start.app import StartApp
from pokeTUI.draw.theme import (
    COLOR_NAMES,
    THEME_NAMES,
    THEMES,
    Ink,
    own_theme_names,
    palette,
    read_themes,
)
from pokeTUI.preferences import PreferenceFile
from pokeTUI.terminal.output import theme_names
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press
from tests.pokeTUI.fake_session import FakeSession

OCEAN = 'base = "daylight"\nprimary = "#05f"\nstone = "gray"\n'
SEEN = "has_seen_first_run = true\n"


def write(config: Path, name: str, text: str | bytes) -> Path:
    path = config / "themes" / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_theme_has_its_own_colours_and_the_others_of_its_base(tmp_path: Path) -> None:
    write(tmp_path, "ocean", OCEAN)
    (theme,), mistakes = read_themes(tmp_path)
    assert mistakes == []
    assert (theme.name, theme.dark, theme.primary) == ("ocean", False, "#0055FF")
    assert theme.variables["stone"] == "#808080"
    assert theme.background == THEMES[THEME_NAMES.index("daylight")].background
    assert palette(theme)[Ink.key].color.name == "#0055ff"


def test_the_documented_theme_names_every_colour(tmp_path: Path) -> None:
    page = Path(__file__).parents[2].joinpath("docs/cockpit.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(base = .*?)```", page, re.DOTALL)
    write(tmp_path, "ocean", text)
    (theme,), mistakes = read_themes(tmp_path)
    assert (theme.name, mistakes) == ("ocean", [])
    assert set(COLOR_NAMES) == set(re.findall(r"^(\w+) = ", text, re.MULTILINE)) - {"base"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("ocean", 'primary = "grean"', "primary = 'grean' is not a colour"),
        ("ocean", "primary = 3", "primary = 3 is not a colour"),
        ("ocean", 'primary = "#ffffff80"', "is not a colour"),
        ("ocean", 'primary = "ansi_red"', "is not a colour"),
        ("ocean", 'colour = "#fff"', "unknown key 'colour'"),
        ("ocean", 'base = "pink"', "base = 'pink'"),
        ("ocean", "base = [1]", "base = [1]"),
        ("ocean", "primary = ", "Invalid value"),
        ("ocean", b"\xc3(", "UTF-8"),
        ("mosslight", 'primary = "#fff"', "there is a theme of that name"),
        ("a,b", 'primary = "#fff"', "not a valid theme name"),
    ],
)
def test_a_mistake_is_one_line_with_remedy(
    tmp_path: Path, name: str, text: str | bytes, words: str
) -> None:
    path = write(tmp_path, name, text)
    write(tmp_path, "sound", OCEAN)
    themes, (mistake,) = read_themes(tmp_path)
    assert [theme.name for theme in themes] == ["sound"]
    assert str(path) in mistake.message
    assert words in mistake.message
    assert mistake.hint
    assert "\n" not in str(mistake)


def test_without_a_folder_there_are_none(tmp_path: Path) -> None:
    assert own_theme_names(tmp_path) == ()
    assert read_themes(tmp_path) == ([], [])


async def test_the_key_and_the_settings_list_them_after_the_others(config_dir: Path) -> None:
    write(config_dir, "ocean", OCEAN)
    async with open_cockpit() as (pilot, _):
        app: Any = pilot.app
        seen = []
        for _ in range(len(THEME_NAMES) + 1):
            await pilot.press("T")
            seen.append(app.theme)
        assert seen == [*THEME_NAMES[1:], "ocean", THEME_NAMES[0]]
        await press(pilot, "comma", "slash", *"theme", "enter", "enter")
        choices = app.screen.query_one(OptionList)
        names = [str(choices.get_option_at_index(at).prompt) for at in range(choices.option_count)]
        assert names == [*THEME_NAMES, "ocean"]
        await press(pilot, "up", "enter")
        assert app.theme == "ocean"
        await app.memory.flush()
    assert PreferenceFile().load().theme == "ocean"
    assert StartApp().theme == "ocean"


async def test_a_broken_theme_is_named_and_the_default_taken(config_dir: Path) -> None:
    write(config_dir, "ocean", 'primary = "grean"')
    (config_dir / "preferences.toml").write_text(f'{SEEN}theme = "ocean"\n', encoding="utf-8")
    app = CockpitApp(FakeSession(), RunConfig())
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        assert app.theme == THEME_NAMES[0]
        assert await comes_to_show(pilot, "grean")
    start = StartApp()
    assert (start.theme, theme_names(start)) == (THEME_NAMES[0], THEME_NAMES)
    async with start.run_test(size=(120, 40)) as pilot:
        assert "is not a colour" in str(start.query_one("#start_notice").render())
    assert "is not a colour" in examine_preferences().text
