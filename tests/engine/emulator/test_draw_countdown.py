import random

import numpy as np
import pytest

from engine.emulator import libretro
from engine.emulator.core import Core
from engine.emulator.libretro import GameBoyAdvance, can_set_countdown
from engine.games.bundled import find_image
from tests.engine.emulator.advance_image import advance_image


def test_countdown_is_found_in_both_cores(core: Core) -> None:
    assert can_set_countdown(core)


def test_core_without_a_known_countdown_draws_every_frame(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = GameBoyAdvance(advance_image(), core=core)
    monkeypatch.setattr(libretro, "can_set_countdown", lambda _: False)
    careful = GameBoyAdvance(advance_image(), core=core)
    for count in (1, 2, 11, 12, 30):
        for machine in (usual, careful):
            machine.tick(count, render=True)
        assert np.array_equal(usual.frame(), careful.frame())
    assert usual.save_state() == careful.save_state()


def test_pictures_of_a_real_game_are_alike_on_demand(core: Core) -> None:
    rom = find_image("mosslight-advance").read_bytes()
    seen, unseen = GameBoyAdvance(rom, core=core), GameBoyAdvance(rom, core=core)
    dice = random.Random(0)
    for _ in range(120):
        button, held, waited = dice.randrange(8), dice.randint(1, 20), dice.randint(1, 30)
        for machine in (seen, unseen):
            machine.press(button)
        for _ in range(held):
            seen.tick(1, render=True)
        unseen.tick(held)
        for machine in (seen, unseen):
            machine.release(button)
        for _ in range(waited):
            seen.tick(1, render=True)
        unseen.tick(waited, render=True)
        assert np.array_equal(seen.frame(), unseen.frame())
    assert seen.save_state() == unseen.save_state()
