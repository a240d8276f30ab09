"""Examine the terminal: its size, its colours, what lies between."""

from collections.abc import Mapping

from pokeTUI.app.doctor.machine import Finding, bad, good, warning
from pokeTUI.draw.colors import ColorDepth
from pokeTUI.draw.layout import MIN_COLUMNS, MIN_ROWS
from pokeTUI.terminal.probe import Terminal

_COMFORTABLE = (120, 40)
_HEADLESS = "Without a terminal: poketui run --headless"


def examine_terminal(
    terminal: Terminal | None, size: tuple[int, int], environment: Mapping[str, str]
) -> list[Finding]:
    """Report how the cockpit will look here.

    Args:
        terminal: None: standard output is none.
        size: Columns and rows.
        environment: TERM, COLORTERM, NO_COLOR, TMUX, SSH_CONNECTION and the locale are looked at.
    """
    if terminal is None:
        return [
            warning("terminal", "none: stdin, stdout and stderr are not all terminals.", _HEADLESS),
            _locale(environment),
        ]
    return [
        _kind(terminal, environment),
        _size(*size),
        _colors(terminal, environment),
        _graphics(terminal),
        _locale(environment),
    ]


def _kind(terminal: Terminal, environment: Mapping[str, str]) -> Finding:
    if terminal.term in ("", "dumb"):
        return bad(
            "terminal",
            f"TERM is {terminal.term or 'not set'}: cannot draw.",
            f"In a real terminal: export TERM=xterm-256color. {_HEADLESS}",
        )
    between = []
    if environment.get("TMUX"):
        between.append("tmux")
    elif environment.get("STY"):
        between.append("GNU screen")
    if environment.get("SSH_CONNECTION"):
        between.append("ssh")
    name = f"{terminal.name}, " if terminal.name else ""
    through = f", through {' and '.join(between)}" if between else ""
    return good("terminal", f"{name}TERM={terminal.term}{through}")


def _size(columns: int, rows: int) -> Finding:
    if columns < MIN_COLUMNS or rows < MIN_ROWS:
        return bad(
            "size",
            f"{columns}x{rows}; the minimum is {MIN_COLUMNS}x{MIN_ROWS}.",
            f"Enlarge the terminal or choose a smaller font. {_HEADLESS}",
        )
    if columns < _COMFORTABLE[0] or rows < _COMFORTABLE[1]:
        return good("size", f"{columns}x{rows}: panes share space as tabs; 120x40 shows more")
    return good("size", f"{columns}x{rows}")


def _colors(terminal: Terminal, environment: Mapping[str, str]) -> Finding:
    if environment.get("NO_COLOR"):
        return good("colours", "none, as NO_COLOR asks")
    if terminal.depth is ColorDepth.TRUECOLOR:
        return good("colours", "16 million")
    if environment.get("TMUX"):
        remedy = (
            "In tmux: set -as terminal-features ',*:RGB'; then here: export COLORTERM=truecolor"
        )
    else:
        remedy = "If it has true colour (most do; ssh does not tell): export COLORTERM=truecolor"
    if terminal.depth is ColorDepth.EIGHT_BIT:
        return warning("colours", "256: the game looks slightly coarser.", remedy)
    return warning("colours", f"{terminal.depth.value}: the game is hard to see.", remedy)


def _graphics(terminal: Terminal) -> Finding:
    best = terminal.best_mode(MIN_COLUMNS, MIN_ROWS)
    pictures = best.value if best.is_picture else "block characters"
    keys = "reported" if terminal.has_kitty_keys else "guessed"
    text = f"game drawn as {pictures}; key releases {keys}"
    if not terminal.is_answering:
        text += " (the terminal did not answer)"
    return good("drawing", text)


def _locale(environment: Mapping[str, str]) -> Finding:
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        value = environment.get(name, "")
        if value:
            if "utf-8" in value.lower() or "utf8" in value.lower():
                return good("letters", f"{name}={value}")
            return warning(
                "letters",
                f"{name}={value} is not UTF-8: lines and blocks may look wrong.",
                "export LC_ALL=C.UTF-8",
            )
    return warning("letters", "no locale set.", "export LANG=C.UTF-8")
