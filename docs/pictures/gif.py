"""Write pictures as an animated GIF: one palette for all, and only what has changed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from docs.pictures.raster import Image

_CLEAR = 255
"""The palette's entry for what stays as it was."""
_EXACT = 120
"""So many of the commonest colours are kept as they are."""


def write_gif(path: Path, pictures: Sequence[Image], interval_s: float, rest_s: float) -> None:
    """Write `pictures` to `path`, each shown for `interval_s` and the last for `rest_s`."""
    from PIL import Image as Picture

    palette = choose_palette(pictures)
    entries = _Nearest(palette)
    frames: list[Picture.Image] = []
    durations: list[int] = []
    before: NDArray[np.uint8] | None = None
    for picture in pictures:
        now = entries.of(picture)
        if before is not None and np.array_equal(now, before):
            durations[-1] += round(interval_s * 1000)
            continue
        shown = now if before is None else np.where(now == before, np.uint8(_CLEAR), now)
        frame = Picture.fromarray(shown, "P")
        frame.putpalette(palette.tobytes() + b"\0\0\0")
        frames.append(frame)
        durations.append(round(interval_s * 1000))
        before = now
    durations[-1] = round(rest_s * 1000)
    options: dict[str, Any] = {"duration": durations, "loop": 0, "disposal": 1}
    beside = path.with_name(f".{path.name}")
    frames[0].save(
        beside,
        format="GIF",
        save_all=True,
        append_images=frames[1:],
        transparency=_CLEAR,
        optimize=False,
        **options,
    )
    beside.replace(path)


def choose_palette(pictures: Sequence[Image]) -> NDArray[np.uint8]:
    """Return 255 colours for all pictures, (255, 3): the commonest, and some for all others."""
    from PIL import Image as Picture

    counts = np.zeros(1 << 24, np.int64)
    for picture in pictures:
        counts += np.bincount(_packed(picture).ravel(), minlength=len(counts))
    colors = np.flatnonzero(counts)
    colors = colors[np.argsort(-counts[colors], kind="stable")]
    if len(colors) > _CLEAR:
        others = colors[_EXACT:]
        # As often as the square root of their count: rare colours matter too.
        weights = np.ceil(np.sqrt(counts[others])).astype(np.int64)
        sample = _unpacked(np.repeat(others, weights))[None]
        few = Picture.fromarray(sample, "RGB").quantize(_CLEAR - _EXACT, Picture.Quantize.MEDIANCUT)
        rest = np.array(few.getpalette(), np.uint8).reshape(-1, 3)
        chosen = np.concatenate([_unpacked(colors[:_EXACT]), rest])
    else:
        chosen = _unpacked(colors)
    palette = np.zeros((_CLEAR, 3), np.uint8)
    palette[: len(chosen)] = chosen[:_CLEAR]
    return palette


class _Nearest:
    """Find the nearest entry of a palette, and remember it."""

    def __init__(self, palette: NDArray[np.uint8]) -> None:
        self._palette = palette.astype(np.int32)
        self._entries = np.full(1 << 24, -1, np.int16)

    def of(self, picture: Image) -> NDArray[np.uint8]:
        """Return each pixel's entry."""
        packed = _packed(picture)
        unknown = np.unique(packed[self._entries[packed] < 0])
        for start in range(0, len(unknown), 1024):
            part = unknown[start : start + 1024]
            away = _unpacked(part).astype(np.int32)[:, None] - self._palette
            self._entries[part] = (away * away).sum(axis=2).argmin(axis=1)
        return self._entries[packed].astype(np.uint8)


def _packed(picture: Image) -> NDArray[np.int32]:
    wide = picture.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _unpacked(colors: NDArray[Any]) -> NDArray[np.uint8]:
    return np.stack([colors >> 16, colors >> 8 & 255, colors & 255], axis=-1).astype(np.uint8)
