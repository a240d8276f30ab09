"""Draw creatures and trainers (for now flat)."""

from __future__ import annotations

from .canvas import Canvas, ramp, rgb, sphere


def _ball(name: str) -> Canvas:
    canvas = Canvas(64, 64)
    value = sum(map(ord, name)) * 2654435761 & 0xFFFFFF
    canvas.ellipse(32, 40, 20, 20, sphere([*ramp(f"304050 {value:06x} f0f0e0")]))
    canvas.outline(rgb("282030"))
    return canvas


def front(name: str) -> Canvas:
    """Return a creature as its foe sees it, 64x64."""
    return _ball(name)


def back(name: str) -> Canvas:
    """Return a creature from behind."""
    return _ball(name)


def trainer(name: str) -> Canvas:
    """Return an opponent."""
    return _ball(name)


def hero_back(girl: int) -> Canvas:
    """Return the player from behind."""
    return _ball(f"hero{girl}")


def professor() -> Canvas:
    """Return the professor of the introduction."""
    return _ball("alder")
