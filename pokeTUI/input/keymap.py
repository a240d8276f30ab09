"""Put the game's, the panes' and the app's keys together, as the user wants them.

While a person plays, the game's keys win over the panes' and these over the app's. Only the keys of
`ALWAYS` are the app's even then.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from textual.binding import Binding
from textual.keys import Keys, key_to_character

from engine.errors import ConfigurationError
from engine.types import DIRECTIONS, GAME_BOY_ACTIONS, ActionSet, GameAction
from pokeTUI.dashboard.conditions import (
    is_live,
    is_recording,
    is_replay,
    is_reviewing,
    lacks,
    only_records,
    playable,
)
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.layout import FRAMES
from pokeTUI.draw.menu import Menu
from pokeTUI.draw.splits import GAME
from pokeTUI.input.actions import ALWAYS, BATTLE_KEYS, PLAY_KEYS, PROGRAM_KEYS, RUN_KEYS, SHARED
from pokeTUI.input.entry import BATTLE, BATTLES, PLAY, RUN, SCREEN, SLOTS, WATCH, KeyAction
from pokeTUI.panes import kinds
from pokeTUI.terminal.key_names import shown_key

_RECORDING_RANKS = {"record": 0, "rewind": 1, "button_start": 2, "button_select": 3}
"""While a demonstration is recorded, its keys matter more than buttons that are pressed seldom."""
QUIET_S = 10.0
"""A refusal is not repeated for so long, however often the key is pressed."""
_FORMER_NAMES = MappingProxyType(
    {
        "rewards.earlier": "rewards.newer",
        "rewards.later": "rewards.older",
        "keep_state": "save_state",
        "wish": "instruct",
    }
)
"""What actions were called in an earlier version; preferences may still name them so."""
_BUTTON = "button_"
"""How the names of the game's buttons begin."""
_KNOWN = frozenset(key.value for key in Keys) | {"space"}


