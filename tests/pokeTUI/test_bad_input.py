"""Whatever is given, a mistake is one line with the remedy, exit code 2, and nothing is written."""

import json
import os
from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from pokeTUI.app.start.app import StartApp
from pokeTUI.draw.theme import THEME_NAMES
from pokeTUI.input.keymap import KeyTable
from pokeTUI.preferences import PreferenceFile
from tests.pokeTUI.hostile import EVIL, MARKUP, assert_tamely_refused
from tests.pokeTUI.in_process import assert_refused, poketui

HUGE = "9" * 400
RUN = ("run", "--headless", "--rom", "no.gbc")
CONFIGS = {
    "binary.json": bytes(range(256)),
    "deep.json": b"[" * 200_000,
    "deep.toml": b"a=" + b"[" * 20_000,
    "nul.json": b'{"save_dir": "a\\u0000b"}',
    "half.json": b'{"save_dir": "\\ud800"}',
    "infinite.json": b'{"seed": 1e400}',
    "long.json": b'{"seed": ' + b"9" * 4000 + b"}",
    "shape.toml": b"ppo = [1]",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POKETUI_RUNTIME_DIR", str(tmp_path / "sockets"))
    for name, content in CONFIGS.items():
        (tmp_path / name).write_bytes(content)
    os.mkfifo(tmp_path / "pipe.json")
    for end in ("npz", "csv", "demo", "h5"):
        os.mkfifo(tmp_path / f"pipe.{end}")
        (tmp_path / f"endless.{end}").symlink_to("/dev/zero")
    with (tmp_path / "large.json").open("wb") as file:
        file.truncate(3 << 30)
    (tmp_path / "endless.json").symlink_to("/dev/zero")
    (tmp_path / "folder.json").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        *((*RUN, "--config", name) for name in CONFIGS),
        *((*RUN, "--config", f"{kind}.json") for kind in ("pipe", "large", "endless", "folder")),
        (*RUN, "--config", "x" * 5000),
        (*RUN, "--config", os.fsdecode(b"caf\xe9.json")),
        *(
            (*RUN, "--set", text)
            for text in (
                "=", "=1", "x", "ppo=3", "seed.x=1", "seed=", "seed=nan", "seed=1e400", "a.b.c=1",
                "ppo..epochs=1", "ppo.=1", "ppo.learning_rate=inf", "ppo.learning_rate=nan",
                "rewards.extra=[", "save_dir=a\0b", "num_envs=-1", "num_envs=999999999",
                f"total_steps={HUGE}", f"llm_interval={HUGE}",
            )
        ),
        (*RUN, "--set", "ppo=3", "--set", "ppo.epochs=4"),
        *((*RUN, option, HUGE) for option in ("--steps", "--episodes", "--envs", "--llm-interval")),
        *((*RUN, option, "-1") for option in ("--seed", "--envs", "--workers", "--steps")),
        ("eval", "--episodes", HUGE),
        *(
            ("bench", command, option, value)
            for command, options in (
                ("learn", ("--seeds", "--steps", "--first-seed", "--episodes")),
                ("env", ("--steps", "--repeats")),
                ("train", ("--updates",)),
                ("play", ("--seeds", "--first-seed", "--steps", "--minutes", "--processes")),
            )
            for option in options
            for value in ("-1", "nan")
        ),
        ("bench", "learn", "--seeds", HUGE),
        *(("bench", "env", option, HUGE) for option in ("--steps", "--repeats")),
        ("bc", "--rules", HUGE),
        ("bc", "--lr", "nan"),
        *(
            ("bc", *before, value)
            for before in (
                ("--epochs",), ("--batch-size",), ("--hidden-size",), ("--balance",),
                ("--patience",), ("--seed",), ("--weight-decay",), ("--eval-every",),
                ("--dagger", "rules", "--rounds"), ("--dagger", "rules", "--beta"),
            )
            for value in ("-1", "nan")
        ),
        ("record", "--headless", "--player", "random", "--episodes", HUGE),
        ("bench", "train", "--updates", HUGE),
        ("bench", "env", "--cartridge", "--rom", "no.gbc"),
        ("bc", "--val-share", "2"),
        ("demos", "split", "--valid", "nan"),
        ("serve", "--port", "65536"),
        ("rom", "pipe.json"),
        ("rom", "x" * 5000),
        ("rom", "~nobody-at-all/x.gbc"),
        *(
            (*before, "~nobody-at-all/x")
            for before in (
                ("runs",), ("export",), ("demos", "--save-dir"), ("bc", "--resume"),
                ("bc",), ("run", "--headless", "--from"),
                ("run", "--headless", "--state"), ("run", "--headless", "--save-dir"),
            )
        ),
        ("run", "--headless", "--set", "decision_db_path=~nobody-at-all/x"),
        *(
            ("demos", command, f"{kind}.{end}")
            for command, ends in (("import", ("npz", "csv", "demo", "h5")), ("show", ("demo",)))
            for end in ends
            for kind in ("pipe", "endless", "none", "x" * 1500, os.fsdecode(b"caf\xe9"))
        ),
        *((*before, "half.json") for before in (
            ("demos", "import"), ("demos", "show"), ("demos", "merge"), ("eval",),
            ("replay",), ("export",), ("bc", "--rules", "1", "--save-dir"),
            ("bc", "--dagger", "rules", "--save-dir"), ("run", "--headless", "--save-dir"),
            ("run", "--headless", "--state"), ("run", "--headless", "--rom"),
            ("run", "--headless", "--from"),
        )),
        ("rom", "endless.json"),
    ],
    ids=lambda arguments: ascii(" ".join(arguments[-2:]))[:40],
)  # fmt: skip
def test_bad_input_is_one_line_and_writes_nothing(folder: Path, arguments: tuple[str, ...]) -> None:
    before = sorted(folder.iterdir())
    said = poketui(*arguments)
    assert_tamely_refused(said)
    assert len(said.stderr) < 2000 or "x" * 5000 in arguments or HUGE in arguments
    assert "no.gbc" not in said.stderr, "the mistake was not seen"
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SEED", "x"),
        ("PPO", "3"),
        ("NUM_ENVS", "-3"),
        ("PPO__X", "3"),
        ("PPO", "["),
        ("DECISION_DB_PATH", "~nobody-at-all/x"),
    ],
)
def test_a_bad_variable_is_one_line(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"POKETUI_{name}", value)
    assert_tamely_refused(poketui(*RUN))


