"""Let text alone reach the terminal, in the colours that were chosen, no faster than it shows it.

After something is drawn the terminal is asked where its cursor is; the answer comes once all that
was sent before has arrived. So drawing follows the link's own pace: on a slow link frames are left
out, not queued, and a key's effect never waits behind a second of old frames.
"""

import time
import unicodedata
from collections import deque
from collections.abc import Callable
from typing import Any

from rich.cells import cell_len
from rich.console import COLOR_SYSTEMS
from rich.segment import Segment
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter, Monochrome, NoColor

from engine.errors import ConfigurationError
from engine.ground.folders import config_folder
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.theme import THEME_NAMES, THEMES, CockpitTheme, read_themes

_OBEYED = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
"""Unicode's categories of control and invisible characters, halves of others, and line breaks."""


class TextFilter(LineFilter):
    """Blanks characters that are no text, in whatever Textual draws: the last net there is.

    Names and answers come from elsewhere, and Textual sends what a widget is given.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, as wide as they were."""
        if all(segment.control or segment.text.isprintable() for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(_text(segment.text), segment.style)
            for segment in segments
        ]


def set_up_output(app: App[Any], depth: ColorDepth) -> list[ConfigurationError]:
    """Make all of `app` draw text only, in `depth` colours, and know our themes, before it draws.

    Rich and Textual take their depth from the environment. Without colour, bold and reverse remain.

    Returns:
        What is wrong with themes of the user's own.
    """
    app.console._color_system = COLOR_SYSTEMS[depth.rich_name]
    app.no_color = depth is ColorDepth.NONE
    app._filters = [one for one in app._filters if not isinstance(one, Monochrome | NoColor)]
    if app.no_color:
        app._filters.append(NoColor())
    app._filters.append(TextFilter())
    own_themes, mistakes = read_themes(config_folder())
    for theme in (*THEMES, *own_themes):
        app.register_theme(theme)
    return mistakes


def theme_names(app: App[Any]) -> tuple[str, ...]:
    """Return the names of the themes to choose from, the user's own last."""
    themes = app.available_themes.items()
    return tuple(name for name, theme in themes if isinstance(theme, CockpitTheme))


def known_theme(app: App[Any], name: str) -> str:
    """Return `name` if there is such a theme, else the default's."""
    return name if name in theme_names(app) else THEME_NAMES[0]


def theme_after(app: App[Any]) -> str:
    """Return the name of the theme that comes after the current one."""
    names = theme_names(app)
    return names[(names.index(app.theme) + 1) % len(names)]


def _text(text: str) -> str:
    return "".join(
        " " * cell_len(char) if unicodedata.category(char) in _OBEYED else char for char in text
    )


QUESTION = "\x1b[6n"
TIMEOUT_S = 5.0
"""An answer that is not there by then is lost."""
PLAIN_INTERVAL_S = 1 / 30
"""Between two drawings where the terminal never answers."""
_FAR_S = 0.06
_FAR_ON_THE_WAY = 2
_BUSY_FACTOR, _BUSY_MARGIN_S = 1.5, 0.02
"""A round trip so much longer than the shortest means that the link is full."""


class Gate:
    """Tell when the terminal is ready for more.

    Args:
        ask: Sends QUESTION after all that was drawn.
        is_deaf: The terminal is known not to answer.

    Attributes:
        is_deaf: The terminal does not answer, so that drawing keeps a plain rate.
        rtt_s: The latest round trip, None before the first.
    """

    def __init__(
        self,
        ask: Callable[[], object],
        clock: Callable[[], float] = time.monotonic,
        *,
        is_deaf: bool = False,
    ) -> None:
        self.rtt_s: float | None = None
        self._ask = ask
        self._clock = clock
        self.is_deaf = is_deaf
        self._asked: deque[float] = deque()
        self._last_sent = float("-inf")
        self._shortest_s = float("inf")

    @property
    def is_asked(self) -> bool:
        """Whether an answer is on its way."""
        return bool(self._asked)

    @property
    def is_open(self) -> bool:
        """Whether something may be drawn now."""
        now = self._clock()
        if self.is_deaf:
            # Half a poll early, so that a rate of 30 Hz does not become 15.
            return now - self._last_sent >= PLAIN_INTERVAL_S / 2
        if self._asked and now - self._asked[0] >= TIMEOUT_S:
            self.is_deaf = self.rtt_s is None
            self._asked.clear()
        return len(self._asked) < self._window()

    def sent(self) -> None:
        """Note that something was drawn."""
        self._last_sent = self._clock()
        if not self.is_deaf:
            self._asked.append(self._last_sent)
            self._ask()

    def acknowledged(self) -> None:
        """Note an answer of the terminal."""
        self.is_deaf = False
        if not self._asked:
            return  # it comes after its time-out
        self.rtt_s = self._clock() - self._asked.popleft()
        self._shortest_s = min(self._shortest_s, self.rtt_s)

    def _window(self) -> int:
        """Return how much may be on the way: more than one where the link is long but not full."""
        if self.rtt_s is None or self._shortest_s < _FAR_S:
            return 1
        is_full = self.rtt_s > self._shortest_s * _BUSY_FACTOR + _BUSY_MARGIN_S
        return 1 if is_full else _FAR_ON_THE_WAY