class KeyTable:
    """All actions, with the keys of the user.

    Args:
        keymap: By action's name: keys with commas between; those of another game's buttons wait
            for it.
        origin: Where that is from, for errors.
        screen: BATTLES for the battle screen, "" for the cockpit.

    Attributes:
        buttons: Action of the game by key.

    Raises:
        ConfigurationError: An action or a key is unknown, or a key would have two meanings.
    """

    def __init__(
        self, keymap: Mapping[str, str] | None = None, origin: str = "keys", screen: str = ""
    ) -> None:
        self._screen = screen
        try:
            self._keymap = {
                _FORMER_NAMES.get(name, name): tuple(
                    _parse(name, key.strip()) for key in keys.split(",") if keys
                )
                for name, keys in (keymap or {}).items()
            }
            _check(self._keymap, self._mapped(GAME_BOY_ACTIONS))
        except ConfigurationError as error:
            raise ConfigurationError(f"{origin}: {error.message}", error.hint) from None
        self.use(GAME_BOY_ACTIONS)

    def use(self, actions: ActionSet) -> None:
        """Take the actions of a game."""
        entries = [one for one in self._mapped(actions) if _is_on(one, self._screen)]
        always = {key for entry in entries if entry.id in ALWAYS for key in entry.keys}
        self.entries = tuple(
            entry.with_keys(key for key in entry.keys if key not in always)
            if entry.is_button and always.intersection(entry.keys)
            else entry
            for entry in entries
        )
        self.buttons: dict[str, int] = {}
        for entry in self.entries:
            if entry.is_button:
                self.buttons = {**dict.fromkeys(entry.keys, entry.button), **self.buttons}
        self._by_action = {entry.action: entry for entry in self.entries}
        live = (entry.keys for entry in self.entries if entry.group == PLAY)
        self._played = frozenset(key for keys in live for key in keys)

    def _mapped(self, actions: ActionSet) -> list[KeyAction]:
        """Return all entries with the user's keys, which the slots leave to other actions."""
        taken = {key for keys in self._keymap.values() for key in keys}
        return [
            entry.with_keys(self._keymap[entry.id])
            if entry.id in self._keymap
            else entry.with_keys(key for key in entry.keys if key not in taken)
            if entry.id.startswith(SLOTS) and taken.intersection(entry.keys)
            else entry
            for entry in _defaults(actions)
        ]

    def find(self, action: str, parameters: tuple[object, ...] = ()) -> KeyAction | None:
        """Return the entry for one of Textual's actions, None if it is not in the table."""
        arguments = ", ".join(repr(parameter) for parameter in parameters)
        return self._by_action.get(f"{action}({arguments})" if parameters else action)

    def named(self, name: str) -> KeyAction | None:
        """Return the entry that the keymap calls so, None if this game has none."""
        name = _FORMER_NAMES.get(name, name)
        return next((entry for entry in self.entries if entry.id == name), None)

    def check_names(self, names: Iterable[str], origin: str) -> None:
        """Refuse names that no entry has, nor can have in another game.

        Raises:
            ConfigurationError: An action is unknown; `origin` is where the names are from.
        """
        for name in names:
            if name and self.named(name) is None and not name.startswith(_BUTTON):
                raise _unknown(name, f"{origin}: ")

    def refusal(self, entry: KeyAction, state: DashboardState) -> str:
        """Return why an action makes no sense now, "" if it does."""
        taken = self._played if entry.group != PLAY else frozenset(self.buttons)
        is_taken = bool(entry.keys) and not entry.is_button and taken.issuperset(entry.keys)
        if state.is_played_here and is_taken:
            return "its keys control the game while you play"
        if state.battle.menu and entry.group == BATTLE and set(entry.keys) <= Menu.KEYS:
            return "its keys choose now: tab leads to the views"
        return entry.refusal(state)

    def bindings(self) -> list[Binding]:
        """Return Textual's bindings: the game's buttons first, then panes' keys, then the rest.

        The first that is enabled gets the key.
        """

        def rank(entry: KeyAction) -> tuple[bool, ...]:
            return not entry.is_button, entry.group != PLAY, not entry.pane

        return [
            Binding(
                ",".join(entry.keys),
                entry.action,
                entry.help,
                show=False,
                priority=entry.is_priority,
                id=entry.id,
            )
            for entry in sorted(self.entries, key=rank)
            if entry.keys
        ]

    def footer(self, state: DashboardState, focused: str) -> list[KeyAction]:
        """Return the keys that matter now: the focused pane's, then the app's.

        On the battle screen its own are first, the most important one before the others.
        """
        hints = []
        taken = {key for entry in self.entries if entry.pane == focused for key in entry.keys}
        for entry in sorted(self.entries, key=_footer_place):
            is_elsewhere = entry.pane not in ("", focused)
            is_covered = not entry.pane and bool(entry.keys) and taken >= set(entry.keys)
            is_in_the_way = _is_in_the_way(entry, state)
            if not (entry.label and entry.keys) or is_elsewhere or is_covered or is_in_the_way:
                continue
            if self.refusal(entry, state):
                continue
            rank = _RECORDING_RANKS.get(entry.id, entry.rank) if is_recording(state) else entry.rank
            hints.append(replace(worded(entry, state), rank=rank))
        return hints

    def groups(self) -> list[tuple[str, list[KeyAction]]]:
        """Return the help: headings, each with what stands below it."""
        groups: dict[str, list[KeyAction]] = {}
        for entry in self.entries:
            if entry.shown:
                groups.setdefault(entry.group, []).append(entry)
        return list(groups.items())


class RefusedKeys:
    """Finds why a key that was pressed does nothing."""

    def __init__(self, table: KeyTable, clock: Callable[[], float] = time.monotonic) -> None:
        self._table = table
        self._clock = clock
        self._shown = ("", "")
        self._shown_s = 0.0

    def why(self, key: str, state: DashboardState, focused: str) -> str:
        """Return why `key` does nothing while pane `focused` has the keyboard.

        "" where it does something, means nothing at all, or was explained a moment ago.
        """
        entries = [
            entry
            for entry in self._table.entries
            if key in entry.keys and entry.pane in ("", focused)
        ]
        refusals = [self._table.refusal(entry, state) for entry in entries]
        if not entries or not all(refusals):
            return ""
        refusal, now_s = (key, refusals[0]), self._clock()
        if refusal == self._shown and now_s < self._shown_s + QUIET_S:
            return ""
        self._shown, self._shown_s = refusal, now_s
        label = f" ({entries[0].label})" if entries[0].label else ""
        return f"{shown_key(key)}{label}: {refusals[0]}"


