"""Ask for a line of text, or for one of several choices."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from engine.quoting import printable
from pokeTUI.widgets.marked_list import MarkedList


class PromptScreen(ModalScreen[str | None]):
    """Ask for a line of text; None comes back when nothing was given (esc).

    `check` returns what is wrong with a text, "" if nothing is; then it is not accepted.
    """

    DEFAULT_CSS = """
    PromptScreen { align: center bottom; background: transparent; }
    #prompt_box {
        width: 76; max-width: 96%; height: auto; padding: 0 1; margin-bottom: 1;
        background: $panel; border: round $primary; border-title-color: $lichen;
    }
    #prompt_input { border: none; background: $panel; height: 1; padding: 0; }
    #prompt_hint { color: $stone; height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]

    def __init__(
        self,
        title: str,
        value: str = "",
        *,
        hint: str = "",
        check: Callable[[str], str] = lambda text: "",
    ) -> None:
        super().__init__()
        self._title = title
        self._value = value
        self._hint = hint
        self._check = check

    def compose(self) -> ComposeResult:
        """Yield the line."""
        with Vertical(id="prompt_box") as box:
            box.border_title = Content(printable(self._title))
            box.border_subtitle = "enter accept   esc cancel"
            yield Input(self._value, id="prompt_input")
            yield Static(Content(self._hint), id="prompt_hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the text, unless something is wrong with it."""
        wrong = self._check(event.value)
        if wrong:
            self.query_one("#prompt_hint", Static).update(Content(wrong))
        else:
            self.dismiss(event.value)


class ChoiceScreen(ModalScreen[str | None]):
    """Let one of several choices (key, text) be picked; its key comes back, None on esc.

    The choice with the key `chosen` is marked at first.
    """

    DEFAULT_CSS = """
    ChoiceScreen { align: center middle; background: $background 60%; }
    #choice_box {
        width: 76; max-width: 96%; height: auto; max-height: 80%; padding: 0 1;
        background: $panel; border: round $primary; border-title-color: $lichen;
    }
    #choice_list { height: auto; max-height: 20; border: none; background: $panel; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "dismiss", show=False)]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], chosen: str = "") -> None:
        super().__init__()
        self._title = title
        self._choices = tuple(choices)
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """Yield the list."""
        with Vertical(id="choice_box") as box:
            box.border_title = Content(printable(self._title))
            box.border_subtitle = "enter select   esc cancel"
            yield MarkedList(
                *(Option(Content(text)) for _, text in self._choices), id="choice_list"
            )

    def on_mount(self) -> None:
        """Mark what is chosen now."""
        keys = [key for key, _ in self._choices]
        if self._chosen in keys:
            self.query_one(OptionList).highlighted = keys.index(self._chosen)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the choice."""
        self.dismiss(self._choices[event.option_index][0])
