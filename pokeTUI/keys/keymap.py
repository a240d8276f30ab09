"""Put the app's keys and the panes' together, as the user wants them, and write them out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from textual.binding import Binding
from textual.keys import Keys, key_to_character

from engine.errors import ConfigurationError
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.keys.actions import ACTIONS
from pokeTUI.keys.conditions import is_recording, only_records
from pokeTUI.keys.entry import PLAY, RUN, SEEK, WATCH, KeyAction
from pokeTUI.layout import PANES
from pokeTUI.panes.kinds import PANE_TYPES

_NAMES = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "backspace": "bksp",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "space": "space",
    # Textual's own names of these are none of Unicode's, so it finds no character for them.
    "minus": "-",
    "plus": "+",
    "underscore": "_",
    "at": "@",
    "slash": "/",
    "backslash": "\\",
}
_RECORDING_RANKS = {"record": 0, "rewind": 1, "button_start": 2, "button_select": 3}
"""While a demonstration is recorded, its keys matter more than buttons that are pressed seldom."""
_KNOWN = frozenset(key.value for key in Keys) | {"space"}


class KeyTable:
    """All actions, with the keys of the user.

    Args:
        keymap: By action's name: keys with commas between.
        origin: Where that is from, for errors.

    Raises:
        ConfigurationError: An action or a key is unknown, or a key would have two meanings.
    """

    def __init__(self, keymap: Mapping[str, str] | None = None, origin: str = "keys") -> None:
        try:
            self.entries = _apply(_defaults(), keymap or {})
        except ConfigurationError as error:
            raise ConfigurationError(f"{origin}: {error.message}", error.hint) from None
        self._by_action = {entry.action: entry for entry in self.entries}
        self._buttons = frozenset(
            key for entry in self.entries if entry.group == PLAY for key in entry.keys
        )

    def find(self, action: str, parameters: tuple[object, ...] = ()) -> KeyAction | None:
        """Return the entry for one of Textual's actions, None if it is not in the table."""
        arguments = ", ".join(repr(parameter) for parameter in parameters)
        return self._by_action.get(f"{action}({arguments})" if parameters else action)

    def refusal(self, entry: KeyAction, state: DashboardState) -> str:
        """Return why an action makes no sense now, "" if it does."""
        if entry.pane and state.is_human and set(entry.keys) <= self._buttons:
            return "its keys are the game's while you play"
        return entry.refusal(state)

    def bindings(self) -> list[Binding]:
        """Return Textual's bindings: the game's buttons first, then panes' keys, then the rest.

        The first that is enabled gets the key.
        """
        ordered = sorted(self.entries, key=lambda entry: (entry.group != PLAY, not entry.pane))
        return [
            Binding(
                ",".join(entry.keys),
                entry.action,
                entry.help,
                show=False,
                priority=entry.is_priority,
                id=entry.id,
            )
            for entry in ordered
        ]

    def footer(self, state: DashboardState, focused: str) -> list["KeyHint"]:
        """Return the keys that matter now: the focused pane's, then the app's."""
        hints = []
        taken = {key for entry in self.entries if entry.pane == focused for key in entry.keys}
        for entry in sorted(self.entries, key=lambda entry: not entry.pane):
            is_elsewhere = entry.pane not in ("", focused)
            is_covered = not entry.pane and bool(entry.keys) and taken >= set(entry.keys)
            is_in_the_way = _is_in_the_way(entry, state)
            if not entry.label or is_elsewhere or is_covered or is_in_the_way:
                continue
            if self.refusal(entry, state):
                continue
            rank = _RECORDING_RANKS.get(entry.id, entry.rank) if is_recording(state) else entry.rank
            hints.append(KeyHint(entry.shown, _label(entry, state), entry.action, rank))
        return hints

    def groups(self) -> list[tuple[str, list[KeyAction]]]:
        """Return the help: headings, each with what stands below it."""
        groups: dict[str, list[KeyAction]] = {}
        for entry in self.entries:
            if entry.shown:
                groups.setdefault(entry.group, []).append(entry)
        return list(groups.items())


@dataclass(frozen=True, slots=True)
class KeyHint:
    """A key in the footer; the lower its rank, the longer it stays where there is little room."""

    shown: str
    label: str
    action: str
    rank: int = 5

    @property
    def width(self) -> int:
        """Cells that it takes."""
        return len(self.shown) + 1 + len(self.label)


def fitting(hints: list[KeyHint], width: int) -> list[KeyHint]:
    """Return those that fit side by side, two cells apart, the less important left out."""
    chosen: list[KeyHint] = []
    used = 1
    for hint in sorted(hints, key=lambda hint: hint.rank):
        if used + hint.width <= width:
            chosen.append(hint)
            used += hint.width + 2
    return [hint for hint in hints if hint in chosen]


