"""Show one thing in full, or ask for what a command needs: a text, a choice, a goal, a state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from engine.commands import (
    Branch,
    Command,
    DescribeRecording,
    DiscardRecording,
    Instruct,
    MarkRecording,
    Rewind,
    SetGoal,
    SetMode,
    SetStrategy,
    Watch,
)
from engine.events import KeptState
from engine.ground.numerals import parse_whole
from engine.ground.text import counted, printable
from pokeTUI.dashboard.conditions import only_records
from pokeTUI.dashboard.state import DashboardState
from pokeTUI.draw.menu import MarkedList
from pokeTUI.draw.theme import Ink, palette

# Show one thing in full: a line of a log, an exchange with a model, a decision.


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text under a heading; the text is printable, line breaks apart."""

    heading: str
    text: str
    ink: Ink = Ink.text


class DetailScreen(ModalScreen[None]):
    """Show passages, to be scrolled and copied."""

    DEFAULT_CSS = """
    DetailScreen { align: center middle; background: $background 60%; }
    #detail_box {
        width: 110; max-width: 94%; height: auto; max-height: 90%; padding: 0 2;
        background: $panel; border: round $primary; border-title-color: $lichen;
        border-subtitle-color: $stone; scrollbar-size-vertical: 1;
        scrollbar-color: $primary; scrollbar-background: $panel;
    }
    #detail_text { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", show=False),
        Binding("y", "copy", show=False),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def __init__(self, title: str, passages: Sequence[Passage]) -> None:
        super().__init__()
        self._title = title
        self._passages = tuple(passages)

    @property
    def text(self) -> str:
        """All of it, as it is copied."""
        return "\n".join(
            f"{one.heading}: {one.text}" if one.heading else one.text for one in self._passages
        )

    def compose(self) -> ComposeResult:
        """Yield the passages."""
        with VerticalScroll(id="detail_box") as box:
            box.border_title = Content(printable(self._title))
            box.border_subtitle = "↑↓ scroll   y copy   esc back"
            yield Static(self._styled(), id="detail_text")

    def on_mount(self) -> None:
        """Let the keys scroll."""
        self.query_one("#detail_box").focus()

    def _styled(self) -> Text:
        inks = palette(self.app.current_theme)
        text = Text()
        for index, one in enumerate(self._passages):
            is_short = len(one.text) < 60 and "\n" not in one.text
            if one.heading:
                is_block = not is_short and index > 0
                text.append("\n" if is_block else "")
                text.append(f"{one.heading:<11}" if is_short else one.heading, inks[Ink.dim])
                text.append("" if is_short else "\n")
            text.append(one.text, inks[one.ink])
            text.append("\n" if index + 1 < len(self._passages) else "")
        return text

    def action_copy(self) -> None:
        """Copy all of it."""
        self.app.copy_to_clipboard(self.text)
        self.app.notify(f"Copied {counted(len(self.text), 'character')}", timeout=2, markup=False)

    def action_scroll(self, rows: int) -> None:
        """Scroll by rows."""
        self.query_one("#detail_box").scroll_relative(y=rows, animate=False)


# Ask for a line of text, or for one of several choices.


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


# The questions before some commands: which mode, which goal, which state.

_MODES = (
    ("adaptive", "adaptive     planner and policy together"),
    ("rl_only", "rl_only      the policy alone"),
    ("llm_only", "llm_only     the planner alone"),
)
_STRATEGIES = (
    ("adaptive", "adaptive     chosen by performance"),
    ("llm_heavy", "llm_heavy    planner-led (80 %)"),
    ("balanced", "balanced     equal (50 %)"),
    ("rule_heavy", "rule_heavy   policy-led (20 %)"),
)
_AWAY, _AGAIN = "away", "again"
_MOST_CHARACTERS = 400
_LONGEST_TAG = 60


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user: the screen gives an answer or None, of which a command is made."""

    screen: ModalScreen[str | None]
    command: Callable[[str], Command]


def ask_mode(state: DashboardState) -> Question:
    """Ask for the mode."""
    chosen = state.steering.mode if state.steering else state.run.mode if state.run else ""
    return Question(ChoiceScreen("Mode", _led(state, _MODES), chosen), SetMode)


def ask_strategy(state: DashboardState) -> Question:
    """Ask for the strategy."""
    chosen = state.steering.strategy if state.steering else ""
    return Question(ChoiceScreen("Strategy", _led(state, _STRATEGIES), chosen), SetStrategy)


