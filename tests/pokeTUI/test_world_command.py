from tests.pokeTUI.in_process import poketui


def test_rom_prints_the_world_and_a_way_in_the_practice_game() -> None:
    told = poketui("rom", "--world", "--path", "HOME 2F", "GYM 4,3")
    assert told.returncode == 0, told.stderr
    assert "maps " in told.stdout
    assert "GYM (4,3): " in told.stdout


def test_rom_refuses_a_map_that_is_none_in_one_line() -> None:
    told = poketui("rom", "--path", "HOME 2F", "GYMM")
    assert told.returncode == 2
    assert len(told.stderr.splitlines()) == 1
    assert "Did you mean GYM, REED GYM?" in told.stderr
