from pathlib import Path

import numpy as np
import pytest

from engine.battles.play.evaluation import win_rates
from engine.battles.play.players import (
    SCRIPTED,
    SHIPPED,
    SHIPPED_FILE,
    Player,
    find_player,
    format_of,
    past_policies,
)
from engine.battles.play.search import SearchSettings
from engine.battles.policy import NETWORK, NUM_WEIGHTS, POOL, SHAPES, Policy
from engine.battles.sim.teams import DEFAULT_FORMAT, FORMATS, pool, unseen
from engine.config import RunConfig, VgcConfig
from engine.errors import CheckpointError, ConfigurationError
from engine.runs.checkpoint import BEST, Checkpoint, CheckpointStore, write_checkpoint
from engine.runs.folder import RunFolder


def network(value: float) -> Checkpoint:
    """Return a checkpoint of a network whose weights are all the same."""
    arrays = {
        f"{NETWORK}{name}": np.full(shape, value, np.float32) for name, shape in SHAPES.items()
    }
    return Checkpoint({}, arrays)


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    config = RunConfig(save_dir=str(tmp_path), vgc=VgcConfig(format=FORMATS[2].id))
    folder = RunFolder.create(config)
    store = CheckpointStore(folder.checkpoints_path, keep=2)
    store.save(network(1), 100)
    store.save(network(2), 200)
    (folder.path / POOL).mkdir()
    for update in (20, 3):
        write_checkpoint(folder.path / POOL / f"policy-{update:08d}.zip", network(update))
    folder.unlock()
    return folder


def weight(player: Player) -> float:
    assert player.policy is not None
    return float(player.policy.weights[0])


def test_built_in_players_are_found_by_name(tmp_path):
    for name in SCRIPTED:
        player = find_player(name, str(tmp_path))
        assert (player.name, player.policy) == (name, None)
        assert format_of(name, str(tmp_path)) is DEFAULT_FORMAT


def test_the_shipped_policy_plays_by_its_name_and_where_no_run_is_saved(tmp_path, run):
    for name, folder in ((SHIPPED, tmp_path), ("latest", tmp_path / "empty")):
        player = find_player(name, str(folder))
        assert player.name == SHIPPED
        assert format_of(name, str(folder)) is DEFAULT_FORMAT
    assert find_player("latest", str(tmp_path)).name == run.run_id
    assert SHIPPED_FILE.stat().st_size < 8e6


def test_the_shipped_policy_beats_random_play_with_teams_it_never_met(showdown, tmp_path):
    teams = [team.packed for team in unseen(DEFAULT_FORMAT)]
    player = find_player(SHIPPED, str(tmp_path))
    (score,) = win_rates(player, [Player("random")], DEFAULT_FORMAT, teams, showdown, battles=20)
    assert score.total.won >= 15


def test_a_policy_is_found_by_its_file(tmp_path):
    path = tmp_path / "clone.zip"
    write_checkpoint(path, network(0.5))
    player = find_player(str(path), str(tmp_path), is_greedy=False)
    assert (player.name, weight(player), player.is_greedy) == ("clone", 0.5, False)
    assert past_policies(str(path), str(tmp_path)) == ()
    path.write_bytes(b"nothing of ours")
    with pytest.raises(CheckpointError, match=r"clone\.zip"):
        find_player(str(path), str(tmp_path))


def test_the_latest_or_best_policy_of_a_run_is_found_in_its_format(run, tmp_path):
    folder = str(tmp_path)
    assert weight(find_player("latest", folder)) == 2
    assert weight(find_player(run.run_id, folder)) == 2
    assert format_of(run.run_id, folder) is FORMATS[2]
    (run.checkpoints_path / BEST).unlink(missing_ok=True)
    with pytest.raises(CheckpointError, match="no best checkpoint yet"):
        find_player(run.run_id, folder, checkpoint="best")
    write_checkpoint(run.checkpoints_path / BEST, network(3))
    assert weight(find_player(run.run_id, folder, checkpoint="best")) == 3


def test_past_policies_of_a_run_are_found_the_oldest_first(run, tmp_path):
    found = past_policies("latest", str(tmp_path))
    assert [weight(player) for player in found] == [3, 20]
    assert found[0].name == f"{run.run_id}/policy-00000003"


def test_what_is_no_player_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="no saved run 'nobody'"):
        find_player("nobody", str(tmp_path))


def test_only_a_policy_looks_ahead():
    player = Player("policy", Policy(np.zeros(NUM_WEIGHTS, np.float32)))
    assert player.looking_ahead(0) is player
    searching = player.looking_ahead(5)
    assert (searching.name, searching.search) == ("policy +search 5", SearchSettings(samples=5))
    with pytest.raises(ConfigurationError, match="heuristics does not search"):
        Player("heuristics").looking_ahead(5)


def test_a_player_that_searches_plays_legal_choices(showdown):
    policy = Policy(np.zeros(NUM_WEIGHTS, np.float32))
    searching = Player("ahead", policy, search=SearchSettings(samples=1, candidates=2))
    teams = [pool(DEFAULT_FORMAT)[0].packed]
    (scores,) = win_rates(searching, [Player("random")], DEFAULT_FORMAT, teams, showdown, battles=2)
    assert scores.total.battles == 2
