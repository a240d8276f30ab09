"""How a run failed, over the screen as it was."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from engine.events import ConnectionLost, RunFailed


class FailureScreen(ModalScreen[None]):
    """Say what happened and what to do about it; esc looks at the screen behind.

    Args:
        failure: How it ended.
        resume: The command that resumes it; "": nothing is there to resume.
        can_go_on: A key does that, too.
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
            box.border_title = "✗ Not attached" if is_lost else "✗ The run ended by an error"
            is_running = isinstance(self._failure, ConnectionLost) and self._failure.is_running
            again = "r attach again   " if is_running else "r go on from the checkpoint   "
            box.border_subtitle = f"{again * self._can_go_on}q quit   esc look at the screen"
            yield Static(Content(self._failure.message), id="failure_message")
            if self._failure.hint:
                yield Static(Content(self._failure.hint), id="failure_hint")
            if isinstance(self._failure, RunFailed) and self._resume:
                yield Static(
                    Content(f"Its last checkpoint is on disk: go on with {self._resume}"),
                    id="failure_resume",
                )