def fitting(hints: list[KeyAction], width: int) -> list[KeyAction]:
    """Return those that fit side by side, two cells apart, the less important left out."""
    chosen: list[KeyAction] = []
    used = 1
    for hint in sorted(hints, key=lambda hint: hint.rank):
        if used + hint.width <= width:
            chosen.append(hint)
            used += hint.width + 2
    return [hint for hint in hints if hint in chosen]


def keys_markdown() -> str:
    """Return a table of all keys for the documentation."""
    lines: list[str] = []
    battles = [one for one in KeyTable(screen=BATTLES).groups() if one[1][0].screen]
    for group, entries in (*KeyTable().groups(), *battles):
        lines += ["", f"## {group}", "", "| Key | In the keymap | What it does |", "|---|---|---|"]
        lines += [
            f"| `{entry.shown}` | `{entry.id}` | {entry.help.replace('|', chr(92) + '|')} |"
            for entry in entries
        ]
    return "\n".join(lines[1:]) + "\n"


def _footer_place(entry: KeyAction) -> tuple[bool, bool, int]:
    return not entry.pane, not entry.screen, entry.rank if entry.screen else 0


def _is_in_the_way(entry: KeyAction, state: DashboardState) -> bool:
    """Return whether an action that is possible would only be in the footer's way now."""
    if state.run is None and entry.group in (RUN, WATCH):
        return True  # nothing is shown that could be steered
    match entry.action:
        case "next_view" | "save":
            return state.is_human
        case "step_once":
            return state.is_human and not is_live(state)
        case "toggle_pause" | "run_back":
            return is_reviewing(state)
        case "scroll(-5)" | "line_on" | "turn(-1)":
            return bool(state.battle.menu)
        case "toggle_recording":  # an agent's play is recorded seldom: the help tells of it
            return not (state.is_human or is_recording(state) or only_records(state))
        case _:
            return False


def worded(entry: KeyAction, state: DashboardState) -> KeyAction:
    """Return an entry with the word and the sentence for what it does now."""
    label, does = _words(entry, state)
    return replace(entry, label=label or entry.label, help=does or entry.help)


def _words(entry: KeyAction, state: DashboardState) -> tuple[str, str]:
    """Return an action's word in the footer and its sentence; "": as in the table."""
    match entry.action:
        case "toggle_pause":
            return ("resume", "Resume.") if state.is_paused else ("", "Pause.")
        case "step_once" if is_live(state):
            return "frame", "Pause, and advance one frame with the held buttons."
        case "toggle_replay" if state.battle.is_playing:
            return "stop", "Stop playing the battle line by line."
        case "choose_marked":
            return state.battle.menu, ""
        case "toggle_gimmick":
            return state.battle.gimmick, ""
        case "toggle_steering" if state.viewers and state.viewers.is_yours:
            return "give control", "Give control to another viewer."
        case "toggle_steering":
            return "take control", "Take control, or ask the viewer that has it."
        case "toggle_control" if state.is_human:
            return "give back", "Give the game back to the agent."
        case "toggle_control" if is_replay(state):
            return "", "Play on from here."
        case "toggle_control":
            return "", "Take the game over; training waits while you play."
        case "toggle_live" if is_live(state):
            return "by turns", "Play turn by turn again."
        case "toggle_recording":
            return _of_recording(state)
        case _:
            return "", ""


def _of_recording(state: DashboardState) -> tuple[str, str]:
    """Return what the key does that begins a demonstration, and ends it."""
    if is_reviewing(state):
        return "keep", "Keep the demonstration."
    if not is_recording(state):
        return "", "Record a demonstration from here on."
    if state.recording is not None and state.recording.has_review:
        return "end", "End the demonstration, and review it before it is kept."
    unrecorded = state.is_human and not only_records(state)
    rest = "; what you play after that is not recorded" if unrecorded else ""
    label = "end" if state.is_human else "end demo"  # there it could mean the run
    return label, f"End the demonstration, and save it{rest}."


def entries_for(actions: ActionSet) -> list[KeyAction]:
    """Return what works everywhere in a game with these actions."""
    return [*RUN_KEYS, *_game_entries(actions), *PLAY_KEYS, *_pane_entries(), *PROGRAM_KEYS]


