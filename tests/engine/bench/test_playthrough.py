"""One game, played from power-on: how it ends, and how it is resumed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.bench.kept_games import FOLDER
from engine.bench.play_notes import Playthrough
from engine.bench.playthrough import Order, play
from engine.config import RunConfig

pytestmark = pytest.mark.slow


def _config(folder: Path, goal: str = "") -> RunConfig:
    return RunConfig.model_validate({"save_dir": str(folder), "seed": 3, "env": {"goal": goal}})


def _stop_after(steps: int) -> Callable[[], bool]:
    left = iter(range(steps))
    return lambda: next(left, None) is None


def _without_time(found: Playthrough) -> dict[str, Any]:
    """Return all figures but those by the clock."""
    facts = found.facts()
    del facts["minutes"]
    return facts | {"milestones": {k: mark.steps for k, mark in found.milestones.items()}}


def test_order_is_whole_after_json() -> None:
    order = Order(RunConfig(seed=4), "rules", 100, 1.5, resumes=False)
    assert Order.decode(order.encode()) == order


def test_random_agent_runs_out_of_steps(tmp_path: Path) -> None:
    reports: list[int] = []
    order = Order(RunConfig(save_dir=str(tmp_path)), "random", 40, 10.0)
    found = play(order, lambda known: reports.append(known.steps))
    assert (found.ending, found.steps, found.is_success) == ("out of steps", 40, False)
    assert reports[-1] == 40
    spent = found.spent
    assert spent.walk + spent.battle + spent.text + spent.wait == 40
    assert found.frames > 40


def test_time_ends_a_game(tmp_path: Path) -> None:
    found = play(Order(RunConfig(save_dir=str(tmp_path)), "random", 1000, 1e-9))
    assert (found.ending, found.steps) == ("out of time", 1)


@pytest.mark.parametrize(("player", "steps"), [("rules", 700), ("random", 900)])
def test_interrupted_game_goes_as_one_without_interruption(
    player: str, steps: int, tmp_path: Path
) -> None:
    def played(saves: str, stops: int) -> Playthrough:
        order = Order(_config(tmp_path / saves, "moss_light"), player, steps, 60)
        for _ in range(stops):
            assert play(order, should_stop=_stop_after(211)).ending == ""
        return play(order)

    whole, stopped = played("whole", 0), played("stopped", 3)
    assert whole.ending in {"out of steps", "goal reached"}
    assert whole.last is not None
    assert (whole.last.goal != "") == (player == "rules")
    assert _without_time(stopped) == _without_time(whole)


def test_game_is_saved_while_it_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class KilledError(Exception):
        pass

    def die(found: Playthrough) -> None:
        if found.steps == 25:
            raise KilledError

    said: list[str] = []
    order = Order(_config(tmp_path), "rules", 40, 60)
    for interval in ("_REPORT_INTERVAL_S", "_SAVE_INTERVAL_S"):
        monkeypatch.setattr(f"engine.bench.playthrough.{interval}", 0.0)
    with pytest.raises(KilledError):
        play(order, die)
    assert play(order, say=said.append).steps == 40
    assert said == ["resumes, after 24 steps"]


def test_finished_game_is_not_played_again_within_its_limits(tmp_path: Path) -> None:
    said: list[str] = []

    def steps_within(steps: int, *, resumes: bool = True) -> int:
        order = Order(_config(tmp_path, "moss_light"), "rules", steps, 60, resumes)
        return play(order, say=said.append).steps

    assert [steps_within(steps) for steps in (60, 60, 90, 30)] == [60, 60, 90, 30]
    assert said == [
        "was played before, after 60 steps",
        "resumes, after 60 steps",
        "starts anew: it was played beyond these limits before",
    ]
    assert steps_within(30, resumes=False) == 30
    assert len(said) == 3


def test_game_of_another_program_or_setting_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    config = _config(tmp_path)
    changed = config.model_copy(update={"env": config.env.model_copy(update={"stuck_repeats": 5})})
    for each in (config, changed):
        play(Order(each, "rules", 30, 60), say=said.append)
    monkeypatch.setattr("engine.bench.kept_games._program_digest", lambda: "another")
    play(Order(changed, "rules", 30, 60), say=said.append)
    assert said == [
        f"starts anew: {what} has changed since the game was saved"
        for what in ("a setting", "the program")
    ]


@pytest.mark.parametrize("keep", [100, -1])
def test_damaged_game_starts_anew(keep: int, tmp_path: Path) -> None:
    said: list[str] = []
    order = Order(_config(tmp_path), "rules", 30, 60)
    play(order)
    (path,) = (tmp_path / FOLDER).iterdir()
    path.write_bytes(path.read_bytes()[:keep])
    assert play(order, say=said.append).steps == 30
    assert said == [
        "starts anew: cannot use the saved game: it is damaged, or from a different version"
    ]


def test_game_that_cannot_be_saved_is_played_all_the_same(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / FOLDER).write_text("a file in the way")
    assert play(Order(_config(tmp_path), "rules", 30, 60), say=said.append).steps == 30
    assert [text.partition(":")[0] for text in said] == [
        "starts anew",
        "cannot save the game, so it cannot be resumed",
    ]
