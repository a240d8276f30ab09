"""One page that explains the cockpit, shown once."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click, Key, MouseScrollDown, MouseScrollUp
from textual.screen import ModalScreen
from textual.widgets import Static

_PANES = (
    ("0 Game", "the watched game; many more are played at once"),
    ("1 Party and place", "where the player is, with whom, and what comes next"),
    ("2 Rewards", "what each step pays, and for what"),
    ("3 Reasoning", "who decides, why, and what the language model says"),
    ("4 Curriculum", "how far the planner still leads, and what is missing"),
    ("5 Learning", "whether it gets better"),
    ("6 7", "past decisions, and the log of the run"),
)
_KEYS = (
    ("p", "pause and go on;  + -  faster and slower;  n  the next game"),
    ("t", "take the game over: arrows walk, z is A, x is B; t gives it back"),
    ("tab", "the next pane, its keys at the bottom; a number hides a pane"),
    ("?", "all keys;  ctrl+p  finds an action by its name"),
    ("q", "save and leave; poketui run --resume goes on from there"),
)


class FirstRunScreen(ModalScreen[None]):
    """Explain the cockpit; any key or click goes on, while the engine starts behind."""

    DEFAULT_CSS = """
    FirstRunScreen { align: center middle; background: $background 80%; }
    #first_run_box {
        width: 78; max-width: 98%; height: auto; max-height: 100%; padding: 0 1;
        background: $panel; border: round $primary; border-title-color: $lichen;
        border-title-style: bold; border-subtitle-color: $stone;
        scrollbar-size-vertical: 1;
    }
    #first_run_text { height: auto; }
    """
    AUTO_FOCUS: ClassVar[str] = ""

    def compose(self) -> ComposeResult:
        """Yield the page."""
        with VerticalScroll(id="first_run_box") as box:
            box.border_title = "Welcome to PokeTUI"
            box.border_subtitle = "any key goes on"
            yield Static(_text(), id="first_run_text")

    def on_key(self, event: Key) -> None:
        """Go on."""
        event.stop()
        event.prevent_default()
        self.dismiss()

    def on_click(self, event: Click) -> None:
        """Go on."""
        event.stop()
        self.dismiss()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Leave scrolling to the page."""
        event.stop()

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Leave scrolling to the page."""
        event.stop()


def _text() -> Content:
    lines = [
        Content("An agent learns to play. You watch it think, steer it, or play yourself."),
        Content(""),
        Content.styled("What you see", "bold $lichen"),
        *(Content.assemble((f"  {name:<18} ", "$primary"), text) for name, text in _PANES),
        Content(""),
        Content.styled("The keys that matter", "bold $lichen"),
        *(Content.assemble((f"  {key:<4} ", "bold $primary"), text) for key, text in _KEYS),
        Content(""),
        Content("The game, the learning and the planner start meanwhile."),
    ]
    return Content("\n").join(lines)
