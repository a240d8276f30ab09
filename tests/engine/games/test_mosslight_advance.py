"""MOSSLIGHT ADVANCE is known by its tables and its image."""

from pathlib import Path

import pytest

from engine.config import RunConfig
from engine.env.stepping import make_game_env
from engine.errors import RomError
from engine.games.base import MilestoneKind
from engine.games.bundled import find_image
from engine.games.catalog import load_game
from engine.games.emerald.game import EmeraldGame
from engine.games.emerald.memory import SYMBOLS
from engine.games.overworld import PersonKind
from engine.planning.goals.planned import PlannedAdvisor
from engine.planning.rules.goals import known_goals
from engine.types import MapId
from engine.wayfinding.world_map import WorldMap
from tests.engine.games.emerald.practice import NAME, needs_core, talk_to


@pytest.fixture(scope="module")
def game() -> EmeraldGame:
    found = load_game(NAME)
    assert isinstance(found, EmeraldGame)
    return found


def test_the_image_is_the_one_that_the_tables_were_written_for(game: EmeraldGame) -> None:
    assert find_image(NAME).read_bytes() == game.rom
    assert game.sha1 == game.profile.sha1
    assert len(game.rom) <= 512 * 1024


@pytest.mark.parametrize("size", [1_000, 300_000])
def test_a_part_of_the_image_is_truncated_not_another_build(
    tmp_path: Path, game: EmeraldGame, size: int
) -> None:
    file = tmp_path / "part.gba"
    file.write_bytes(game.rom[:size])
    with pytest.raises(RomError, match=rf"truncated: {size:,} bytes of {len(game.rom):,}\."):
        load_game(file, allow_unknown=True)


def test_a_changed_image_is_another_build(tmp_path: Path, game: EmeraldGame) -> None:
    file = tmp_path / "changed.gba"
    file.write_bytes(game.rom + b"\0")
    with pytest.raises(RomError, match="from a different version"):
        load_game(file)
    assert load_game(file, allow_unknown=True).rom == file.read_bytes()


def test_names_of_both_games_worlds_are_those_of_the_first(game: EmeraldGame) -> None:
    first = load_game("mosslight").tables
    assert set(game.tables.MAPS.values()) <= set(first.MAPS.values())
    assert set(game.tables.SPECIES.values()) <= set(first.SPECIES.values())
    assert {facts[0] for facts in game.tables.MOVES.values()} <= {
        facts[0] for facts in first.MOVES.values()
    }


def test_every_move_and_species_has_known_types(game: EmeraldGame) -> None:
    tables = game.tables
    assert tables.SPECIES
    assert set(tables.SPECIES_TYPES) == set(tables.SPECIES)
    assert {facts[1] for facts in tables.MOVES.values()} <= set(tables.TYPES)
    assert all(kinds and set(kinds) <= set(tables.TYPES) for kinds in tables.SPECIES_TYPES.values())
    assert {kind for pair in tables.TYPE_CHART for kind in pair} <= set(tables.TYPES)


def test_every_map_of_the_image_has_a_name_and_is_within_reach(game: EmeraldGame) -> None:
    world = game.overworld
    ids = {world.map_id(row) for row in range(len(world))}
    assert ids == {MapId(*key) for key in game.tables.MAPS}
    home = next(MapId(*key) for key, name in game.tables.MAPS.items() if name == "HOME 2F")
    assert set(WorldMap.of(game).maps.distances_from(home)) == ids


def test_those_who_challenge_on_sight_have_flags_of_their_own(game: EmeraldGame) -> None:
    world = game.overworld
    people = world.people[world.people["kind"] == PersonKind.TRAINER]
    assert len(people) > 2
    assert len(set(people["beat_flag"].tolist())) == len(people)
    assert (people["beat_flag"] >= 0x500).all()
    assert {game.tables.TRAINERS[flag - 0x500][1] for flag in people["beat_flag"].tolist()}


def test_the_rules_know_a_way_to_every_milestone(game: EmeraldGame) -> None:
    assert known_goals(game) == {key for key, _ in game.milestones}
    assert any(one.kind is MilestoneKind.BADGE for one in game.tables.MILESTONES)
    assert game.atlas.healers
    assert game.atlas.training


def test_potions_heal(game: EmeraldGame) -> None:
    assert {game.tables.ITEMS[item] for item in game.healing_items} == {"POTION"}


@needs_core
def test_the_rules_pass_under_a_gallery_and_over_it_to_its_keeper(tmp_path: Path) -> None:
    config = RunConfig(rom_path=NAME, seed=0, save_dir=str(tmp_path))
    config = config.model_copy(update={"env": config.env.model_copy(update={"goal": "met_keeper"})})
    env = make_game_env(config, 0)
    advisor = PlannedAdvisor(env.game, 0, 0)
    env.reset(seed=0)
    advisor.reset(env.state)
    objects = SYMBOLS["gObjectEvents"].address
    levels: set[int] = set()
    for _ in range(260):
        if "met_keeper" in env.milestones:
            break
        if env.state.place.name == "GATEHOUSE" and (env.state.place.x, env.state.place.y) == (4, 5):
            levels.add(env.emulator.read(0, objects + 0xB, 1)[0] & 15)
        env.step(int(advisor.advise(env.state, env.action_mask()).prior.argmax()))
    reached = env.milestones
    env.close()
    assert "met_keeper" in reached
    assert levels == {3, 4}


@needs_core
def test_the_rules_choose_by_text_and_win_with_two_creatures(tmp_path: Path) -> None:
    config = RunConfig(rom_path=NAME, seed=0, save_dir=str(tmp_path))
    env = make_game_env(config, 0)
    advisor = PlannedAdvisor(env.game, 0, 0)
    env.reset(seed=0)
    advisor.reset(env.state)
    targets: set[str] = set()
    for _ in range(300):
        if any(env.state.badges):
            break
        if len(env.state.party) == 1 and env.state.control.is_free:
            talk_to(env, (5, 3))  # DR. ALDER, who offers a gift
        advice = advisor.advise(env.state, env.action_mask())
        if env.state.battle and env.state.battle.target:
            targets.add(env.game.tables.SPECIES[env.state.battle.target.species])
        env.step(int(advice.prior.argmax()))
    team = [env.game.tables.SPECIES[one.species] for one in env.state.party]
    env.close()
    assert targets == {"PEBBLIT", "WHISKIT"}
    assert team == ["RILLET", "MOTHLET"]
