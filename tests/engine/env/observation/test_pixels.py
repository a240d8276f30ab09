import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.env.observation.pixels import FrameStack, shrink


def frame_of(red: int, green: int, blue: int) -> np.ndarray:
    return np.full((144, 160, 3), (red, green, blue), np.uint8)


@given(st.integers(0, 255))
def test_a_grey_frame_stays_as_bright_as_it_is(level):
    assert (shrink(frame_of(level, level, level)) == level).all()


@given(st.integers(0, 2**32 - 1))
def test_a_pixel_is_the_mean_brightness_of_four(seed):
    frame = np.random.default_rng(seed).integers(0, 256, (144, 160, 3), np.uint8)
    luma = frame @ np.array([0.299, 0.587, 0.114])
    mean = luma.reshape(72, 2, 80, 2).mean((1, 3))
    assert np.abs(shrink(frame) - mean).max() < 2


def test_an_episodes_first_frame_fills_the_stack():
    stack = FrameStack((144, 160, 3))
    stack.push(frame_of(9, 9, 9))
    stack.begin(frame_of(200, 200, 200))
    assert stack.pixels.shape == (3, 72, 80)
    assert (stack.pixels == 200).all()


def test_the_newest_frame_is_last_and_the_oldest_falls_out():
    stack = FrameStack((144, 160, 3))
    stack.begin(frame_of(1, 1, 1))
    for level in (2, 3, 4):
        stack.push(frame_of(level, level, level))
    assert stack.pixels[:, 0, 0].tolist() == [2, 3, 4]
