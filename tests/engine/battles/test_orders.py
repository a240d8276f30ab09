import json
import lzma

import pytest

from engine.battles.sim.actions import PREVIEW_CODES
from engine.battles.sim.orders import from_selection, to_selection
from tests.benchmarks.server_orders import RECORDED, replay

BATTLES = json.loads(lzma.decompress(RECORDED.read_bytes()))


@pytest.mark.parametrize(("format", "team", "messages"), BATTLES, ids=[one[0] for one in BATTLES])
def test_orders_of_recorded_requests_survive_the_way_to_codes_and_back(format, team, messages):
    player = replay(format, team, messages)
    assert player.n_finished_battles == 1
    assert player.requests == sum(
        '|request|{"active"' in one or "forceSwitch" in one for one in messages
    )
    assert player.orders > 10 * player.requests


def test_selections_survive_the_way_to_orders_and_back():
    assert [from_selection(to_selection(code)) for code in range(PREVIEW_CODES)] == list(
        range(PREVIEW_CODES)
    )
    assert (
        from_selection("/team 4231")
        == from_selection("/team 2413")
        == from_selection("/team 241365")
    )
