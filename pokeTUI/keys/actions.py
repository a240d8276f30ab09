"""List every key once: bindings, footer, help, palette and docs are made from this table.

The keys of a pane stand in its class, `Pane.KEYS`; `pokeTUI.keys.keymap` puts both together.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.events import REPLAY
from engine.types import Action
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.layout import GAME, PANES

SPEEDS = (1.0, 3.0, 6.0, 12.0, 30.0, 60.0, 0.0)
"""Actions a second; 3 is the game's own pace, 0 is unlimited."""

RUN, PLAY, SEEK, STEER, WATCH, SCREEN, PROGRAM = (
    "Run",
    "While you play",
    "In a replay",
    "Steer",
    "Watch",
    "Screen",
    "Program",
)
"""Headings, in the order of the help."""

WhyNot = Callable[[DashboardState], str]


def _always(state: DashboardState) -> str:
    return ""


def _by_hand(state: DashboardState) -> str:
    return "" if state.is_human else "only while you play"


def is_replay(state: DashboardState) -> bool:
    """Tell whether a recorded episode is played again."""
    return state.run is not None and state.run.mode == REPLAY


def _replaying(state: DashboardState) -> str:
    return "" if is_replay(state) else "only in a replay"


def _evaluating(state: DashboardState) -> str:
    is_going_on = state.status is not None and state.status.phase == "evaluating"
    return "" if is_going_on else "no evaluation is going on"


def _saved_runs(state: DashboardState) -> str:
    if state.run is None:
        return "the run is still starting"
    return "the run is on another machine" if not Path(state.run.run_dir).is_dir() else ""


def _by_agent(state: DashboardState) -> str:
    return "not while you play" if state.is_human else ""


def _paused(state: DashboardState) -> str:
    return _by_agent(state) or ("" if state.is_paused else "only while paused")


def _several_games(state: DashboardState) -> str:
    if state.run is not None and state.run.num_envs < 2:
        return "there is only one game"
    return _by_agent(state)


def _started(state: DashboardState) -> str:
    return "" if state.run is not None else "the run is still starting"


def _kept_states(state: DashboardState) -> str:
    return "" if state.kept_states else "no state is kept yet: K keeps one"


def _with_model(state: DashboardState) -> str:
    if state.planner.status is None:
        return "no language model is asked in this run: start it with --llm-model"
    return ""


def _beside_others(state: DashboardState) -> str:
    viewers = state.viewers
    if viewers is None:
        return "this is no attached viewer"
    return "" if viewers.viewers > 1 or not viewers.is_yours else "there is no other viewer"


@dataclass(frozen=True, slots=True)
class KeyAction:
    """Something a key does.

    Attributes:
        keys: Textual key names.
        action: What Textual calls, e.g. "press('A')".
        shown: The keys as people read them; "" keeps it out of the help, for another entry's
            sentence tells of it.
        label: In the footer; "" keeps it out.
        help: One sentence.
        group: Heading in the help.
        why_not: Why it makes no sense now, "" if it does.
        is_priority: Acts whatever is on the screen.
        name: What the keymap calls it; "" if that is `action`.
        rank: The lower, the longer it stays where the footer has little room.
        pane: The pane that must have the keyboard, "" if it works everywhere.
    """

    keys: tuple[str, ...]
    action: str
    shown: str
    label: str
    help: str
    group: str
    why_not: WhyNot = _always
    is_priority: bool = False
    name: str = ""
    rank: int = 5
    pane: str = ""

    @property
    def id(self) -> str:
        """What the keymap calls it."""
        return self.name or self.action

    @property
    def title(self) -> str:
        """What it does, shorter than the sentence."""
        return self.help.partition(":")[0].partition(" (")[0].partition(". ")[0].rstrip(".")

    def refusal(self, state: DashboardState) -> str:
        """Return why it makes no sense now, "" if it does."""
        if self.group in (RUN, PLAY, STEER):
            if state.end is not None:
                return "the run is over"
            if state.viewers is not None and not state.viewers.is_yours:
                return "another viewer is in control: C asks for it"
            if is_replay(state) and self.id not in _IN_A_REPLAY:
                return "not in a replay: nothing of it can be changed"
        return self.why_not(state)


def _press(keys: str, action: Action, shown: str, label: str, help_text: str) -> KeyAction:
    return KeyAction(
        tuple(keys.split()),
        f"press('{action.name}')",
        shown,
        label,
        help_text,
        PLAY,
        _by_hand,
        name=f"button_{action.name.lower()}",
        rank=1,
    )


