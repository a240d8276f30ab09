"""Describe one action of the table of keys."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pokeTUI.dashboard.conditions import READ_ONLY, WhyNot, always, is_replay, trains
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.terminal.key_names import shown_key

RUN, PLAY, RECORD, SEEK, STEER, WATCH, SCREEN, PROGRAM, BATTLE, CHOOSE = (
    "Run",
    "While you play",
    "Record a demonstration",
    "In a replay",
    "Steer",
    "Watch",
    "Screen",
    "Program",
    "Battles",
    "While you play a battle",
)
"""Headings, in the order of the help."""
_STEERING = (RUN, PLAY, RECORD, STEER)
"""What is under these changes what is in progress."""
_FOR_ALL = frozenset({"next_game", "previous_game", "game_number"})
"""They change what every viewer of a run is shown."""
_IN_A_REPLAY = frozenset({"pause", "step", "faster", "slower", "take_over"})
_WHILE_RECORDING = _IN_A_REPLAY | {"restart", "stop", "save_state", "branch"}
"""Of what is under RUN and STEER, what there is where only demonstrations are recorded."""
BATTLES = "battles"
"""The battle screen, which has keys of its own."""
SLOTS = ("save_slot_", "load_slot_")
"""How the actions of the save slots begin, which are there as well."""


@dataclass(frozen=True, slots=True)
class KeyAction:
    """Something a key does.

    Attributes:
        group: Heading in the help.
        keys: Textual key names.
        action: What Textual calls, e.g. "press('A')".
        why_not: Why it makes no sense now, "" if it does.
        name: What the keymap calls it; "" if that is its label or, without one, `action`.
        label: In the footer; "" keeps it out.
        display: The keys as people read them, where that is not the first of them; "" keeps it out
            of the help, for another entry's sentence covers it.
        rank: The lower, the longer it stays where the footer has little room.
        pane: The pane that must have the keyboard, "" if it works everywhere.
        is_priority: Acts whatever is on the screen.
        screen: BATTLES: only on the battle screen; "": in the cockpit.
        synonyms: Other words by which the command palette finds it.
    """

    group: str
    keys: tuple[str, ...]
    action: str
    help: str
    why_not: WhyNot = always
    name: str = ""
    label: str = ""
    display: str | None = None
    rank: int = 5
    pane: str = ""
    is_priority: bool = False
    screen: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """What the keymap calls it."""
        return self.name or self.label or self.action

    @property
    def shown(self) -> str:
        """The keys as people read them, "" where it is not in the help."""
        return shown_key(self.keys[0]) if self.display is None else self.display

    @property
    def width(self) -> int:
        """Cells that it takes in the footer."""
        return len(self.shown) + 1 + len(self.label)

    @property
    def title(self) -> str:
        """What it does, shorter than the sentence."""
        first = self.help.partition(":")[0].partition(" (")[0].partition(". ")[0]
        return first.partition("; ")[0].rstrip(".")

    @property
    def is_button(self) -> bool:
        """Return whether it presses a button of the game."""
        return self.action.startswith("press(")

    @property
    def button(self) -> int:
        """Return the game's action that it presses; only for a button."""
        return int(self.action.removeprefix("press(").removesuffix(")"))

    def with_keys(self, keys: Iterable[str]) -> "KeyAction":
        """Return the entry on other keys; "-" is shown where there is none."""
        keys = tuple(keys)
        return replace(self, keys=keys, display=" ".join(map(shown_key, keys)) or "-")

    def refusal(self, state: DashboardState) -> str:
        """Return why it makes no sense now, "" if it does."""
        if self.group in _STEERING and state.end is not None:
            return "the run has ended"
        is_steering = self.group in _STEERING or self.id in _FOR_ALL
        if is_steering and state.viewers is not None and not state.viewers.is_yours:
            if state.viewers.is_read_only:
                return READ_ONLY
            held = state.viewers.is_held
            return "another viewer has control: C asks for it" if held else "C takes control first"
        if self.group in _STEERING and is_replay(state) and self.id not in _IN_A_REPLAY:
            return "not available in a replay"
        is_there = self.id in _WHILE_RECORDING or self.id.startswith(SLOTS)
        if self.group in (RUN, STEER) and not is_there and trains(state):
            return trains(state)
        return self.why_not(state)
