"""What is shown at the end of a run: that it is being saved, or how it failed."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.events import ConnectionLost, RunFailed

_KEYS = "q quit without waiting"
_RUN = (
    "The run ends as soon as its checkpoint is on disk.",
    "What was learned since the last checkpoint would be lost.",
)
_RECORDING = (
    "What was played becomes a demonstration.",
    "What was played stays on disk: poketui demos recover restores it.",
)


class ClosingScreen(ModalScreen[None]):
    """Say that the run is being saved; a second request asks whether to leave at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "force", show=False),
        Binding("q", "app.quit_run", show=False),
        Binding("n,escape", "wait", show=False),
    ]

    def __init__(self, *, is_recording: bool = False) -> None:
        super().__init__()
        self.is_asking = False
        text, self._loss = _RECORDING if is_recording else _RUN
        self._waiting = ("Saving…", text, _KEYS)

    def compose(self) -> ComposeResult:
        """Yield the message."""
        with Vertical(id="closing_box") as box:
            box.border_title = "Quit"
            title, text, box.border_subtitle = self._waiting
            yield Static(title, id="closing_title")
            yield Static(text, id="closing_text")

    def ask(self) -> None:
        """Ask whether to leave without waiting."""
        self.is_asking = True
        self._say("Quit without waiting?", self._loss, "y quit now   n wait")

    def action_force(self) -> None:
        """Leave at once."""
        if self.is_asking:
            self.app.exit(return_code=1)

    def action_wait(self) -> None:
        """Continue waiting."""
        self.is_asking = False
        self._say(*self._waiting)

    def _say(self, title: str, text: str, keys: str) -> None:
        self.query_one("#closing_box", Vertical).border_subtitle = keys
        self.query_one("#closing_title", Static).update(title)
        self.query_one("#closing_text", Static).update(text)


class FailureScreen(ModalScreen[None]):
    """Say what happened and what to do about it; esc shows the screen behind.

    `resume` is the command that resumes the run, "" if there is none; `can_go_on` says that a key
    does that, too.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", show=False),
        Binding("q", "app.quit_run", show=False),
        Binding("r", "app.go_on", show=False),
    ]

    def __init__(
        self, failure: RunFailed | ConnectionLost, resume: str, *, can_go_on: bool = False
    ) -> None:
        super().__init__()
        self._failure = failure
        self._resume = resume
        self._can_go_on = can_go_on

    def compose(self) -> ComposeResult:
        """Yield the message."""
        with Vertical(id="failure_box") as box:
            is_lost = isinstance(self._failure, ConnectionLost)
            box.border_title = "✗ Not attached" if is_lost else "✗ The run failed"
            is_running = isinstance(self._failure, ConnectionLost) and self._failure.is_running
            again = "r attach again   " if is_running else "r resume from the checkpoint   "
            box.border_subtitle = f"{again * self._can_go_on}q quit   esc back to the screen"
            yield Static(Content(self._failure.message), id="failure_message")
            if self._failure.hint:
                yield Static(Content(self._failure.hint), id="failure_hint")
            if isinstance(self._failure, RunFailed) and self._resume:
                yield Static(
                    Content(f"Its last checkpoint is on disk. Resume with: {self._resume}"),
                    id="failure_resume",
                )
