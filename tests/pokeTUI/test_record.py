"""`poketui record` without a screen, and the form of the start screen."""

from contextlib import closing
from pathlib import Path

import pytest

from engine.config import EnvConfig, RunConfig
from engine.demos.demonstration import read_demo
from engine.errors import ConfigurationError
from engine.sessions.recording.game import RecordedGame, RecordingPlan, Slots
from pokeTUI.app.start.forms import NewRecording, RecordScreen, plan_of
from pokeTUI.draw.units import seconds
from tests.pokeTUI.conftest import screen_text
from tests.pokeTUI.in_process import assert_refused, poketui, succeed
from tests.pokeTUI.pane_app import Size
from tests.pokeTUI.says import assert_has
from tests.pokeTUI.test_start import shows, started


@pytest.mark.parametrize(
    ("text", "value"),
    [("", 0), ("90", 90), ("90s", 90), ("5m", 300), ("1m30s", 90), ("1h", 3600), ("0.5m", 30)],
)
def test_a_time_is_read_as_people_write_it(text: str, value: float) -> None:
    assert seconds(text, "--pause") == value


@pytest.mark.parametrize("text", ["x", "5x", "-1", "m", "5s5m", "nan", "1e9", "٣", "9" * 5000])
def test_seconds_refuses_text_that_is_no_time(text: str) -> None:
    with pytest.raises(ConfigurationError, match="invalid duration"):
        seconds(text, "--pause")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--headless"], "Add --player rules"),
        (["--headless", "--player", "rules"], "Add --episodes 10"),
        (["--headless", "--player", "nobody", "--episodes", "1"], "Unknown player 'nobody'"),
        (["--at", "5"], "Add --demo DEMO"),
        (["--demo", "nothing"], "There is no demonstration nothing"),
        (["--time-limit", "soon"], "invalid duration"),
        (["--dataset", "../x"], "Invalid dataset name"),
        (["--tag", "two words"], "each tag a word"),
        (["--headless", "--player", "rules", "--episodes", "1", "--rom", "no.gb"], "no.gb"),
        ([], "poketui record --headless --player rules"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_record_mistake_is_one_line_and_a_remedy(
    tmp_path: Path, options: list[str], words: str
) -> None:
    done = poketui("record", *options, "--save-dir", str(tmp_path))
    assert_refused(done, words)


@pytest.mark.slow
def test_a_player_fills_a_set_without_a_screen_and_it_goes_on(tmp_path: Path) -> None:
    common = ["--player", "random", "--dataset", "lot", "--tag", "a", "--tag", "b", "--task", "try"]
    folder = tmp_path / "demos" / "lot"
    options = ["--headless", *common, "--time-limit", "1s", "--save-dir", str(tmp_path)]
    done = succeed("record", "--episodes", "1", *options)
    assert done.stdout.startswith("Demonstration saved as ")
    assert_has(done.stdout, f"1 demonstration saved in {folder}", f"poketui bc {folder}")
    done = poketui("record", "--episodes", "2", *options)
    assert "1 demonstration saved" in done.stdout
    demos = [read_demo(path) for path in sorted(folder.glob("*.demo"))]
    assert [demo.by for demo in demos] == ["random", "random"]
    assert {demo.tags for demo in demos} == {frozenset("ab")}
    done = poketui("record", "--episodes", "2", *options)
    assert "Nothing was recorded: the set has its 2 demonstrations." in done.stdout
    files = list(map(str, folder.glob("*.demo")))
    done = poketui("demos", "validate", *files, "--save-dir", str(tmp_path))
    assert done.stdout.count("exactly as recorded") == 2


@pytest.mark.slow
def test_a_slot_saved_with_other_frames_per_press_names_the_options_to_add(tmp_path: Path) -> None:
    older = RunConfig(save_dir=str(tmp_path), env=EnvConfig(ask_frames=0))
    with closing(RecordedGame(older, RecordingPlan("lot"), None, 0)) as game:
        game.begin_episode()
        Slots(game).save(1, 1)
    options = ["--player", "random", "--dataset", "lot", "--time-limit", "1s"]
    options += ["--headless", "--save-dir", str(tmp_path)]
    refused = succeed("record", "--episodes", "1", *options).stderr
    assert_has(refused, "slot-1.slot was saved with 8 + 12 + 0 frames per press, not 8 + 12 + 240.")
    assert "Add " in refused
    added = refused[refused.index("--set") :].split(",")[0].split()
    assert "slot" not in succeed("record", "--episodes", "2", *options, *added).stderr


def test_the_form_says_what_is_wrong_and_what_it_means() -> None:
    config, plan = plan_of(
        {"episodes": "3", "limit": "5m", "set": "gym", "task": "win"}, "somewhere"
    )
    assert (config.save_dir, plan.episodes, plan.limit_s) == ("somewhere", 3, 300)
    assert (plan.set_name, plan.task, plan.player) == ("gym", "win", "")
    for wrong in ({"episodes": "many"}, {"limit": "x"}, {"set": "a/b"}):
        with pytest.raises(ConfigurationError):
            plan_of(wrong, None)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_start_screen_leads_to_a_recording(tmp_path: Path, size: Size) -> None:
    async with started(tmp_path / "saves", size=size) as (pilot, app):
        assert "play yourself, and an agent learns from it" in screen_text(pilot)
        await pilot.press("o")
        await shows(pilot, "Record demonstrations", "until you leave", "‹ you ›")
        assert isinstance(app.screen, RecordScreen)
        await pilot.press("up", "up", "right")
        await shows(pilot, "‹ rules ›")
        await pilot.press("left", "up", "enter", "5", "x", "enter")
        await shows(pilot, "invalid duration")
        await pilot.press("backspace", "m", "enter")
        await shows(pilot, "5m")
        await pilot.press("down", "down", "down", "enter")
    assert app.choice == NewRecording({"limit": "5m", "player": ""})
    assert app.marked == "record"
