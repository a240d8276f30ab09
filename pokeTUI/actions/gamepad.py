"""What the controls of a gamepad do: press the game's buttons, or what a key of the table does."""

from collections.abc import Mapping

from pokeTUI.actions.base import ActionsApp
from pokeTUI.gamepad.devices import NO_PERMISSION, InputDevices
from pokeTUI.gamepad.reader import Gamepads

_HELD = "hold_rewind"
"""The one action, but for the game's buttons, that lasts as long as its key is held."""


class GamepadActions(ActionsApp):
    """The part of the cockpit that listens to gamepads.

    Attributes:
        gamepads: None until they are used.
        pad_actions: Name of an action of the table by control.
    """

    gamepads: Gamepads | None = None
    pad_actions: Mapping[str, str]
    _has_said = False

    def use_gamepads(self, devices: InputDevices | None = None) -> None:
        """Listen to the gamepads of this machine from now on."""
        self.gamepads = Gamepads(self._on_control, devices)
        self.gamepads.start()

    def leave_gamepads(self) -> None:
        """Listen no more."""
        if self.gamepads is not None:
            self.gamepads.close()

    def say_refused_gamepad(self) -> None:
        """Say once, to who plays, that there is a gamepad which may not be read."""
        if self.gamepads is None or not self.gamepads.refused or self._has_said:
            return
        self._has_said = True
        self.notify(
            f"The gamepad {self.gamepads.refused} may not be read: {NO_PERMISSION}",
            severity="warning",
            timeout=10,
            markup=False,
        )

    def _on_control(self, control: str, is_down: bool) -> None:
        """A control went down or up."""
        entry = self.table.named(self.pad_actions.get(control, ""))
        if entry is None:
            return
        if not is_down:
            if entry.is_button:
                self.playing.let_up(entry.button)
            elif entry.id == _HELD:
                self.playing.stop_back()
            return
        if len(self.screen_stack) > 1 or not self.app_focus:
            return
        if entry.refusal(self.dashboard):
            self.say_refusal(entry.keys[0] if entry.keys else "")
        elif entry.is_button:
            self.playing.hold(entry.button)
        elif entry.id == _HELD:
            self.playing.run_back(has_release=True)
        else:
            self.call_later(self.run_action, entry.action)
