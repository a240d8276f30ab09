import json

import pytest

from engine.config import PlannerConfig, RunConfig
from engine.errors import ConfigurationError
from engine.planning.models.prompt import Notes, compose
from engine.planning.models.reply import read_plan
from engine.planning.models.single_plan import first_situation
from engine.types import GoalKind
from tests.benchmarks.learning import LearningCurve
from tests.benchmarks.planner import ARMS, _print_ratios, measure_planner
from tests.engine.planning.models.queries import BATTLE, query
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner


@pytest.fixture(scope="module")
def bedroom(tmp_path_factory):
    return first_situation(RunConfig(save_dir=str(tmp_path_factory.mktemp("saves"))))


def answer(character, asked, seed=0):
    request = compose(asked, Notes(), max_tokens=8000, settings=PlannerConfig())
    body = {"messages": [{"role": "user", "content": request.user}], "format": request.schema}
    reading = read_plan(ScriptedPlanner(character, seed)(body), "stop", asked, "scripted")
    assert reading.repairs == ()
    assert reading.plan is not None, reading.error
    return reading.plan


def test_the_oracle_goes_downstairs_first(bedroom):
    plan = answer("oracle", bedroom)
    assert plan.option.kind is GoalKind.REACH
    assert "HOME 1F" in plan.option.text


def test_the_liar_never_takes_the_way_out(bedroom):
    for seed in range(20):
        plan = answer("liar", bedroom, seed)
        assert plan.option.kind is not GoalKind.REACH


def test_chance_picks_everything_in_turn(bedroom):
    picked = {answer("random", bedroom, seed).option for seed in range(200)}
    assert picked == set(bedroom.options)


def test_everyone_has_an_answer_in_a_battle():
    for character in ("oracle", "random", "liar"):
        assert answer(character, query(BATTLE)).option in BATTLE
    assert answer("oracle", query(BATTLE)).option.kind is GoalKind.FIGHT


def test_planner_server_answers_other_questions_in_their_form():
    schema = {"properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "integer"}}}
    body = {"messages": [{"content": "Hello"}], "format": schema}
    assert json.loads(ScriptedPlanner("oracle")(body)) == {"a": "x", "b": 50}


def test_an_arm_that_does_not_exist_is_refused():
    with pytest.raises(ConfigurationError, match="no arm 'nope'") as caught:
        measure_planner({}, [0], ["nope"])
    assert all(name in caught.value.hint for name in ARMS)


def test_arms_are_compared_seed_by_seed_and_a_run_without_a_badge_counts_in_full(capsys):
    def curve(seed: int, first: int | None, steps: int = 1000) -> LearningCurve:
        return LearningCurve(
            seed, first_steps={} if first is None else {"first_badge": first}, total_steps=steps
        )

    _print_ratios(
        {
            "alone": [curve(0, 200), curve(1, 400), curve(2, 9000)],
            "oracle": [curve(0, 30), curve(1, 30)],
            "liar": [curve(0, 500), curve(1, None)],
        }
    )
    *_, alone, oracle, liar = capsys.readouterr().out.splitlines()
    assert alone.endswith("| 1.00 |")
    assert oracle.endswith("| 0.10 |")
    assert liar.endswith("| 2.50 or more (1 of 2 never) |")
