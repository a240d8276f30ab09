"""Let Textual emit the colours that were chosen."""

from typing import Any

from rich.console import COLOR_SYSTEMS
from textual.app import App
from textual.filter import Monochrome, NoColor

from pokeTUI.rendering.colors import ColorDepth


def follow_depth(app: App[Any], depth: ColorDepth) -> None:
    """Make all of `app` use `depth`, whatever Rich and Textual made of the environment.

    Without colour, bold and reverse remain.
    """
    app.console._color_system = COLOR_SYSTEMS[depth.rich_name]
    app.no_color = depth is ColorDepth.NONE
    app._filters = [one for one in app._filters if not isinstance(one, Monochrome | NoColor)]
    if app.no_color:
        app._filters.append(NoColor())
