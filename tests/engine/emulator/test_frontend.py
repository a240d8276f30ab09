"""Tests of the picture that a core's frontend keeps."""

import numpy as np

from engine.emulator.core import Frontend


def test_every_colour_fills_eight_bits_as_its_top_bits_repeat() -> None:
    frontend = Frontend(0)
    colours = np.arange(1 << 16, dtype=np.uint16)
    for start in (0, 1 << 15):
        pixels = colours[start:][: frontend._pixels.size]
        shown = np.resize(pixels, frontend._pixels.shape)
        for shift in (0, 16):  # the last 16 of a line are not shown
            frontend._pixels[:] = np.roll(shown, shift, axis=1)
            frame = frontend.picture()
            wanted = frontend._pixels[:, :240].astype(int)
            parts = [(wanted >> at & 0x1F) for at in (11, 6, 0)]
            assert frame.dtype == np.uint8
            assert frame.flags.c_contiguous
            assert np.array_equal(frame, np.stack([x << 3 | x >> 2 for x in parts], axis=-1))
