import hashlib
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engine.config import RunConfig
from engine.emulator.gameboy import GameBoy
from engine.env.game_env import GameEnv
from engine.env.start_states import (
    keep_given_state,
    prepare_start_state,
    states_folder,
    unpack_state,
)
from engine.env.stepping import make_game_env
from engine.errors import ConfigurationError
from engine.games.catalog import load_game
from engine.games.crystal.game import FAST_OPTIONS
from engine.games.crystal.memory import SYMBOLS
from engine.planning.goals.planned import make_env
from engine.types import Action, GameState
from tests.engine.cartridges import BATTERY_AT, SAVED_PLACE, crystal_like, saved_game

ROOT = Path(__file__).parents[3]


def new_env(start: Path | str = "", folder: Path | None = None, rom: Path | str = ""):
    return GameEnv(
        str(rom),
        observation_type="state",
        start_state=str(start),
        cache_dir=folder,
        allow_unknown_rom=bool(rom),
    )


def where(state: GameState) -> tuple[int, int, int, int]:
    return (state.place.map.group, state.place.map.number, state.place.x, state.place.y)


@pytest.fixture(scope="module")
def route(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, GameState]:
    """Let the planner play until it is out of town, and keep that as PyBoy would."""
    env = make_env(RunConfig(save_dir=str(tmp_path_factory.mktemp("saves"))), 0)
    env.begin(seed=1)
    for _ in range(2000):
        env.step(int(np.argmax(env.prior)))
        if env.env.state.place.environment == "route" and env.env.state.control.is_free:
            break
    state = env.env.state
    assert state.place.environment == "route"
    file = tmp_path_factory.mktemp("given") / "route.state"
    file.write_bytes(env.env.emulator.save_state())
    env.close()
    return file, state


def test_episodes_begin_and_begin_again_at_a_given_state(route: tuple[Path, GameState]) -> None:
    file, expected = route
    env = new_env(file)
    assert where(env.state) == where(expected)
    assert env.state.party == expected.party
    for seed in range(2):
        env.reset(seed=seed)
        assert where(env.state) == where(expected)
        assert env.state.control.is_free
        for action in (Action.UP, Action.LEFT, Action.DOWN, Action.RIGHT) * 3:
            env.step(action)
    env.close()


def test_kept_state_named_by_an_older_version_is_used(tmp_path: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path))
    prepare_start_state(config, lambda done, most: None)
    (kept,) = states_folder(config).iterdir()
    older = kept.with_name(kept.name.replace("-", "-pyboy-", 1))
    kept.rename(older)
    prepare_start_state(config, lambda done, most: pytest.fail("it was played again"))
    env = make_game_env(config, 0)
    assert env.start_state == unpack_state(older.read_bytes())
    assert list(states_folder(config).iterdir()) == [older]
    env.close()


def test_given_state_is_copied_and_the_copy_needs_the_file_no_more(
    route: tuple[Path, GameState], tmp_path: Path
) -> None:
    file = tmp_path / "mine.state"
    file.write_bytes(route[0].read_bytes())
    config = RunConfig(start_state=str(file), save_dir=str(tmp_path / "saves"))
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    kept = keep_given_state(config)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.state", "saves"]
    assert [path.name for path in states_folder(kept).iterdir()] == [kept.start_state]
    assert kept.start_state.startswith(load_game().sha1)
    file.unlink()
    assert keep_given_state(kept) == kept
    moved = tmp_path / "moved"
    (tmp_path / "saves").rename(moved)
    env = make_game_env(kept.model_copy(update={"save_dir": str(moved)}), 0)
    assert where(env.state) == where(route[1])
    env.close()


def test_state_in_a_battle_is_taken_as_it_is(route: tuple[Path, GameState], tmp_path: Path) -> None:
    env = new_env(route[0])
    rng = np.random.default_rng(0)
    while env.state.battle is None or not env.state.control.in_menu:
        env.step(int(rng.choice(np.flatnonzero(env.action_mask()))))
    file = tmp_path / "battle.state"
    file.write_bytes(env.emulator.save_state())
    begun = new_env(file)
    begun.reset(seed=0)
    assert begun.state.battle.enemy == env.state.battle.enemy
    assert begun.state.control.in_menu
    env.close()
    begun.close()


