"""What the keys do by which a demonstration is recorded."""

from engine.commands import MarkRecording, Rewind, StartRecording, StopRecording
from pokeTUI.actions.base import ActionsApp
from pokeTUI.dashboard.conditions import is_recording
from pokeTUI.dialogs.questions import ask_description, ask_discard, ask_mark, ask_rewind


class DemoControlActions(ActionsApp):
    """The part of the cockpit that steers a recording."""

    def action_toggle_recording(self) -> None:
        """Begin a demonstration, or save it."""
        is_going_on = is_recording(self.dashboard)
        self.send_command(StopRecording() if is_going_on else StartRecording())

    def action_rewind(self, actions: int) -> None:
        """Take the last actions back; fewer where there are not so many."""
        now = self.dashboard.recording
        if now is not None and now.rewindable:
            self.send_command(Rewind(min(actions, now.rewindable)))

    def action_rewind_more(self) -> None:
        """Take back as many as the user says."""
        self.ask(ask_rewind(self.dashboard))

    def action_record_again(self) -> None:
        """Throw the demonstration away, and record it again."""
        self.ask(ask_discard(self.dashboard, again=True))

    def action_discard_recording(self) -> None:
        """Throw the demonstration away."""
        self.ask(ask_discard(self.dashboard, again=False))

    def action_mark_recording(self) -> None:
        """Mark that it shows what was wanted."""
        self.send_command(MarkRecording())

    def action_mark_in_words(self) -> None:
        """Mark this moment in words."""
        self.ask(ask_mark(self.dashboard))

    def action_describe_recording(self) -> None:
        """Give it words and tags."""
        self.ask(ask_description(self.dashboard))
