"""List every key once: bindings, footer, help, palette and docs are made from this table.

The keys of a pane stand in its class, `Pane.KEYS`, and those of a game in its actions;
`pokeTUI.keys.keymap` puts all together.
"""

from functools import partial

from pokeTUI.dashboard.conditions import (
    beside_others,
    by_agent,
    by_hand,
    evaluating,
    kept_states,
    pausable,
    paused,
    recording,
    replaying,
    rewindable,
    saved_runs,
    several_games,
    started,
    takeable,
    with_model,
)
from pokeTUI.keys.entry import (
    PLAY,
    PROGRAM,
    RECORD,
    RUN,
    SCREEN,
    SEEK,
    STEER,
    WATCH,
    KeyAction,
)

REWOUND = 10
"""Actions that one press takes back."""
SPEEDS = (1.0, 3.0, 6.0, 12.0, 30.0, 60.0, 0.0)
"""Actions a second; 3 is the game's own pace, 0 is unlimited."""


_run, _play, _record, _seek, _steer, _watch, _screen, _program = (
    partial(KeyAction, group) for group in (RUN, PLAY, RECORD, SEEK, STEER, WATCH, SCREEN, PROGRAM)
)

RUN_KEYS = (
    _run(
        ("p", "space"),
        "toggle_pause",
        "Pause or go on (space does the same).",
        pausable,
        label="pause",
        rank=1,
    ),
    _run(("full_stop",), "step_once", "Take one step while paused.", paused, label="step", rank=1),
    _run(
        ("plus", "equals_sign"),
        "change_speed(1)",
        "Faster or slower: 1, 3 (the game's own pace), 6, 12, 30 or 60 actions a second, no limit.",
        by_agent,
        name="faster",
        label="speed",
        display="+ -",
        rank=3,
    ),
    _run(
        ("minus", "underscore"), "change_speed(-1)", "Slower.", by_agent, name="slower", display=""
    ),
    _run(
        ("t",),
        "toggle_control",
        "Take the game over, or give it back to the agent; in a replay, play on from there. "
        "Training waits while you play.",
        takeable,
        name="take_over",
        label="play",
        rank=1,
    ),
    _run(("s",), "save", "Write a checkpoint now.", label="save", rank=4),
    _run(
        ("R",),
        "restart",
        "Restart the watched game: its episode ends here and does not count.",
        started,
    ),
    _run(
        ("K",), "keep_state", "Keep the watched game's state of now, to branch from later.", started
    ),
    _run(("B",), "branch", "Branch: let the watched game go on from a kept state.", kept_states),
    _run(
        ("Q",),
        "stop_run",
        "Stop the run: save, end it, and stay to look at the screen; other viewers leave.",
        name="stop",
    ),
    _run(
        ("E",),
        "skip_evaluation",
        "Leave the evaluation that is going on; the next one comes when it is due.",
        evaluating,
    ),
)

PLAY_KEYS = (
    _play(
        ("l",),
        "toggle_live",
        "Play in real time: the game runs on, and buttons are held; or by turns again.",
        by_hand,
        label="live",
        rank=2,
    ),
    _record(
        ("d",),
        "toggle_recording",
        "Record a demonstration from here on; again: save it.",
        started,
        label="record",
        rank=4,
    ),
    _record(
        ("u",),
        f"rewind({REWOUND})",
        f"Take the last {REWOUND} actions back, and go on from there.",
        rewindable,
        name="rewind",
        label="undo",
        rank=2,
    ),
    _record(("U",), "rewind_more", "Take back as many actions as you say.", rewindable),
    _record(
        ("X",),
        "record_again",
        "Throw the demonstration away, and record it again from where it began; it asks first.",
        recording,
        name="record_again",
        label="retake",
        rank=2,
    ),
    _record(
        ("D",),
        "discard_recording",
        "Throw the demonstration away; it asks first.",
        recording,
        label="discard",
        rank=2,
    ),
    _record(
        ("asterisk",),
        "mark_recording",
        "Mark that the demonstration shows what was wanted, or take that back.",
        recording,
        label="mark",
        rank=4,
    ),
    _record(
        ("ampersand",),
        "mark_in_words",
        "Note in words what was reached at this moment; that marks nothing.",
        recording,
    ),
    _record(
        ("e",),
        "describe_recording",
        "Say in words what the demonstration shows, and give it tags.",
        recording,
        name="describe",
        label="words",
    ),
    _seek(
        ("left",),
        "seek(-10)",
        "Go 10 steps back, or on.",
        replaying,
        name="seek_back",
        label="10 steps",
        display="← →",
        rank=1,
    ),
    _seek(("right",), "seek(10)", "Go 10 steps on.", replaying, name="seek_on", display=""),
    _seek(
        ("home",),
        "seek_to(0)",
        "Go to the beginning of the episode, or to its end.",
        replaying,
        name="seek_start",
        display="home end",
    ),
    _seek(("end",), "seek_to(1)", "Go to the end.", replaying, name="seek_end", display=""),
    _watch(
        ("C",),
        "toggle_steering",
        "Take control, or give it: of several attached viewers one steers; it is told who asks.",
        beside_others,
        label="control",
        rank=1,
    ),
    _steer(
        ("M",),
        "set_mode",
        "Choose the mode: planner and policy together, or one of them alone.",
        started,
        name="mode",
    ),
    _steer(
        ("S",),
        "set_strategy",
        "Choose the strategy: how far the planner is followed.",
        started,
        name="strategy",
    ),
    _steer(
        ("G",),
        "set_goal",
        "Choose the goal that the rule planner pursues before all others.",
        started,
        name="goal",
    ),
    _steer(("W",), "wish", "Write in words what the language model shall aim at.", with_model),
    _watch(
        ("n",),
        "watch(1)",
        "Watch the next of the games that are played at once, or the one before.",
        several_games,
        name="next_game",
        label="game",
        display="n N",
        rank=3,
    ),
    _watch(
        ("N",),
        "watch(-1)",
        "Watch the game before.",
        several_games,
        name="previous_game",
        display="",
    ),
    _watch(
        ("number_sign",),
        "watch_number",
        "Watch a game by its number.",
        several_games,
        name="game_number",
    ),
    _watch(
        ("v",),
        "next_view",
        "Draw the game in the next way: block characters, letters, or pixels.",
        label="view",
        rank=4,
    ),
)


