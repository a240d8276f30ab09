from collections import Counter

from pokeTUI.actions import ACTIONS, bindings, footer_hints, help_groups
from pokeTUI.app import CockpitApp, next_speed
from pokeTUI.state import DashboardState, fold
from tests.pokeTUI.fake_session import make_run, make_status


def state_with(**changes: object) -> DashboardState:
    return fold(fold(DashboardState(), make_run()), make_status(**changes))


def labels(state: DashboardState) -> list[str]:
    return [hint.label for hint in footer_hints(state)]


def test_no_key_has_two_meanings() -> None:
    keys = Counter(key for entry in ACTIONS for key in entry.keys)
    assert [key for key, count in keys.items() if count > 1] == []


def test_every_binding_has_its_method() -> None:
    for binding in bindings():
        name = binding.action.partition("(")[0]
        assert callable(getattr(CockpitApp, f"action_{name}"))


def test_every_key_is_explained() -> None:
    explained = {keys for _, rows in help_groups() for keys, _ in rows}
    assert explained == {entry.shown for entry in ACTIONS if entry.help}
    assert {"p", ".", "+/-", "t", "n", "N", "v", "1-5", "tab", "s", "?", "q", "z"} <= explained


def test_the_footer_shows_what_matters_now() -> None:
    assert "step" not in labels(state_with())
    assert labels(state_with(is_paused=True))[:2] == ["go on", "step"]
    playing = labels(state_with(is_human=True))
    assert playing[0] == "give back"
    assert {"A", "B", "START", "SELECT", "quit"} <= set(playing)


def test_the_footer_fits_eighty_columns() -> None:
    for state in (state_with(), state_with(is_paused=True), state_with(is_human=True)):
        hints = footer_hints(state)
        assert 1 + sum(len(hint.shown) + 1 + len(hint.label) + 2 for hint in hints) <= 82


def test_speeds_go_up_to_unlimited_and_down_to_one() -> None:
    speeds = [1.0]
    for _ in range(8):
        speeds.append(next_speed(speeds[-1], +1))
    assert speeds == [1.0, 3.0, 6.0, 12.0, 30.0, 60.0, 0.0, 0.0, 0.0]
    assert next_speed(0.0, -1) == 60.0
    assert next_speed(1.0, -1) == 1.0
    assert next_speed(29.0, +1) == 60.0
