"""Press the key that docs/first-ten-minutes.md names, and look for the text, at 80x24."""

import re
from pathlib import Path

import pytest

from engine.events import EvaluationEnded, PolicyUpdated, RecordingChanged
from engine.types import Evaluation
from pokeTUI.app.start.app import StartApp
from tests.pokeTUI.conftest import OpenCockpit, comes_to_show, screen_text, settle
from tests.pokeTUI.decision_file import write_history
from tests.pokeTUI.fake_session import make_status
from tests.pokeTUI.test_start import make_run, shows

PAGE = Path(__file__).parents[2] / "docs" / "first-ten-minutes.md"
KEY_NAMES = {"-": "minus", "?": "question_mark", ",": "comma"}


def rows(heading: str) -> list[tuple[str, str, list[str]]]:
    """Return the questions below a heading: each with its key and the texts to be seen."""
    section = PAGE.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    cells = [re.split(r" *\| *", line)[1:4] for line in section.splitlines() if "|" in line][2:]
    return [(asked, key.strip("`"), re.findall("`([^`]+)`", seen)) for asked, key, seen in cells]


COCKPIT, START = rows("In the cockpit"), rows("On the start screen")


def test_at_least_twenty_questions_are_answered() -> None:
    assert len(COCKPIT) + len(START) >= 20
    assert all(seen for _, _, seen in COCKPIT + START)


@pytest.mark.parametrize(("key", "seen"), [row[1:] for row in COCKPIT], ids=[r[0] for r in COCKPIT])
async def test_the_cockpit_answers_at_80x24(
    open_cockpit: OpenCockpit,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    key: str,
    seen: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)  # the run's folder is there, and a picture is written to it
    run_dir = tmp_path / "saves" / "runs" / "mossy-otter-7"
    run_dir.mkdir(parents=True)
    write_history(run_dir / "decisions.db", 100)
    async with open_cockpit(80, 24) as (pilot, session):
        session.post(
            RecordingChanged(is_recording=False),
            PolicyUpdated(41, 123_456, {"entropy": 1.2}),
            EvaluationEnded(80, 120_000, Evaluation(10, 31.0, 5.0, 700.0, 0.0, 0.3)),
            make_status(shares=(("policy", 0.32), ("planner", 0.68))),
        )
        await settle(pilot)
        pilot.app.clear_notifications()
        if key:
            await pilot.press(KEY_NAMES.get(key, key))
        await settle(pilot)
        for text in seen:
            assert await comes_to_show(pilot, text), screen_text(pilot)


@pytest.mark.parametrize(("key", "seen"), [row[1:] for row in START], ids=[r[0] for r in START])
async def test_the_start_screen_answers_at_80x24(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, seen: list[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for seed in (1, 2):
        make_run(tmp_path / "saves", seed=seed)
    app = StartApp(str(tmp_path / "saves"))
    async with app.run_test(size=(80, 24)) as pilot:
        text = await shows(pilot, "Doctor", "2 to choose from")
        assert [label for label in seen if f" {label} " not in text] == []
        assert any(line.split()[:1] == [key] or f" {key} " in line for line in text.splitlines())