def test_held_button_is_let_go_and_the_step_is_walked_to_its_end(
    route: tuple[Path, GameState], tmp_path: Path
) -> None:
    machine = GameBoy(load_game().rom)
    machine.load_state(route[0].read_bytes())
    machine.press(Action.UP)
    machine.tick(13)
    file = tmp_path / "walking.state"
    file.write_bytes(machine.save_state())
    env = new_env(file)
    assert env.state.control.is_free
    group, number, x, y = where(route[1])
    for _ in range(3):
        env.step(Action.NOOP)
        assert where(env.state) == (group, number, x, y - 1)
    env.close()


def test_state_of_the_title_is_played_on_to_the_first_control(tmp_path: Path) -> None:
    machine = GameBoy(load_game().rom)
    machine.tick(300)
    file = tmp_path / "title.state"
    file.write_bytes(machine.save_state())
    env = new_env(file)
    assert env.state.control.is_free
    options = SYMBOLS["wOptions"]
    assert env.emulator.read(options.bank, options.address, 1) == bytes((FAST_OPTIONS,))
    env.close()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("empty.state", b"", "not a save state of this game"),
        ("noise.state", b"noise" * 1000, "not a save state of this game"),
        ("cut.state", None, "not a save state of this game"),
        ("ours.state", b"PokeTUI start state 1\n" + b"0" * 40, "for a different ROM"),
        ("practice.sav", bytes(0x8000), "no battery memory"),
        ("other.state", b"RASTATE\1MEM ", "is a state of RetroArch"),
        ("other.sgm", b"\x1f\x8b\x08\0", "is packed with gzip"),
        ("other.s0", bytes(100) + b"BESS", "is a state of SameBoy"),
    ],
)
def test_unusable_file_is_refused_with_its_name_and_a_hint(
    route: tuple[Path, GameState], tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    file = tmp_path / name
    file.write_bytes(route[0].read_bytes()[:-100] if content is None else content)
    with pytest.raises(ConfigurationError, match=words) as caught:
        new_env(file)
    assert name in caught.value.message
    assert caught.value.hint


def test_damaged_copy_is_refused(tmp_path: Path) -> None:
    sha1 = load_game().sha1.encode()
    good = zlib.compress(bytes(1000))
    file = tmp_path / "ours.state"
    for packed in (b"", good[:-5], good[:10] + b"\0" + good[11:], zlib.compress(bytes(1 << 23))):
        file.write_bytes(b"PokeTUI start state 1\n" + sha1 + packed)
        with pytest.raises(ConfigurationError, match="damaged"):
            new_env(file)


@pytest.mark.parametrize(
    ("name", "words"),
    [("none.state", "does not exist"), ("", "is a folder"), ("huge.sav", "too large")],
)
def test_what_cannot_be_a_state_is_refused_unread(tmp_path: Path, name: str, words: str) -> None:
    with (tmp_path / "huge.sav").open("wb") as sparse:
        sparse.truncate(1 << 40)
    with pytest.raises(ConfigurationError, match=words):
        new_env(tmp_path / name)


@pytest.mark.slow
def test_runs_from_the_start_state_are_alike_in_two_fresh_processes(tmp_path: Path) -> None:
    code = (
        "import hashlib, sys\n"
        "from pathlib import Path\n"
        "from engine.env.game_env import GameEnv\n"
        "from tests.engine.env.test_game_env import play\n"
        "env = GameEnv(observation_type='state', cache_dir=Path(sys.argv[1]))\n"
        "env.reset(seed=7)\n"
        "play(env, 200, seed=7)\n"
        "print(hashlib.sha1(env.emulator.save_state()).hexdigest())\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    ends = [
        subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout
        for _ in range(2)  # the first plays the introduction, the second takes the kept state
    ]
    assert ends[0] == ends[1]
    assert len(ends[0].strip()) == 2 * hashlib.sha1().digest_size


class TestBattery:
    """On a cartridge of a few instructions that continues a game as Crystal does."""

    @pytest.fixture
    def rom(self, tmp_path: Path) -> Iterator[Path]:
        folder = tmp_path / "roms"
        folder.mkdir()
        file = folder / "tiny.gbc"
        file.write_bytes(crystal_like())
        yield file
        assert list(folder.iterdir()) == [file], "nothing is written beside the ROM"

    @pytest.mark.parametrize(
        ("name", "more"),
        [
            ("tiny.sav", 0),
            ("tiny.SaveRAM", 44),
            ("tiny.state", 48),
            ("sav.dat", 16),
            ("tiny", 0x18000),
        ],
    )
    def test_saved_game_is_continued_and_its_file_only_read(
        self, rom: Path, tmp_path: Path, name: str, more: int
    ) -> None:
        folder = tmp_path / "mine"
        folder.mkdir()
        file = saved_game(folder / name, more)
        before = (file.read_bytes(), file.stat().st_mtime_ns)
        env = new_env(file, rom=rom)
        for seed in range(2):
            env.reset(seed=seed)
            assert where(env.state) == SAVED_PLACE
            assert env.state.control.is_free
            assert env.emulator.read(0, BATTERY_AT, 4) == bytes(SAVED_PLACE)
            env.step(Action.A)
        env.close()
        assert (file.read_bytes(), file.stat().st_mtime_ns) == before
        assert list(folder.iterdir()) == [file]

    def test_battery_without_a_saved_game_is_refused(self, rom: Path, tmp_path: Path) -> None:
        file = tmp_path / "empty.sav"
        file.write_bytes(bytes(0x8000))
        with pytest.raises(ConfigurationError, match="contains no saved game"):
            new_env(file, rom=rom)

    def test_battery_is_damaged_if_its_checksum_is_wrong(self, rom: Path, tmp_path: Path) -> None:
        file = saved_game(tmp_path / "tiny.dat")
        data = bytearray(file.read_bytes())
        data[0x2B82] ^= 1
        file.write_bytes(data)
        with pytest.raises(ConfigurationError, match="is damaged: its checksum is wrong"):
            new_env(file, rom=rom)

    def test_battery_of_another_size_is_refused(self, rom: Path, tmp_path: Path) -> None:
        file = tmp_path / "cut.sav"
        file.write_bytes(saved_game(tmp_path / "whole.sav").read_bytes()[:-1])
        with pytest.raises(ConfigurationError, match="32,767 bytes"):
            new_env(file, rom=rom)

    @pytest.mark.slow
    def test_state_from_which_nothing_begins_is_refused(self, rom: Path, tmp_path: Path) -> None:
        machine = GameBoy(rom.read_bytes())  # with an empty battery this cartridge never begins
        machine.tick(100)
        file = tmp_path / "dead.state"
        file.write_bytes(machine.save_state())
        with pytest.raises(ConfigurationError, match="never gets control"):
            new_env(file, rom=rom)


class EnoughError(Exception):
    pass


def test_the_introduction_is_played_once_and_reports_its_progress(tmp_path: Path) -> None:
    config, told = RunConfig(save_dir=str(tmp_path)), []
    prepare_start_state(config, lambda done, most: told.append((done, most)))
    frames = [done for done, _ in told]
    assert frames == sorted(frames)
    assert 0 < frames[0] < frames[-1] < told[-1][1]
    (kept,) = states_folder(config).iterdir()
    assert new_env(folder=states_folder(config)).state.control.is_free
    written = kept.stat().st_mtime_ns
    told.clear()
    prepare_start_state(config, lambda done, most: told.append((done, most)))
    assert not told
    assert kept.stat().st_mtime_ns == written


def test_an_introduction_that_is_left_leaves_nothing_behind(tmp_path: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path))

    def leave(done: int, most: int) -> None:
        if done > 100:
            raise EnoughError

    with pytest.raises(EnoughError):
        prepare_start_state(config, leave)
    assert not list(tmp_path.rglob("*.*"))