def keys_markdown() -> str:
    """Return a table of all keys for the documentation."""
    lines: list[str] = []
    for group, entries in KeyTable().groups():
        lines += ["", f"## {group}", "", "| Key | In the keymap | What it does |", "|---|---|---|"]
        lines += [
            f"| `{entry.shown}` | `{entry.id}` | {entry.help.replace('|', chr(92) + '|')} |"
            for entry in entries
        ]
    return "\n".join(lines[1:]) + "\n"


def shown_key(key: str) -> str:
    """Return a key as people read it."""
    *modifiers, base = key.split("+")
    return "+".join([*modifiers, _NAMES.get(base) or key_to_character(base) or base])


def _is_in_the_way(entry: KeyAction, state: DashboardState) -> bool:
    """Tell whether an action that is possible would only be in the footer's way now."""
    if state.run is None and entry.group in (RUN, WATCH):
        return True  # nothing is shown that could be steered
    match entry.action:
        case "next_view" | "save":
            return state.is_human
        case "toggle_recording":  # an agent's play is recorded seldom: the help tells of it
            return not (state.is_human or is_recording(state) or only_records(state))
        case _:
            return False


def _label(entry: KeyAction, state: DashboardState) -> str:
    """Return an action's word in the footer, which may be another one now."""
    match entry.action:
        case "toggle_pause" if state.is_paused:
            return "go on"
        case "toggle_steering":
            return "give control" if state.viewers and state.viewers.is_yours else "take control"
        case "toggle_control" if state.is_human:
            return "give back"
        case "toggle_live" if state.status and state.status.is_live:
            return "by turns"
        case "toggle_recording" if is_recording(state):
            return "save" if state.is_human else "keep it"  # there `save` is for a checkpoint
        case _:
            return entry.label


def _defaults() -> list[KeyAction]:
    """Return the app's actions and, below, those of each pane."""
    entries = list(ACTIONS)
    for number, pane in enumerate(PANES, start=1):
        entries += [
            KeyAction(
                key.keys,
                f"act('{pane.key}', '{key.name}')",
                key.shown,
                key.label,
                key.help,
                f"{pane.title} ({number}), while the keyboard is on it",
                name=f"{pane.key}.{key.name}",
                rank=2,
                pane=pane.key,
            )
            for key in PANE_TYPES[pane.key].KEYS
        ]
    return entries


def _apply(entries: list[KeyAction], keymap: Mapping[str, str]) -> tuple[KeyAction, ...]:
    known = {entry.id: index for index, entry in enumerate(entries)}
    for name, keys in keymap.items():
        if name not in known:
            raise ConfigurationError(
                f"there is no action '{name}'.",
                "The help (?) and docs/keys.md name them all.",
            )
        parsed = tuple(_parse(name, key.strip()) for key in keys.split(",")) if keys else ()
        entry = entries[known[name]]
        shown = " ".join(shown_key(key) for key in parsed) or "-"
        entries[known[name]] = replace(entry, keys=parsed, shown=shown)
    for name in keymap:
        _check_clashes(entries[known[name]], entries)
    return tuple(entries)


def _parse(action: str, key: str) -> str:
    """Return Textual's name of a key."""
    *modifiers, base = key.split("+") if len(key) > 1 else [key]
    if len(base) == 1:
        name = _key_of(base)
    elif base in _KNOWN or key_to_character(base) is not None:
        name = base
    else:
        name = ""
    if not name or not set(modifiers) <= {"ctrl", "alt", "shift"}:
        raise ConfigurationError(
            f"keys.{action} = '{key}': there is no such key.",
            "Write a character, or a name such as enter, space, f5, ctrl+g; with commas between.",
        )
    return "+".join([*modifiers, name])


def _key_of(character: str) -> str:
    # Only here is a key made from a character; Textual has no public function for it.
    return next((b.key for b in Binding.make_bindings([Binding(character, "")])), character)


def _check_clashes(entry: KeyAction, entries: Iterable[KeyAction]) -> None:
    for other in entries:
        shared = sorted(set(entry.keys) & set(other.keys))
        if other.id != entry.id and shared and can_clash(entry, other):
            raise ConfigurationError(
                f"{shown_key(shared[0])} would mean both {entry.id} and {other.id}.",
                f'Give one of them another key: {other.id} = "...".',
            )


def can_clash(one: KeyAction, other: KeyAction) -> bool:
    """Tell whether a key of both would have two meanings at once.

    It has not where one comes first: the game's buttons while a person plays, then the keys of the
    pane that has the keyboard, then all others.
    """
    if {one.group, other.group} == {PLAY, SEEK}:
        return False  # nobody plays in a replay
    return one.pane == other.pane
