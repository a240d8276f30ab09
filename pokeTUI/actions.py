"""List every key once: bindings, footer and help are made from this table."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from textual.binding import Binding

from engine.types import Action
from pokeTUI.layout import PANES
from pokeTUI.state import DashboardState

SPEEDS = (1.0, 3.0, 6.0, 12.0, 30.0, 60.0, 0.0)
"""Actions a second; 3 is the game's own pace, 0 is unlimited."""


def _always(state: DashboardState) -> bool:
    return True


def _by_hand(state: DashboardState) -> bool:
    return state.is_human


def _by_agent(state: DashboardState) -> bool:
    return not state.is_human


def _paused(state: DashboardState) -> bool:
    return state.is_paused and not state.is_human


def _several_games(state: DashboardState) -> bool:
    return not state.is_human and (state.run is None or state.run.num_envs > 1)


def _attached(state: DashboardState) -> bool:
    return state.viewers is not None


def _beside_others(state: DashboardState) -> bool:
    return state.viewers is not None and (state.viewers.viewers > 1 or not state.viewers.is_yours)


@dataclass(frozen=True, slots=True)
class KeyAction:
    """Something a key does.

    Attributes:
        keys: Textual key names.
        action: What Textual calls, e.g. "press('A')".
        shown: The keys as people read them.
        label: In the footer; "" keeps it out.
        help: One sentence.
        group: Heading in the help.
        is_enabled: Whether it makes sense now.
        is_priority: Acts whatever is on the screen.
    """

    keys: tuple[str, ...]
    action: str
    shown: str
    label: str
    help: str
    group: str
    is_enabled: Callable[[DashboardState], bool] = _always
    is_priority: bool = False


def _press(keys: str, action: Action, shown: str, label: str, help_text: str) -> KeyAction:
    return KeyAction(
        tuple(keys.split()),
        f"press('{action.name}')",
        shown,
        label,
        help_text,
        "While you play",
        _by_hand,
    )


ACTIONS: tuple[KeyAction, ...] = (
    KeyAction(
        ("p", "space"),
        "toggle_pause",
        "p",
        "pause",
        "Pause or go on (space does the same).",
        "Run",
        _by_agent,
    ),
    KeyAction(
        ("full_stop",), "step_once", ".", "step", "Take one step while paused.", "Run", _paused
    ),
    KeyAction(
        ("plus", "equals_sign"),
        "change_speed(1)",
        "+/-",
        "speed",
        "Faster or slower: 1, 3 (the game's own pace), 6, 12, 30 or 60 actions a second, no limit.",
        "Run",
        _by_agent,
    ),
    KeyAction(
        ("minus", "underscore"),
        "change_speed(-1)",
        "-",
        "",
        "",
        "Run",
        _by_agent,
    ),
    KeyAction(
        ("t",),
        "toggle_control",
        "t",
        "play",
        "Take the game over, or give it back to the agent. Training waits while you play.",
        "Run",
    ),
    _press("up", Action.UP, "↑↓←→", "walk", "Walk, or move the cursor."),
    _press("down", Action.DOWN, "", "", ""),
    _press("left", Action.LEFT, "", "", ""),
    _press("right", Action.RIGHT, "", "", ""),
    _press("z a", Action.A, "z", "A", "The A button (the key a does the same)."),
    _press("x b", Action.B, "x", "B", "The B button (the key b does the same)."),
    _press("enter", Action.START, "enter", "START", "The START button."),
    _press("backspace", Action.SELECT, "bksp", "SELECT", "The SELECT button."),
    KeyAction(
        ("n",),
        "watch(1)",
        "n",
        "game",
        "Watch the next of the games that are played at once.",
        "Watch",
        _several_games,
    ),
    KeyAction(
        ("N",),
        "watch(-1)",
        "N",
        "",
        "Watch the one before.",
        "Watch",
        _several_games,
    ),
    KeyAction(
        ("v",),
        "next_view",
        "v",
        "view",
        "Draw the game in half blocks, as ASCII in colour, or as plain ASCII.",
        "Watch",
    ),
    *(
        KeyAction(
            (str(number),),
            f"show_pane('{pane.key}')",
            f"1-{len(PANES)}",
            "",
            "Show this pane, where panes share a place." if number == 1 else "",
            "Watch",
        )
        for number, pane in enumerate(PANES, start=1)
    ),
    KeyAction(
        ("tab",),
        "next_pane(1)",
        "tab",
        "",
        "Show the next pane (shift+tab: the one before).",
        "Watch",
        is_priority=True,
    ),
    KeyAction(("shift+tab",), "next_pane(-1)", "", "", "", "Watch", is_priority=True),
    KeyAction(
        ("C",),
        "toggle_steering",
        "C",
        "control",
        "Attached with others: ask to be the one that steers; in control: leave it to another.",
        "Program",
        _beside_others,
    ),
    KeyAction(
        ("Q",),
        "stop_run",
        "Q",
        "stop the run",
        "Attached: save and end the run itself; q only leaves it.",
        "Program",
        _attached,
    ),
    KeyAction(("s",), "save", "s", "save", "Write a checkpoint now.", "Program"),
    KeyAction(("question_mark",), "help", "?", "help", "Show or leave this list.", "Program"),
    KeyAction(
        ("q", "ctrl+c", "ctrl+q"),
        "quit_run",
        "q",
        "quit",
        "Save and quit (ctrl+c does the same); asked twice, quit without waiting.",
        "Program",
        is_priority=True,
    ),
)


def bindings() -> list[Binding]:
    """Return Textual's bindings for the table."""
    return [
        Binding(
            ",".join(entry.keys),
            entry.action,
            entry.help,
            show=False,
            priority=entry.is_priority,
            id=entry.action,
        )
        for entry in ACTIONS
    ]


def is_enabled(action: str, argument: object, state: DashboardState) -> bool:
    """Tell whether an action makes sense now; unknown ones do."""
    wanted = {action, f"{action}({argument!r})"}
    for entry in ACTIONS:
        if entry.action in wanted:
            return entry.is_enabled(state)
    return True


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key in the footer."""

    shown: str
    label: str
    action: str


def footer_hints(state: DashboardState) -> list[KeyHint]:
    """Return the keys that matter now, in the order of the table."""
    hints = []
    for entry in ACTIONS:
        is_in_the_way = state.is_human and entry.action in ("next_view", "save")
        if not entry.label or not entry.is_enabled(state) or is_in_the_way:
            continue
        label = entry.label
        if entry.action == "toggle_pause" and state.is_paused:
            label = "go on"
        elif entry.action == "toggle_control" and state.is_human:
            label = "give back"
        hints.append(KeyHint(entry.shown, label, entry.action))
    return hints


def help_groups() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the help: headings, each with (keys, sentence)."""
    shown = sorted((entry for entry in ACTIONS if entry.help), key=lambda entry: entry.group)
    order = list(dict.fromkeys(entry.group for entry in ACTIONS))
    groups = {
        group: [(entry.shown, entry.help) for entry in entries]
        for group, entries in groupby(shown, key=lambda entry: entry.group)
    }
    return [(group, groups[group]) for group in order]
