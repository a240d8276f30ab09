"""List every key once: bindings, footer, help, palette and docs are made from this table.

The keys of a pane stand in its class, `Pane.KEYS`; `pokeTUI.keys.keymap` puts both together.
"""

from functools import partial

from engine.types import DIRECTIONS, ActionSet, GameAction
from pokeTUI.dashboard.conditions import (
    beside_others,
    by_agent,
    by_hand,
    evaluating,
    kept_states,
    lacks,
    pausable,
    paused,
    replaying,
    saved_runs,
    several_games,
    started,
    takeable,
    with_model,
)
from pokeTUI.key_names import shown_key
from pokeTUI.keys.entry import PLAY, PROGRAM, RUN, SCREEN, SEEK, STEER, WATCH, KeyAction
from pokeTUI.keys.recording_keys import RECORDING
from pokeTUI.layout import FRAMES
from pokeTUI.panes.kinds import pane_infos
from pokeTUI.splits import GAME

SPEEDS = (1.0, 3.0, 6.0, 12.0, 30.0, 60.0, 0.0)
"""Actions a second; 3 is the game's own pace, 0 is unlimited."""


def game_entries(actions: ActionSet) -> tuple[KeyAction, ...]:
    """Return an entry for each action that a key presses: directions first, as one in the help."""
    pressed = {index: action for index, action in enumerate(actions) if action.keys}
    ways = [index for way in DIRECTIONS if (index := actions.index(way)) in pressed]
    keys = [shown_key(pressed[index].keys[0]) for index in ways]
    shown = ("" if all(len(key) == 1 for key in keys) else " ").join(keys)
    others = [index for index in pressed if index not in ways]
    return (
        *(_press(index, pressed[index], shown, "walk") for index in ways[:1]),
        *(_press(index, pressed[index], "", "") for index in ways[1:]),
        *(_press(i, pressed[i], shown_key(pressed[i].keys[0]), pressed[i].name) for i in others),
    )


def _press(index: int, action: GameAction, shown: str, label: str) -> KeyAction:
    return KeyAction(
        action.keys,
        f"press({index})",
        shown,
        label,
        action.help or f"{action.name}.",
        PLAY,
        by_hand,
        name=f"button_{action.name.lower()}",
        rank=1,
    )


_PLAYING = (
    KeyAction(
        ("l",),
        "toggle_live",
        "l",
        "live",
        "Play in real time: the game runs on, and buttons are held; or by turns again.",
        PLAY,
        by_hand,
        name="live",
        rank=2,
    ),
)

_RUNNING = (
    KeyAction(
        ("p", "space"),
        "toggle_pause",
        "p",
        "pause",
        "Pause or go on (space does the same).",
        RUN,
        pausable,
        name="pause",
        rank=1,
    ),
    KeyAction(
        ("full_stop",),
        "step_once",
        ".",
        "step",
        "Take one step while paused.",
        RUN,
        paused,
        name="step",
        rank=1,
    ),
    KeyAction(
        ("plus", "equals_sign"),
        "change_speed(1)",
        "+ -",
        "speed",
        "Faster or slower: 1, 3 (the game's own pace), 6, 12, 30 or 60 actions a second, no limit.",
        RUN,
        by_agent,
        name="faster",
        rank=3,
    ),
    KeyAction(
        ("minus", "underscore"),
        "change_speed(-1)",
        "",
        "",
        "Slower.",
        RUN,
        by_agent,
        name="slower",
    ),
    KeyAction(
        ("t",),
        "toggle_control",
        "t",
        "play",
        "Take the game over, or give it back to the agent; in a replay, play on from there. "
        "Training waits while you play.",
        RUN,
        takeable,
        name="take_over",
        rank=1,
    ),
    KeyAction(("s",), "save", "s", "save", "Write a checkpoint now.", RUN, rank=4),
    KeyAction(
        ("R",),
        "restart",
        "R",
        "",
        "Restart the watched game: its episode ends here and does not count.",
        RUN,
        started,
    ),
    KeyAction(
        ("K",),
        "keep_state",
        "K",
        "",
        "Keep the watched game's state of now, to branch from later.",
        RUN,
        started,
    ),
    KeyAction(
        ("B",),
        "branch",
        "B",
        "",
        "Branch: let the watched game go on from a kept state.",
        RUN,
        kept_states,
    ),
    KeyAction(
        ("Q",),
        "stop_run",
        "Q",
        "",
        "Stop the run: save, end it, and stay to look at the screen; other viewers leave.",
        RUN,
        name="stop",
    ),
    KeyAction(
        ("E",),
        "skip_evaluation",
        "E",
        "",
        "Leave the evaluation that is going on; the next one comes when it is due.",
        RUN,
        evaluating,
    ),
)