def _game_entries(actions: ActionSet) -> tuple[KeyAction, ...]:
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
        PLAY,
        action.keys,
        f"press({index})",
        action.help or f"{action.name}.",
        playable,
        f"{_BUTTON}{action.name.lower()}",
        label,
        shown,
        rank=1,
    )


def _pane_entries() -> tuple[KeyAction, ...]:
    """Return the keys that show a pane or hide it: a digit each, as far as they go."""
    infos = kinds.pane_infos()
    game = KeyAction(
        SCREEN,
        ("0",),
        f"show_pane('{GAME}')",
        "Show or hide this pane; 0 is the game. With tabs: select the tab.",
        partial(lacks, need=FRAMES),
        f"pane_{GAME}",
        display=f"0-{min(9, len(infos))}",
    )
    others = (
        KeyAction(
            SCREEN,
            (str(number),) if number <= 9 else (),
            f"show_pane('{info.key}')",
            f"Show or hide: {info.title}.",
            partial(lacks, need=info.needs),
            f"pane_{info.key}",
            display="",
            synonyms=info.synonyms,
        )
        for number, info in enumerate(infos, start=1)
    )
    return game, *others


def _defaults(actions: ActionSet) -> list[KeyAction]:
    """Return the app's entries, the game's among them, and below those of each pane."""
    entries = entries_for(actions)
    for number, pane in enumerate(kinds.PANES, start=1):
        info = pane.INFO
        entries += [
            KeyAction(
                f"{info.title} ({number}), while it has the focus",
                key.keys,
                f"act('{info.key}', '{key.name}')",
                key.help,
                name=f"{info.key}.{key.name}",
                label=key.label,
                display=key.shown,
                rank=2,
                pane=info.key,
            )
            for key in pane.KEYS
        ]
    return [*entries, *BATTLE_KEYS]


def _is_on(entry: KeyAction, screen: str) -> bool:
    """Return whether an entry is one of the battle screen, or of the cockpit where that is ""."""
    return entry.screen == screen or (screen == BATTLES and entry.id in SHARED)


def _check(keymap: Mapping[str, tuple[str, ...]], entries: Iterable[KeyAction]) -> None:
    known = {entry.id: entry for entry in entries}
    for name, keys in keymap.items():
        if name not in known and not name.startswith(_BUTTON):
            raise _unknown(name)
        for other in known.values() if name in known else ():
            shared = sorted(set(keys) & set(other.keys))
            if other.id != name and shared and can_clash(known[name], other):
                raise ConfigurationError(
                    f"{shown_key(shared[0])} is bound to both {name} and {other.id}.",
                    f'Give one of them another key: {other.id} = "...".',
                )


def _unknown(name: str, origin: str = "") -> ConfigurationError:
    return ConfigurationError(
        f"{origin}unknown action '{name}'.", "The help (?) and docs/keys.md list them all."
    )


def _parse(action: str, key: str) -> str:
    """Return Textual's name of a key."""
    *modifiers, base = key.split("+") if len(key) > 1 else [key]
    if len(base) == 1:
        # Only here is a key made from a character; Textual has no public function for it.
        name = next((b.key for b in Binding.make_bindings([Binding(base, "")])), base)
    elif base in _KNOWN or key_to_character(base) is not None:
        name = base
    else:
        name = ""
    if not name or not set(modifiers) <= {"ctrl", "alt", "shift"}:
        raise ConfigurationError(
            f"keys.{action} = '{key}': unknown key.",
            "Use a character or a name such as enter, space, f5, ctrl+g; separate keys by commas.",
        )
    return "+".join([*modifiers, name])


def can_clash(one: KeyAction, other: KeyAction) -> bool:
    """Return whether a key of both would have two meanings at once.

    It has not where one comes first: the game's buttons while a person plays, then the keys of the
    pane that has the keyboard, then all others. Before the keys of `ALWAYS` comes nothing.
    """
    if not (_is_on(one, other.screen) or _is_on(other, one.screen)):
        return False
    if one.is_button != other.is_button:
        return not ALWAYS.isdisjoint({one.id, other.id})
    return one.pane == other.pane
