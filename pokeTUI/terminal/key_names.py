"""Write keys as people read them."""

from textual.keys import key_to_character

_NAMES = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "backspace": "bksp",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "space": "space",
    # Textual's own names of these are none of Unicode's, so it finds no character for them.
    "minus": "-",
    "plus": "+",
    "underscore": "_",
    "at": "@",
    "slash": "/",
    "backslash": "\\",
}
"""By Textual's name."""


def shown_key(key: str) -> str:
    """Return a key as people read it."""
    *modifiers, base = key.split("+")
    return "+".join([*modifiers, _NAMES.get(base) or key_to_character(base) or base])
