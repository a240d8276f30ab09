"""What is shown while a run is being saved before the end."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

_KEYS = "q quit without waiting"
_RUN = (
    "The run ends as soon as its checkpoint is on disk.",
    "What was learned since the last checkpoint would be lost.",
)
_RECORDING = (
    "What was played becomes a demonstration.",
    "What was played stays on disk: poketui demos recover takes it in.",
)


class ClosingScreen(ModalScreen[None]):
    """Say that the run is being saved; a second request asks whether to leave at once.

    Args:
        is_recording: It is no run, but demonstrations are recorded.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "force", show=False),
        Binding("q", "app.quit_run", show=False),
        Binding("n,escape", "wait", show=False),
    ]

    def __init__(self, *, is_recording: bool = False) -> None:
        super().__init__()
        self._is_asking = False
        text, self._loss = _RECORDING if is_recording else _RUN
        self._waiting = ("Saving…", text, _KEYS)

    def compose(self) -> ComposeResult:
        """Yield the message."""
        with Vertical(id="closing_box") as box:
            box.border_title = "Quit"
            title, text, box.border_subtitle = self._waiting
            yield Static(title, id="closing_title")
            yield Static(text, id="closing_text")

    @property
    def is_asking(self) -> bool:
        """Tell whether the question is on the screen."""
        return self._is_asking

    def ask(self) -> None:
        """Ask whether to leave without waiting."""
        self._is_asking = True
        self._say(
            "Quit without waiting?",
            self._loss,
            "y quit now   n wait",
        )

    def action_force(self) -> None:
        """Leave at once."""
        if self._is_asking:
            self.app.exit(return_code=1)

    def action_wait(self) -> None:
        """Go on waiting."""
        self._is_asking = False
        self._say(*self._waiting)

    def _say(self, title: str, text: str, keys: str) -> None:
        self.query_one("#closing_box", Vertical).border_subtitle = keys
        self.query_one("#closing_title", Static).update(title)
        self.query_one("#closing_text", Static).update(text)
