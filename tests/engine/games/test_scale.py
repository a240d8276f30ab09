"""What suits a game and its goal, where the settings leave it to the game."""

from pathlib import Path
from typing import Any

import pytest

from engine.config import CurriculumConfig, EnvConfig, RunConfig
from engine.errors import ConfigurationError
from engine.games.base import check_goal, fit_run
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.games.emerald.memory import FACTS as EMERALD
from engine.games.facts import read_tables
from engine.runs.settings import read_settings
from engine.sessions.train import EngineSession

CRYSTAL = CrystalGame("", "PM_CRYSTAL", "Crystal")
NOTHING_GIVEN = RunConfig()


def scale_of(config: RunConfig) -> tuple[int, int, int]:
    return config.num_envs, config.env.max_steps, config.env.stuck_steps


def towards(goal: str) -> RunConfig:
    return RunConfig(env=EnvConfig(goal=goal))


@pytest.mark.parametrize("name", ["mosslight", "mosslight-advance"])
def test_practice_games_keep_episodes_of_1500_steps_in_32_games(name: str) -> None:
    assert scale_of(fit_run(NOTHING_GIVEN, load_game(name))) == (32, 1500, 0)


def test_a_cartridge_has_8000_steps_to_its_first_badge_in_16_games() -> None:
    assert scale_of(fit_run(NOTHING_GIVEN, CRYSTAL)) == (16, 8000, 4000)
    assert read_tables(EMERALD).SCALE == CRYSTAL.tables.SCALE


@pytest.mark.parametrize(
    ("goal", "steps_of_the_rules"),
    [("first_badge", 5_278), ("hive_badge", 12_090), ("storm_badge", 29_862),
     ("hall_of_fame", 69_634), ("volcano_badge", 88_661)],
)  # fmt: skip
def test_a_goal_further_on_leaves_the_rules_time_to_spare(
    goal: str, steps_of_the_rules: int
) -> None:
    _, steps, stuck_steps = scale_of(fit_run(towards(goal), CRYSTAL))
    assert 1.4 * steps_of_the_rules < steps < 2 * steps_of_the_rules
    assert 4000 <= stuck_steps <= steps // 2


def test_second_act_of_the_practice_game_takes_longer_than_its_first() -> None:
    assert scale_of(fit_run(towards("moss_light"), load_game())) == (32, 4750, 0)
    assert scale_of(fit_run(towards("got_starter"), load_game())) == (32, 1500, 0)


def test_a_goal_beyond_the_first_badge_lets_some_episodes_begin_at_milestones() -> None:
    shares = [
        fit_run(towards(goal), load_game()).curriculum.archive_share
        for goal in ("", "first_badge", "moss_light")
    ]
    assert shares == [0.0, 0.0, 0.25]


@pytest.mark.parametrize(
    "given",
    [{"curriculum": {"archive_share": 0.0}}, {"curriculum": {"swarm_share": 0.5}},
     {"agent": "explore"}],
)  # fmt: skip
def test_settings_of_where_episodes_begin_are_kept(given: dict[str, Any]) -> None:
    config = RunConfig(env=EnvConfig(goal="moss_light"), **given)
    assert fit_run(config, load_game()).curriculum.archive_share == 0.0


def test_what_a_user_gives_is_kept() -> None:
    given = RunConfig(
        num_envs=3,
        env=EnvConfig(max_steps=99, stuck_steps=0, goal="red"),
        curriculum=CurriculumConfig(archive_share=0),
    )
    assert fit_run(given, CRYSTAL) is given


def test_settings_that_do_not_suit_the_number_of_games_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="workers must not exceed num_envs"):
        fit_run(RunConfig(workers=17), CRYSTAL)


def test_goal_that_is_no_milestone_names_the_nearest() -> None:
    with pytest.raises(ConfigurationError) as refused:
        check_goal(load_game(), "first_bage")
    assert "first_badge" in refused.value.hint
    check_goal(load_game(), "")


def test_a_new_run_writes_the_numbers_down_and_a_saved_one_keeps_them(tmp_path: Path) -> None:
    session = EngineSession(RunConfig(save_dir=str(tmp_path)))
    saved = read_settings(Path(session.run_dir))
    session.discard()
    assert saved == session.config
    assert scale_of(saved) == (32, 1500, 0)


def test_a_saved_run_without_the_numbers_has_those_of_its_time(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"env": {"progress_steps": 0}}')
    assert scale_of(read_settings(tmp_path)) == (32, 1500, 0)
