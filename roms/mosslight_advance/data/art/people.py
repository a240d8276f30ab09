"""Draw people (for now flat)."""

from __future__ import annotations

from .canvas import Canvas, rgb

COLOURS = ("c04040", "4060c0", "c060a0", "e0e0e0", "40a060", "e0a040", "6080c0", "808080",
           "f0a0c0", "50b0a0", "806040", "8060a0", "a0a040", "4080a0")  # fmt: skip


def _person(number: int, frame: int) -> Canvas:
    canvas = Canvas(16, 32)
    skin, cloth = rgb("f0c8a0"), rgb(COLOURS[number % len(COLOURS)])
    canvas.ellipse(8, 12, 6, 6, skin)
    canvas.box(3, 18, 10, 10, cloth)
    canvas.box(3 + frame % 3 % 2, 28, 4, 4, cloth)
    canvas.box(9, 28 - frame % 3 // 2, 4, 4, cloth)
    if frame < 3:
        canvas.box(5, 12, 2, 2, 0)
        canvas.box(9, 12, 2, 2, 0)
    elif frame >= 6:
        canvas.box(3, 12, 2, 2, 0)
    canvas.outline(rgb("282030"))
    return canvas


def frames(name: str, number: int) -> list[Canvas]:
    """Return a sprite's 16x32 frames: down, up, left, each standing and two steps; or one."""
    if name in ("ball_closed", "emote"):
        canvas = Canvas(16, 32)
        canvas.ellipse(8, 24, 5, 5, rgb("f0d040"))
        canvas.outline(rgb("282030"))
        return [canvas]
    return [_person(number, frame) for frame in range(9)]
