"""The practice games are found by their names."""

import pytest

from engine.errors import RomError
from engine.games.bundled import FIRST, IMAGES, find_image, name_of
from engine.games.catalog import identify, load_game


def test_first_practice_game_is_played_by_its_name_or_by_none() -> None:
    assert load_game(FIRST).sha1 == load_game().sha1
    assert identify(FIRST).file == find_image(FIRST)


def test_a_file_of_a_games_name_is_told_from_the_game_by_its_folder() -> None:
    with pytest.raises(RomError, match=f"no ROM file at {FIRST}"):
        identify(f"./{FIRST}")


def test_a_practice_game_is_known_by_its_hash() -> None:
    assert {name_of(load_game(name).sha1) for name in IMAGES} == set(IMAGES)
    assert name_of("0" * 40) == ""


def test_a_missing_image_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.games.bundled.IMAGES", {FIRST: "absent.gbc"})
    with pytest.raises(RomError, match="practice game mosslight is missing"):
        find_image(FIRST)
