from itertools import combinations

import pytest

from engine.errors import ConfigurationError
from engine.events import RunFailed, RunStopped, ViewersChanged
from pokeTUI.app.cockpit import CockpitApp
from pokeTUI.app.run_control import next_speed
from pokeTUI.dashboard.state import DashboardState, fold
from pokeTUI.draw.splits import GAME
from pokeTUI.input.entry import PLAY
from pokeTUI.input.keymap import KeyTable, can_clash, fitting, keys_markdown
from pokeTUI.panes.kinds import pane_keys
from tests.pokeTUI.fake_session import make_run, make_status

TABLE = KeyTable()


def state_with(**changes: object) -> DashboardState:
    return fold(fold(DashboardState(), make_run()), make_status(**changes))


def labels(state: DashboardState, focused: str = GAME) -> list[str]:
    return [hint.label for hint in TABLE.footer(state, focused)]


def refusal(name: str, state: DashboardState) -> str:
    return next(entry.refusal(state) for entry in TABLE.entries if entry.id == name)


def test_no_key_has_two_meanings() -> None:
    for one, other in combinations(TABLE.entries, 2):
        shared = set(one.keys) & set(other.keys)
        assert not shared or not can_clash(one, other), f"{shared}: {one.id} and {other.id}"


def test_no_pane_covers_the_keys_that_must_always_work() -> None:
    always = {"?", "q", "p", "t", "tab", "Z", "0-8"}
    keys = {key for entry in TABLE.entries if entry.shown in always for key in entry.keys}
    keys |= {str(number) for number in range(9)} | {"shift+tab", "ctrl+p", "ctrl+c", "ctrl+q"}
    for entry in TABLE.entries:
        assert not entry.pane or not keys & set(entry.keys), entry.id


def test_every_action_has_a_name_of_its_own_and_a_sentence() -> None:
    assert len({entry.id for entry in TABLE.entries}) == len(TABLE.entries)
    for entry in TABLE.entries:
        assert entry.help.endswith("."), entry.id
        assert entry.title


def test_every_binding_has_its_method() -> None:
    for binding in TABLE.bindings():
        name = binding.action.partition("(")[0]
        assert callable(getattr(CockpitApp, f"action_{name}"))


def test_the_buttons_of_the_game_come_first_then_the_panes() -> None:
    actions = [binding.action for binding in TABLE.bindings()]
    last_button = max(i for i, action in enumerate(actions) if action.startswith("press("))
    pane_keys = [i for i, action in enumerate(actions) if action.startswith("act(")]
    others = [i for i, action in enumerate(actions) if action == "toggle_pause"]
    assert all(last_button < i < others[0] for i in pane_keys)


def test_the_help_has_every_key_in_groups() -> None:
    shown = {entry.shown for _, entries in TABLE.groups() for entry in entries}
    assert shown >= {"p", ".", "+ -", "t", "n N", "v", "0-8", "tab", "s", "?", "q", "z", "Z", "< >"}


def test_the_footer_shows_what_matters_now() -> None:
    assert "step" not in labels(state_with())
    assert labels(state_with(is_paused=True))[:2] == ["resume", "step"]
    playing = labels(state_with(is_human=True))
    assert playing[0] == "give back"
    assert {"A", "B", "START", "SELECT", "quit"} <= set(playing)


def test_the_footer_shows_nothing_to_steer_before_the_run_has_begun_and_after_its_end() -> None:
    started = {"pause", "speed", "play", "save", "game"}
    assert started <= set(labels(state_with()))
    assert not started & set(labels(DashboardState()))
    beside = fold(state_with(), ViewersChanged(2, is_yours=True))
    assert "give control" in labels(beside)
    for end in (RunStopped("quit", 1, ""), RunFailed("It broke.", "", True)):
        assert not {*started, "give control"} & set(labels(fold(beside, end)))
    assert {"help", "quit"} <= set(labels(DashboardState()))


def test_the_footer_shows_the_keys_of_the_pane_that_has_the_keyboard() -> None:
    for key in pane_keys()[1:]:
        hints = TABLE.footer(state_with(), key)
        assert {hint.action.split("'")[1] for hint in hints if hint.action.startswith("act(")} <= {
            key
        }