_SEEKING = (
    KeyAction(
        ("left",),
        "seek(-10)",
        "← →",
        "10 steps",
        "Go 10 steps back, or on.",
        SEEK,
        replaying,
        name="seek_back",
        rank=1,
    ),
    KeyAction(("right",), "seek(10)", "", "", "Go 10 steps on.", SEEK, replaying, name="seek_on"),
    KeyAction(
        ("home",),
        "seek_to(0)",
        "home end",
        "",
        "Go to the beginning of the episode, or to its end.",
        SEEK,
        replaying,
        name="seek_start",
    ),
    KeyAction(("end",), "seek_to(1)", "", "", "Go to the end.", SEEK, replaying, name="seek_end"),
)

_STEERING = (
    KeyAction(
        ("C",),
        "toggle_steering",
        "C",
        "control",
        "Take control, or give it: of several attached viewers one steers; it is told who asks.",
        WATCH,
        beside_others,
        name="control",
        rank=1,
    ),
    KeyAction(
        ("M",),
        "set_mode",
        "M",
        "",
        "Choose the mode: planner and policy together, or one of them alone.",
        STEER,
        started,
        name="mode",
    ),
    KeyAction(
        ("S",),
        "set_strategy",
        "S",
        "",
        "Choose the strategy: how far the planner is followed.",
        STEER,
        started,
        name="strategy",
    ),
    KeyAction(
        ("G",),
        "set_goal",
        "G",
        "",
        "Choose the goal that the rule planner pursues before all others.",
        STEER,
        started,
        name="goal",
    ),
    KeyAction(
        ("W",),
        "wish",
        "W",
        "",
        "Write in words what the language model shall aim at.",
        STEER,
        with_model,
    ),
)

_WATCHING = (
    KeyAction(
        ("n",),
        "watch(1)",
        "n N",
        "game",
        "Watch the next of the games that are played at once, or the one before.",
        WATCH,
        several_games,
        name="next_game",
        rank=3,
    ),
    KeyAction(
        ("N",),
        "watch(-1)",
        "",
        "",
        "Watch the game before.",
        WATCH,
        several_games,
        name="previous_game",
    ),
    KeyAction(
        ("number_sign",),
        "watch_number",
        "#",
        "",
        "Watch a game by its number.",
        WATCH,
        several_games,
        name="game_number",
    ),
    KeyAction(
        ("v",),
        "next_view",
        "v",
        "view",
        "Draw the game in the next way: block characters, letters, or pixels.",
        WATCH,
        name="view",
        rank=4,
    ),
)


def _pane_entries() -> tuple[KeyAction, ...]:
    """Return the keys that show a pane or hide it: a digit each, as far as they go."""
    infos = pane_infos()
    game = KeyAction(
        ("0",),
        f"show_pane('{GAME}')",
        f"0-{min(9, len(infos))}",
        "",
        "Show this pane, or hide it; 0 is the game. Where panes are tabs: choose the tab.",
        SCREEN,
        partial(lacks, need=FRAMES),
        name=f"pane_{GAME}",
    )
    others = (
        KeyAction(
            (str(number),) if number <= 9 else (),
            f"show_pane('{info.key}')",
            "",
            "",
            f"Show or hide: {info.title}.",
            SCREEN,
            partial(lacks, need=info.needs),
            name=f"pane_{info.key}",
        )
        for number, info in enumerate(infos, start=1)
    )
    return game, *others


