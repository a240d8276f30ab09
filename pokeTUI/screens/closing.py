"""What is shown while a run is being saved before the end."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

_WAITING = (
    "Saving…",
    "The run ends as soon as its checkpoint is on disk.",
    "q quit without waiting",
)


class ClosingScreen(ModalScreen[None]):
    """Say that the run is being saved; a second request asks whether to leave at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "force", show=False),
        Binding("q", "app.quit_run", show=False),
        Binding("n,escape", "wait", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._is_asking = False

    def compose(self) -> ComposeResult:
        """Yield the message."""
        with Vertical(id="closing_box") as box:
            box.border_title = "Quit"
            title, text, box.border_subtitle = _WAITING
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
            "What was learned since the last checkpoint would be lost.",
            "y quit now   n wait",
        )

    def action_force(self) -> None:
        """Leave at once."""
        if self._is_asking:
            self.app.exit(return_code=1)

    def action_wait(self) -> None:
        """Go on waiting."""
        self._is_asking = False
        self._say(*_WAITING)

    def _say(self, title: str, text: str, keys: str) -> None:
        self.query_one("#closing_box", Vertical).border_subtitle = keys
        self.query_one("#closing_title", Static).update(title)
        self.query_one("#closing_text", Static).update(text)