@pytest.mark.parametrize("changes", [{}, {"is_paused": True}, {"is_human": True}])
@pytest.mark.parametrize("focused", pane_keys())
def test_the_footer_keeps_the_main_keys_at_80_columns(
    changes: dict[str, bool], focused: str
) -> None:
    hints = fitting(TABLE.footer(state_with(**changes), focused), 80)
    assert 1 + sum(hint.width for hint in hints) + 2 * (len(hints) - 1) <= 80
    assert {"?", "q", "t"} <= {hint.shown for hint in hints}


def test_the_footer_of_the_map_says_how_to_leave_it_in_eighty_columns() -> None:
    shown = [hint.shown for hint in fitting(TABLE.footer(state_with(), "party"), 80)]
    assert shown[:2] == ["z", "m"]
    assert "tab" in shown


def test_refusal_says_why_an_action_is_impossible() -> None:
    state = state_with()
    assert refusal("step", state) == "only while paused"
    assert refusal("button_a", state) == "only while you play"
    assert refusal("pause", state_with(is_human=True)) == "not while you play"
    assert "K saves one" in refusal("branch", state)
    assert "--llm-model" in refusal("instruct", state)
    assert refusal("next_game", fold(state, make_run(num_envs=1))) == "there is only one game"
    assert refusal("restart", DashboardState()) == "the run is still starting"
    over = fold(state, RunStopped("quit", 1, ""))
    assert refusal("pause", over) == "the run has ended"
    assert refusal("help", over) == ""
    watching = fold(state, ViewersChanged(2, is_yours=False))
    for name in ("pause", "next_game", "previous_game", "game_number"):
        assert "another viewer" in refusal(name, watching)
    assert refusal("view", watching) == ""
    assert refusal("control", watching) == ""


def test_the_user_chooses_other_keys() -> None:
    table = KeyTable({"pause": "f5, ctrl+g", "step": ";", "help": "f2"})
    entries = {entry.id: (entry.keys, entry.shown) for entry in table.entries}
    assert entries["pause"] == (("f5", "ctrl+g"), "f5 ctrl+g")
    assert entries["step"] == (("semicolon",), ";")
    assert {binding.id: binding.key for binding in table.bindings()}["help"] == "f2"


@pytest.mark.parametrize(
    ("keymap", "name", "keys"),
    [({"save": "v", "view": "s"}, "save", ("v",)), ({"stop": ""}, "stop", ())],
    ids=["two actions change keys", "an empty key takes an action off the keyboard"],
)
def test_keys_of_an_action(keymap: dict[str, str], name: str, keys: tuple[str, ...]) -> None:
    assert {entry.id: entry.keys for entry in KeyTable(keymap).entries}[name] == keys


@pytest.mark.parametrize(
    ("keymap", "words"),
    [
        ({"paws": "p"}, "unknown action 'paws'"),
        ({"pause": "hyper+p"}, "pause = 'hyper+p': unknown key"),
        ({"pause": "nokey"}, "unknown key"),
        ({"pause": ","}, "unknown key"),
        ({"pause": "s"}, "s is bound to both pause and save"),
        ({"pause": "f5", "save": "f5"}, "f5 is bound to both"),
    ],
)
def test_a_wrong_keymap_says_what_is_wrong(keymap: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        KeyTable(keymap)
    assert words in caught.value.message
    assert caught.value.hint
    assert "\n" not in caught.value.message


def test_the_documentation_lists_every_key() -> None:
    text = keys_markdown()
    for entry in TABLE.entries:
        if entry.shown:
            assert f"| `{entry.id}` |" in text
    assert f"## {PLAY}" in text


def test_speeds_go_up_to_unlimited_and_down_to_one() -> None:
    speeds = [1.0]
    for _ in range(8):
        speeds.append(next_speed(speeds[-1], +1))
    assert speeds == [1.0, 3.0, 6.0, 12.0, 30.0, 60.0, 0.0, 0.0, 0.0]
    assert next_speed(0.0, -1) == 60.0
    assert next_speed(1.0, -1) == 1.0
    assert next_speed(29.0, +1) == 60.0