_PLAYING = (
    _press("up", Action.UP, "↑↓←→", "walk", "Walk, or move the cursor."),
    _press("down", Action.DOWN, "", "", "Walk down."),
    _press("left", Action.LEFT, "", "", "Walk left."),
    _press("right", Action.RIGHT, "", "", "Walk right."),
    _press("z a", Action.A, "z", "A", "The A button (the key a does the same)."),
    _press("x b", Action.B, "x", "B", "The B button (the key b does the same)."),
    _press("enter", Action.START, "enter", "START", "The START button."),
    _press("backspace", Action.SELECT, "bksp", "SELECT", "The SELECT button."),
    KeyAction(
        ("l",),
        "toggle_live",
        "l",
        "real time",
        "Play in real time: the game runs on, and buttons are held; or by turns again.",
        PLAY,
        _by_hand,
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
        _by_agent,
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
        _paused,
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
        _by_agent,
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
        _by_agent,
        name="slower",
    ),
    KeyAction(
        ("t",),
        "toggle_control",
        "t",
        "play",
        "Take the game over, or give it back to the agent. Training waits while you play.",
        RUN,
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
        _started,
    ),
    KeyAction(
        ("K",),
        "keep_state",
        "K",
        "",
        "Keep the watched game's state of now, to branch from later.",
        RUN,
        _started,
    ),
    KeyAction(
        ("B",),
        "branch",
        "B",
        "",
        "Branch: let the watched game go on from a kept state.",
        RUN,
        _kept_states,
    ),
    KeyAction(
        ("Q",),
        "stop_run",
        "Q",
        "",
        "Stop the run: save, end it, and stay to look at the screen.",
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
        _evaluating,
    ),
)

_IN_A_REPLAY = frozenset({"pause", "step", "faster", "slower"})

_SEEKING = (
    KeyAction(
        ("left",),
        "seek(-10)",
        "← →",
        "10 steps",
        "Go 10 steps back, or on.",
        SEEK,
        _replaying,
        name="seek_back",
        rank=1,
    ),
    KeyAction(("right",), "seek(10)", "", "", "Go 10 steps on.", SEEK, _replaying, name="seek_on"),
    KeyAction(
        ("home",),
        "seek_to(0)",
        "home end",
        "",
        "Go to the beginning of the episode, or to its end.",
        SEEK,
        _replaying,
        name="seek_start",
    ),
    KeyAction(("end",), "seek_to(1)", "", "", "Go to the end.", SEEK, _replaying, name="seek_end"),
)

_STEERING = (
    KeyAction(
        ("C",),
        "toggle_steering",
        "C",
        "control",
        "Attached with others: ask to be the one that steers; in control: leave it to another.",
        WATCH,
        _beside_others,
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
        _started,
        name="mode",
    ),
    KeyAction(
        ("S",),
        "set_strategy",
        "S",
        "",
        "Choose the strategy: how far the planner is followed.",
        STEER,
        _started,
        name="strategy",
    ),
    KeyAction(
        ("G",),
        "set_goal",
        "G",
        "",
        "Choose the goal that the rule planner pursues before all others.",
        STEER,
        _started,
        name="goal",
    ),
    KeyAction(
        ("W",),
        "wish",
        "W",
        "",
        "Write in words what the language model shall aim at.",
        STEER,
        _with_model,
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
        _several_games,
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
        _several_games,
        name="previous_game",
    ),
    KeyAction(
        ("number_sign",),
        "watch_number",
        "#",
        "",
        "Watch a game by its number.",
        WATCH,
        _several_games,
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

_ARRANGING = (
    KeyAction(
        ("0",),
        f"show_pane('{GAME}')",
        f"0-{len(PANES)}",
        "",
        "Show this pane, or hide it; 0 is the game. Where panes are tabs: choose the tab.",
        SCREEN,
        name=f"pane_{GAME}",
    ),
    *(
        KeyAction(
            (str(number),),
            f"show_pane('{pane.key}')",
            "",
            "",
            f"Show or hide: {pane.title}.",
            SCREEN,
            name=f"pane_{pane.key}",
        )
        for number, pane in enumerate(PANES, start=1)
    ),
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
        _saved_runs,
    ),
    KeyAction(
        ("P",),
        "picture",
        "P",
        "",
        "Picture: write the screen as an SVG file into the folder screenshots.",
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
)

ACTIONS: tuple[KeyAction, ...] = (
    *_RUNNING,
    *_PLAYING,
    *_SEEKING,
    *_STEERING,
    *_WATCHING,
    *_ARRANGING,
    *_PROGRAM,
)
"""What works everywhere. The buttons of the game win over the keys of panes, these over others."""
