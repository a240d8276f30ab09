"""The practice games are found by their names, and `--game` excludes `--rom`."""

import pytest

from engine.errors import RomError
from engine.games.bundled import FIRST, IMAGES, chosen_rom, find_image
from engine.games.catalog import identify, load_game


def test_first_practice_game_is_played_by_its_name_or_by_none() -> None:
    assert load_game(FIRST).sha1 == load_game().sha1
    assert identify(FIRST).file == find_image(FIRST)


def test_a_file_of_a_games_name_is_told_from_the_game_by_its_folder() -> None:
    with pytest.raises(RomError, match=f"no ROM file at {FIRST}"):
        identify(f"./{FIRST}")


@pytest.mark.parametrize("name", IMAGES)
def test_game_and_rom_exclude_each_other(name: str) -> None:
    assert chosen_rom(None, name) == name
    assert chosen_rom("own.gbc", None) == "own.gbc"
    assert chosen_rom(None, None) is None
    with pytest.raises(RomError, match=f"--rom own.gbc and --game {name} are mutually exclusive"):
        chosen_rom("own.gbc", name)


def test_unknown_game_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(RomError, match="There is no game 'moss'") as raised:
        chosen_rom(None, "moss")
    assert all(name in raised.value.hint for name in IMAGES)


def test_a_missing_image_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.games.bundled.IMAGES", {FIRST: "absent.gbc"})
    with pytest.raises(RomError, match="practice game mosslight is missing"):
        find_image(FIRST)
