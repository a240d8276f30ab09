"""The account of a run stays short, says what is telling, and survives being saved."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.models.summary import RunSummary
from engine.planning_types import GoalOutcome, Outcome
from engine.types import EpisodeSummary
from tests.engine.states import make_goal_outcome


def goal_outcome(text: str, outcome: Outcome = Outcome.REACHED, **changes) -> GoalOutcome:
    return make_goal_outcome(outcome, text=text, **changes)


def episode(*milestones: str, **more) -> EpisodeSummary:
    steps = {key: 10 * (at + 1) for at, key in enumerate(milestones)}
    return EpisodeSummary(0, 1.0, 100, (), steps, **more)


@pytest.fixture
def run() -> RunSummary:
    return RunSummary()


def test_episodes_and_milestones_come_first(run):
    run.add(goal_outcome("exit 1 to HOME 1F"))
    run.episode(episode("left_bedroom", "got_starter"))
    run.episode(episode("left_bedroom", "got_starter", "badge_1", is_success=True))
    run.episode(episode("elsewhere", is_aborted=True))
    assert run.text(1200).splitlines()[:2] == [
        "2 episodes, 1 of them won.",
        "Milestones reached, the latest first: badge 1 (episode 2), got starter (episode 1), "
        "left bedroom (episode 1).",
    ]


def test_a_milestone_keeps_the_episode_that_reached_it_first(run):
    run.milestone("Choose a creature", 3)
    run.milestone("Choose a creature", 7)
    assert run.text(1200).endswith("Choose a creature (episode 3).")


def test_goals_are_counted_by_outcome_without_ignored_and_replaced_ones(run):
    run.add(goal_outcome("exit 1", is_control=True))
    run.add(goal_outcome("exit 1", Outcome.REPLACED))
    assert run.text(1200) == ""
    run.add(goal_outcome("exit 1", made_progress=True))
    run.add(goal_outcome("exit 1"))
    run.add(goal_outcome("exit 1", Outcome.FAILED))
    run = reloaded(run)
    assert run.text(1200) == "exit 1: tried 3, reached 2, led on 1"


def test_most_informative_lines_come_first(run):
    for n in range(9):
        run.add(goal_outcome("always", made_progress=True))
        run.add(goal_outcome("never", Outcome.FAILED))
        run.add(goal_outcome("half", made_progress=n % 2 == 0))
    run.add(goal_outcome("once"))
    names = [line.split(":")[0] for line in run.text(1200).splitlines()]
    assert set(names[:2]) == {"always", "never"}
    assert names.index("half") > 1


def test_summary_lets_old_outcomes_of_a_goal_fade(run):
    for _ in range(200):
        run.add(goal_outcome("exit 1", Outcome.FAILED))
    for _ in range(40):
        run.add(goal_outcome("exit 1", made_progress=True))
    tried, reached = _figures(run.text(99))
    assert tried <= 40
    assert reached > tried // 2


def _figures(line: str) -> tuple[int, int]:
    words = line.split("tried ")[1].replace(", reached ", " ").replace(", led on ", " ").split()
    return int(words[0]), int(words[1])


def test_memory_is_bounded_and_the_latest_goals_stay(run):
    for n in range(1000):
        run.add(goal_outcome(f"goal {n}", made_progress=True))
        run.milestone(f"milestone {n}", n)
    saved = run.save()
    assert len(saved["goals"]) <= 100
    assert len(saved["milestones"]) <= 64
    assert saved["goals"][-1][0] == "goal 999"
    assert len(json.dumps(saved)) < 20_000


names = st.text(max_size=120)
outcomes = st.sampled_from(Outcome)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(names, outcomes, st.booleans()), max_size=40), st.integers(0, 1500))
def test_a_text_is_never_longer_than_asked_for_nor_holds_what_cannot_be_shown(told, limit):
    run = RunSummary()
    for name, outcome, made_progress in told:
        run.add(goal_outcome(name, outcome, made_progress=made_progress))
        run.milestone(name, 1)
    text = run.text(limit)
    assert len(text) <= limit
    assert all(c.isprintable() or c == "\n" for c in text)
    assert text == run.text(limit)


def reloaded(run: RunSummary) -> RunSummary:
    other = RunSummary()
    other.load(json.loads(json.dumps(run.save())))
    return other


def test_a_saved_account_goes_on_as_it_was(run):
    run.episode(episode("got_starter", is_success=True))
    for n in range(5):
        run.add(goal_outcome(f"exit {n % 2}", made_progress=n > 2))
    other = reloaded(run)
    for one in (run, other):
        one.add(goal_outcome("exit 0"))
        one.episode(episode("left_house"))
    assert other.text(1200) == run.text(1200)
    assert other.save() == run.save()


def test_a_text_is_told_sixteen_times_once_the_run_is_under_way():
    """A question's beginning stays the same meanwhile; early on there is more to add."""
    run, told = RunSummary(), []
    for _ in range(49):
        told.append(run.text(1200))
        run.add(goal_outcome("exit 1"))
    tries = [int(text.split()[3].strip(",")) if text else 0 for text in told]
    assert tries == [0, *[1] * 3, *[4] * 12, *[16] * 16, *[32] * 16, 28]  # 48, once halved at 40


def test_a_saved_account_tells_the_same_text_as_long(run):
    for n in range(60):
        run.text(1200)
        run.add(goal_outcome(f"exit {n % 7}", made_progress=n % 3 > 0))
        other = reloaded(run)
        assert other.save() == run.save()
        for _ in range(17):
            assert other.text(1200) == run.text(1200)
        run.load(other.save())


def test_an_account_saved_before_its_text_was_kept_is_told_at_once(run):
    run.add(goal_outcome("exit 1"))
    saved = {key: run.save()[key] for key in ("episodes", "successes", "milestones", "goals")}
    other = RunSummary()
    other.load(saved)
    assert other.text(1200) == "exit 1: tried 1, reached 1, led on 0"


@pytest.mark.parametrize(
    "facts", [{}, {"goals": [["a"]]}, {"goals": 3}, {"goals": [[1, "x", 2, 3]]}]
)
def test_summary_refuses_damaged_facts_and_stays_as_it_is(run, facts):
    run.add(goal_outcome("exit 1"))
    before = run.text(1200)
    with pytest.raises((KeyError, TypeError, ValueError)):
        run.load(facts)
    assert run.text(1200) == before
