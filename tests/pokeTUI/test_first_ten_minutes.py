"""Press the key that docs/first-ten-minutes.md names, and look for the text, at 80x24."""

import re
from pathlib import Path

import pytest

from engine.events import ControlChanged, EvaluationEnded, PolicyUpdated, RecordingChanged
from engine.types import Evaluation
from tests.pokeTUI.conftest import comes_to_show, open_cockpit, press, screen_text, settle
from tests.pokeTUI.decision_file import write_history
from tests.pokeTUI.fake_session import make_status
from tests.pokeTUI.test_every_action import put_back
from tests.pokeTUI.test_start import make_run, shows, started

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


async def test_the_cockpit_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the run's folder is there, and a picture is written to it
    run_dir = tmp_path / "saves" / "runs" / "mossy-otter-7"
    run_dir.mkdir(parents=True)
    write_history(run_dir / "decisions.db", 100)
    status = make_status(shares=(("policy", 0.32), ("planner", 0.68)))
    async with open_cockpit(80, 24) as (pilot, session):
        session.post(
            RecordingChanged(is_recording=False),
            PolicyUpdated(41, 123_456, {"entropy": 1.2}),
            EvaluationEnded(80, 120_000, Evaluation(10, 31.0, 5.0, 700.0, 0.0, 0.3)),
        )
        for asked, key, seen in COCKPIT:
            session.status = status  # whatever the question before has changed
            session.post(ControlChanged(is_human=False), status)
            await settle(pilot)
            await put_back(pilot)
            if key:
                await press(pilot, KEY_NAMES.get(key, key))
            for text in seen:
                assert await comes_to_show(pilot, text), f"{asked}\n{screen_text(pilot)}"


@pytest.mark.parametrize(("key", "seen"), [row[1:] for row in START], ids=[r[0] for r in START])
async def test_the_start_screen_answers_at_80x24(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, seen: list[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    for seed in (1, 2):
        make_run(tmp_path / "saves", seed=seed)
    async with started(tmp_path / "saves") as (pilot, _):
        text = await shows(pilot, "Doctor", "2 to choose from")
        assert [label for label in seen if f" {label} " not in text] == []
        assert any(line.split()[:1] == [key] or f" {key} " in line for line in text.splitlines())