def _led(state: DashboardState, choices: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """Return the choices; where no language model is set, those that need one say so."""
    note = "" if state.planner.has_model else "; the rules: no --llm-model"
    return [(key, text + note * key.startswith("llm_")) for key, text in choices]


def ask_goal(state: DashboardState) -> Question:
    """Ask for one of the milestones that are not reached yet, or none."""
    reached = state.game.milestones if state.game else frozenset()
    milestones = state.run.milestones if state.run else ()
    choices = [("", "none: the next milestone")]
    choices += [(key, text) for key, text in milestones if key not in reached]
    chosen = state.steering.goal if state.steering else ""
    return Question(ChoiceScreen("Goal of the rule planner", choices, chosen), SetGoal)


def ask_state(state: DashboardState, now_s: float) -> Question:
    """Ask for one of the kept states, the newest first; `now_s` is in seconds since 1970."""
    is_set = only_records(state)
    choices = [
        (
            str(kept.number),
            f"{_number(kept):>4}  {_ago(kept.kept_s, now_s):<10} {'' if is_set else _episode(kept)}"
            f"step {kept.episode_steps:>5,}  {kept.place}"
            f"{'  (by you)' if kept.is_asked and not is_set else ''}",
        )
        for kept in reversed(state.kept_states)
    ]
    title = "Load a slot" if is_set else "Branch from a saved state"
    return Question(ChoiceScreen(title, choices), lambda answer: Branch(int(answer)))


def _episode(kept: KeptState) -> str:
    return f"game {kept.env_index + 1:<3}ep {kept.episode:<5,}"


def _number(kept: KeptState) -> str:
    """Return the key that loads a saved state, or else its number."""
    return f"F{kept.slot}" if kept.slot else str(kept.number)


def _ago(then_s: float, now_s: float) -> str:
    if not then_s:
        return ""
    seconds = max(0.0, now_s - then_s)
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"


def ask_wish(state: DashboardState) -> Question:
    """Ask for a goal in words."""
    value = state.steering.instruction if state.steering else ""
    hint = "The language model gets this with every prompt; empty clears it."
    return Question(PromptScreen("Instruction for the language model", value, hint=hint), Instruct)


def ask_game(state: DashboardState) -> Question:
    """Ask for the number of a game."""
    count = state.run.num_envs if state.run else 1
    screen = PromptScreen("Watch which game?", hint=f"1 to {count}", check=_number_to(count))
    return Question(screen, lambda answer: Watch(int(answer) - 1))


def ask_rewind(state: DashboardState) -> Question:
    """Ask how many actions are to be taken back."""
    most = state.recording.rewindable if state.recording is not None else 0
    hint = f"1 to {most:,}; you continue from there"
    screen = PromptScreen("Undo how many actions?", hint=hint, check=_number_to(most))
    return Question(screen, lambda answer: Rewind(int(answer)))


def _number_to(most: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        try:
            parse_whole(text.strip(), 1, most)
        except ValueError:
            return f"A number from 1 to {most:,}."
        return ""

    return check


def ask_discard(state: DashboardState, *, again: bool) -> Question:
    """Ask whether the demonstration is really to be thrown away."""
    steps = state.recording.steps if state.recording is not None else 0
    choices = (
        (_AWAY, "discard it"),
        (_AGAIN, "discard it, and retake it from where it began"),
    )
    title = f"Discard the demonstration of {counted(steps, 'step')}?"
    screen = ChoiceScreen(title, choices, _AGAIN if again else _AWAY)
    return Question(screen, lambda answer: DiscardRecording(again=answer == _AGAIN))


def ask_mark(state: DashboardState) -> Question:
    """Ask what was reached."""
    screen = PromptScreen(
        "What was reached?",
        hint="A note at this step; it does not mark success (* does).",
        check=lambda text: _wrong_words(text) if text.strip() else "Enter a note.",
    )
    return Question(screen, lambda answer: MarkRecording(answer.strip()))


def ask_description(state: DashboardState) -> Question:
    """Ask for words and tags."""
    value = ""
    if state.recording is not None:
        value = " ".join([state.recording.task, *(f"#{tag}" for tag in state.recording.tags)])
    hint = "Task description; #word is a tag. Example: walk to the gym #gym #clean"
    screen = PromptScreen("What does it show?", value.strip(), hint=hint, check=_wrong_words)
    return Question(screen, _describe)


def _describe(text: str) -> Command:
    words = text.split()
    tags = dict.fromkeys(word.lstrip("#") for word in words if word.startswith("#"))
    task = " ".join(word for word in words if not word.startswith("#"))
    return DescribeRecording(task, tuple(tag for tag in tags if tag))


def _wrong_words(text: str) -> str:
    if len(text) > _MOST_CHARACTERS:
        return f"{len(text)} characters; at most {_MOST_CHARACTERS}."
    if not text.isprintable():
        return "It contains a character that cannot be displayed."
    is_tag_long = any(len(word) > _LONGEST_TAG for word in text.split() if word.startswith("#"))
    return f"A tag has at most {_LONGEST_TAG} characters." if is_tag_long else ""
