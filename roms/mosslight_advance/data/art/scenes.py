"""Draw backdrops and name the interface's colours (for now flat)."""

from __future__ import annotations

from .canvas import Canvas, ramp, rgb

# NONE PAPER TEXT SHADOW FRAME FRAME_LIGHT CURSOR RED BLUE GREEN YELLOW DARK GREY PANEL PANEL_LIGHT
# WHITE, in the order of game.h.
UI_COLOURS = ramp(
    "000000 f8f8f0 404050 c8c8b8 486878 90b8b8 e05838 d83838 3868c8 38a848 e8b828 283038 909898"
    " 385870 6890a8 f8f8f8"
)


def backdrop(name: str) -> Canvas:
    """Return a picture of 240x160 pixels: title, field, indoor, screen or intro."""
    canvas = Canvas(240, 160, rgb({"title": "183050", "field": "a0d890"}.get(name, "90a8c0")))
    canvas.box(0, 80, 240, 32, rgb("70b860" if name == "field" else "708098"))
    return canvas
