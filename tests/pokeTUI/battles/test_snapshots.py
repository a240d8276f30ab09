"""The battle screen at three sizes, against what it looked like before."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from engine.events import GREEDY, BattlesProgressed, BattleWorker, Event, OpponentScore, RunStarted
from engine.types import ActionSet
from tests.pokeTUI.battles.recorded import MEGA, TERA, recorded
from tests.pokeTUI.battles.test_app import opened, polled
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.snapshot import compare, draw

SIZES = ((80, 24), (120, 40), (200, 60))


def replay() -> Sequence[Event]:
    return (recorded(TERA).shown(number=0, count=3),)


def preview() -> Sequence[Event]:
    battle = recorded(MEGA)
    return (battle.shown(lines=battle.asked[0]["place"]), battle.wanted(0))


def choice() -> Sequence[Event]:
    battle = recorded(TERA)
    return (battle.shown(lines=battle.asked[4]["place"]), battle.wanted(4))


def training() -> Sequence[Event]:
    start = RunStarted(
        "run", "", "gen9vgc2023regc", "ppo", "rl_only", 64, 2, (), actions=ActionSet(())
    )
    return (start, *(progressed(update) for update in range(1, 30)), recorded(TERA).shown(lines=60))


def progressed(update: int) -> BattlesProgressed:
    battles = 40 * update
    shares = {"heuristics" + GREEDY: 0.8, "past": 0.6, "random": 0.95, "self": 0.5}
    scores = tuple(
        OpponentScore(name, battles, 0, 0, battles, battles * share * update / (update + 6))
        for name, share in shares.items()
    )
    workers = tuple(
        BattleWorker(i, 100 + i, i == 1, 9000, 300, 2 * i, 410.0 - 20 * i, 310e6, update - i, i)
        for i in (0, 1)
    )
    return BattlesProgressed(
        4096 * update, battles * 4, update, 60.0, 800.0, 7.5, 3, scores, workers
    )


SCREENS: dict[str, tuple[Callable[[], Sequence[Event]], tuple[str, ...]]] = {
    "battle-replay": (replay, ("right", "right", "right")),
    "battle-policy": (replay, ("right", "right", "2")),
    "battle-preview": (preview, ("2", "3")),
    "battle-choice": (choice, ()),
    "battle-rates": (training, ("4",)),
    "battle-workers": (training, ("5",)),
}


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("screen", SCREENS)
async def test_the_battle_screen_looks_as_before(screen: str, size: Size, config_dir: Path) -> None:
    events, keys = SCREENS[screen]
    async with opened(*events(), size=size) as (app, pilot, _):
        await pilot.press(*keys)
        app.clear_notifications()
        await polled(pilot)
        compare(f"{screen}-{size[0]}x{size[1]}", draw(app))
