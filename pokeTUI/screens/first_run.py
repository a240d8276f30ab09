"""One page that explains the cockpit, shown once."""

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Click, Key
from textual.screen import ModalScreen
from textual.widgets import Static


@dataclass(frozen=True, slots=True)
class Page:
    """What is explained: headings with lines, each a subject and its explanation."""

    title: str
    first: str
    parts: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    last: str


COCKPIT = Page(
    "Welcome to PokeTUI",
    "An agent learns to play. Watch it think, steer it, or play yourself.",
    (
        (
            "What you see",
            (
                ("0 Game", "the watched game; many more are played at once"),
                ("1 Party and place", "where the player is, with whom, and what comes next"),
                ("2 Rewards", "the reward of each step, and why"),
                ("3 Reasoning", "who decides, why, and what the language model says"),
                ("4 Curriculum", "how much the planner decides; the next stage"),
                ("5 Learning curve", "whether it is getting better"),
                ("6 Decisions", "past decisions, and what works where"),
                ("7 Log", "what happened in the run"),
                ("8 System", "the machine's processors, memory and disk, and the speed"),
            ),
        ),
        (
            "The keys that matter",
            (
                ("p", "pause and resume;  + -  faster, slower;  n  the next game"),
                ("t", "take the game over: arrows walk, z is A, x is B; t gives it back"),
                ("tab", "the next pane, its keys at the bottom; a number hides a pane"),
                ("?", "all keys;  ctrl+p  finds an action by its name"),
                ("q", "save and quit; resume with: poketui run --resume"),
            ),
        ),
    ),
    "The game, the training and the planner are starting.",
)
RECORDING = Page(
    "Record demonstrations",
    "You play, and an agent learns from it. Everything is saved as you play.",
    (
        (
            "Play",
            (
                ("↑↓←→", "walk, and choose in menus"),
                ("z  x", "the buttons A and B;  enter  START;  bksp  SELECT"),
                ("a  s", "the buttons L and R, on a Game Boy Advance"),
                ("l", "in real time, or by turns again: one press is one action"),
            ),
        ),
        (
            "Record",
            (
                ("d", "end it and review it: d keeps it, V shows it again"),
                ("r  u", "hold to rewind; undo the last ten actions (U: any number)"),
                ("F1", "to F10: load a save slot; with shift: save it"),
                ("X  D", "retake it from its start, or discard it"),
                ("*  e", "mark it as a success; describe it and add tags"),
                ("p  q", "pause; save and leave"),
                ("?", "all keys"),
            ),
        ),
    ),
    "An episode that reaches its goal is saved automatically.",
)


class FirstRunScreen(ModalScreen[None]):
    """Explain the cockpit; any key or click continues, while the engine starts behind."""

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

    def __init__(self, page: Page = COCKPIT) -> None:
        super().__init__()
        self._page = page

    def compose(self) -> ComposeResult:
        """Yield the page."""
        with VerticalScroll(id="first_run_box") as box:
            box.border_title = self._page.title
            box.border_subtitle = "press any key"
            yield Static(_text(self._page), id="first_run_text")

    def on_key(self, event: Key) -> None:
        """Continue."""
        event.stop()
        event.prevent_default()
        self.dismiss()

    def on_click(self, event: Click) -> None:
        """Continue."""
        event.stop()
        self.dismiss()


def _text(page: Page) -> Content:
    lines = [Content(page.first)]
    for heading, rows in page.parts:
        width = max(len(about) for about, _ in rows) + 1
        lines += [Content(""), Content.styled(heading, "bold $lichen")]
        lines += [
            Content.assemble((f"  {about:<{width}} ", "bold $primary"), text)
            for about, text in rows
        ]
    return Content("\n").join([*lines, Content(""), Content(page.last)])