PROGRAM_KEYS = (
    _screen(
        ("tab",),
        "next_pane(1)",
        "Move the keyboard to the next pane (shift+tab: the one before).",
        name="next_pane",
        label="pane",
        display="tab",
        rank=2,
    ),
    _screen(
        ("shift+tab",),
        "next_pane(-1)",
        "Move the keyboard to the pane before.",
        name="previous_pane",
        display="",
    ),
    _screen(
        ("Z",),
        "zoom",
        "Zoom: let the pane with the keyboard fill the screen, or put it back.",
        label="zoom",
        rank=6,
    ),
    _screen(
        ("L",),
        "present",
        "Presentation: the game large, and little beside it; again goes back.",
        name="presentation",
    ),
    _screen(
        ("greater_than_sign", "ctrl+right"),
        "resize('wider')",
        "Make the pane with the keyboard narrower or wider (ctrl+arrows do the same).",
        name="wider",
        display="< >",
    ),
    _screen(
        ("less_than_sign", "ctrl+left"),
        "resize('narrower')",
        "Make the pane narrower.",
        name="narrower",
        display="",
    ),
    _screen(
        ("right_curly_bracket", "ctrl+down"),
        "resize('taller')",
        "Make it lower or taller (ctrl+arrows do the same).",
        name="taller",
        display="{ }",
    ),
    _screen(
        ("left_curly_bracket", "ctrl+up"),
        "resize('lower')",
        "Make the pane lower.",
        name="lower",
        display="",
    ),
    _screen(
        ("ctrl+r",), "reset_layout", "Show all panes again, in the sizes that suit the terminal."
    ),
    _screen(
        ("T",),
        "next_theme",
        "Use the next theme: dark, light, high contrast, colour-blind safe.",
        name="theme",
    ),
    _program(
        ("ctrl+p",),
        "command_palette",
        "Find an action by typing a part of its name.",
        name="palette",
    ),
    _program(
        ("comma",),
        "settings",
        "Settings: look at what the run is set to, change what can be changed.",
    ),
    _program(
        ("O",), "runs", "Other runs: look what is saved, and compare one with this run.", saved_runs
    ),
    _program(
        ("P",),
        "picture",
        "Picture: write the screen as an SVG file into the run's folder, under screenshots.",
    ),
    _program(("question_mark", "f1"), "help", "Show or leave this list.", label="help", rank=0),
    _program(
        ("q",),
        "quit_run",
        "Save and quit (ctrl+c does the same); asked twice, quit without waiting.",
        label="quit",
        rank=0,
    ),
    _program(
        ("ctrl+c", "ctrl+q"),
        "leave",
        "Leave what is in front; if nothing is, save and quit.",
        display="",
        is_priority=True,
    ),
    _program(
        ("ctrl+z",),
        "suspend",
        "Suspend the program, back to the shell: fg resumes it.",
        is_priority=True,
    ),
)

ALWAYS = frozenset({"take_over", "palette", "help", "quit", "leave", "suspend"})
"""Their keys are never the game's: whoever plays must find the way out."""
