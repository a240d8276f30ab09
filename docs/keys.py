"""Write docs/keys.md from the program's table of keys: python -m docs.keys."""

from pathlib import Path

from pokeTUI.input.keymap import keys_markdown

PAGE = Path(__file__).parent / "keys.md"
_HEAD = """# Keys

Made from the table in the program by `python -m docs.keys`. The second column names an action in
`[keys]` of [preferences.toml](cockpit.md#preferences).
"""


def page() -> str:
    """Return the page."""
    return f"{_HEAD}\n{keys_markdown().strip()}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