_ARRANGING = (
    KeyAction(
        ("tab",),
        "next_pane(1)",
        "tab",
        "pane",
        "Move the keyboard to the next pane (shift+tab: the one before).",
        SCREEN,
        name="next_pane",
        rank=4,
    ),
    KeyAction(
        ("shift+tab",),
        "next_pane(-1)",
        "",
        "",
        "Move the keyboard to the pane before.",
        SCREEN,
        name="previous_pane",
    ),
    KeyAction(
        ("Z",),
        "zoom",
        "Z",
        "zoom",
        "Zoom: let the pane with the keyboard fill the screen, or put it back.",
        SCREEN,
        rank=6,
    ),
    KeyAction(
        ("L",),
        "present",
        "L",
        "",
        "Presentation: the game large, and little beside it; again goes back.",
        SCREEN,
        name="presentation",
    ),
    KeyAction(
        ("greater_than_sign", "ctrl+right"),
        "resize('wider')",
        "< >",
        "",
        "Make the pane with the keyboard narrower or wider (ctrl+arrows do the same).",
        SCREEN,
        name="wider",
    ),
    KeyAction(
        ("less_than_sign", "ctrl+left"),
        "resize('narrower')",
        "",
        "",
        "Make the pane narrower.",
        SCREEN,
        name="narrower",
    ),
    KeyAction(
        ("right_curly_bracket", "ctrl+down"),
        "resize('taller')",
        "{ }",
        "",
        "Make it lower or taller (ctrl+arrows do the same).",
        SCREEN,
        name="taller",
    ),
    KeyAction(
        ("left_curly_bracket", "ctrl+up"),
        "resize('lower')",
        "",
        "",
        "Make the pane lower.",
        SCREEN,
        name="lower",
    ),
    KeyAction(
        ("ctrl+r",),
        "reset_layout",
        "ctrl+r",
        "",
        "Show all panes again, in the sizes that suit the terminal.",
        SCREEN,
    ),
    KeyAction(
        ("T",),
        "next_theme",
        "T",
        "",
        "Use the next theme: dark, light, high contrast, colour-blind safe.",
        SCREEN,
        name="theme",
    ),
)

_PROGRAM = (
    KeyAction(
        ("ctrl+p",),
        "command_palette",
        "ctrl+p",
        "",
        "Find an action by typing a part of its name.",
        PROGRAM,
        name="palette",
    ),
    KeyAction(
        ("comma",),
        "settings",
        ",",
        "",
        "Settings: look at what the run is set to, change what can be changed.",
        PROGRAM,
    ),
    KeyAction(
        ("O",),
        "runs",
        "O",
        "",
        "Other runs: look what is saved, and compare one with this run.",
        PROGRAM,
        saved_runs,
    ),
    KeyAction(
        ("P",),
        "picture",
        "P",
        "",
        "Picture: write the screen as an SVG file into the run's folder, under screenshots.",
        PROGRAM,
    ),
    KeyAction(
        ("question_mark", "f1"), "help", "?", "help", "Show or leave this list.", PROGRAM, rank=0
    ),
    KeyAction(
        ("q",),
        "quit_run",
        "q",
        "quit",
        "Save and quit (ctrl+c does the same); asked twice, quit without waiting.",
        PROGRAM,
        name="quit",
        rank=0,
    ),
    KeyAction(
        ("ctrl+c", "ctrl+q"),
        "leave",
        "",
        "",
        "Leave what is in front; if nothing is, save and quit.",
        PROGRAM,
        is_priority=True,
    ),
    KeyAction(
        ("ctrl+z",),
        "suspend",
        "ctrl+z",
        "",
        "Suspend the program, back to the shell: fg resumes it.",
        PROGRAM,
        is_priority=True,
    ),
)

ALWAYS = frozenset({"take_over", "palette", "help", "quit", "leave", "suspend"})
"""Their keys are never the game's: whoever plays must find the way out."""


def entries_for(actions: ActionSet) -> list[KeyAction]:
    """Return what works everywhere in a game with these actions."""
    return [
        *_RUNNING,
        *game_entries(actions),
        *_PLAYING,
        *RECORDING,
        *_SEEKING,
        *_STEERING,
        *_WATCHING,
        *_pane_entries(),
        *_ARRANGING,
        *_PROGRAM,
    ]