@pytest.mark.parametrize("command", [("bc", "--rules", "1"), ("demos", "import", "plays.csv")])
def test_a_save_folder_that_cannot_be_written_is_refused_before_anything_is_played(
    folder: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "plays.csv").write_text("action\nA\n")
    (folder / "saves").mkdir(0o500)
    if os.geteuid() == 0:  # who may write everywhere
        monkeypatch.setattr("os.access", lambda _path, mode: not mode & os.W_OK)
    said = poketui(*command, "--save-dir", "saves")
    assert_refused(said, "poketui: Cannot write to saves/")
    assert not said.stdout


@pytest.mark.parametrize(
    "command",
    [("bc", "--dagger"), ("record", "--headless", "--episodes", "1", "--player")],
    ids=lambda command: command[-1],
)
def test_an_unknown_home_folder_is_one_line(command: tuple[str, ...]) -> None:
    refused = poketui(*command, "~nobody-at-all/x")
    assert_refused(refused, "poketui: ~nobody-at-all/x starts in an unknown home folder")


@pytest.mark.parametrize("variable", ["POKETUI_CONFIG_DIR", "POKETUI_RUNTIME_DIR"])
@pytest.mark.parametrize("place", ["half.json", "pipe.json", "x" * 5000, "half.json/below"])
def test_an_unusable_folder_in_the_environment_is_one_line(
    variable: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, place)
    command = ("trust", "x.org") if "CONFIG" in variable else ("attach",)
    assert_tamely_refused(poketui(*command))


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\x00",
        b"theme = 3",
        b'theme = "none"',
        b"theme = ['x']",
        b"a = " + b"[" * 20_000,
        json.dumps(EVIL).encode() + b" = 1",
        b"layout = 3",
        b"keys = 3",
        b"[layout]\nsizes = 3",
        b"#" * 1_100_000,
    ],
    ids=lambda content: ascii(content[:20]),
)
def test_broken_preferences_are_refused_and_left_alone(config_dir: Path, content: bytes) -> None:
    path = config_dir / "preferences.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match="or delete the file"):
        PreferenceFile().load()
    with pytest.raises(ConfigurationError):
        PreferenceFile().save({"theme": "daylight"})
    assert StartApp().theme == THEME_NAMES[0]
    assert path.read_bytes() == content


def test_a_pipe_or_an_endless_file_as_preferences_is_refused_at_once(config_dir: Path) -> None:
    path = config_dir / "preferences.toml"
    for make in (os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir):
        path.unlink()
        make(path)
        with pytest.raises(ConfigurationError, match="regular file"):
            PreferenceFile().load()
        assert StartApp().theme == THEME_NAMES[0]


@pytest.mark.parametrize(
    "keymap",
    [
        {EVIL: "x"},
        {MARKUP: "x"},
        {"pause": EVIL},
        {"pause": MARKUP},
        {"pause": ","},
        {"pause": "q"},
        {"pause": "x" * 100_000},
        {"quit": "p", "pause": "p"},
    ],
    ids=lambda keymap: ascii(str(keymap))[:40],
)
def test_a_keymap_that_makes_no_sense_is_refused(keymap: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError):
        KeyTable(keymap, "preferences.toml")
