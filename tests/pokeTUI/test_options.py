"""Walk all commands and their options: a name means one thing, and every setting is heard."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from engine.config import VgcConfig
from pokeTUI.cli.help_texts import FORMER
from pokeTUI.cli.main import app
from tests.pokeTUI.in_process import assert_refused, poketui, succeed
from tests.pokeTUI.says import assert_has

ROOT = Path(__file__).parents[2]


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Return every command with its words, "demos list", the root and groups among them."""
    command = command or get_command(app)
    yield " ".join(path), command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


def options(name: str, command: Any) -> dict[str, tuple[str, str, bool]]:
    """Return kind, metavar and repeatability of a command's options by each of their names."""
    found = {}
    for option in command.params:
        if option.param_type_name == "option":
            kind = "flag" if option.is_flag else str(option.type_descriptor.annotation)
            kind = kind.replace("pathlib.Path", "str")  # text, either way
            facts = (kind, option.metavar or "", option.multiple)
            found |= dict.fromkeys((*option.opts, *option.secondary_opts), facts)
    return found


def test_an_option_name_has_one_kind_and_one_placeholder_in_all_commands() -> None:
    found: dict[str, dict[Any, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, command in commands():
        for option, facts in options(name, command).items():
            found[option][facts].append(name)
    assert {option: dict(kinds) for option, kinds in found.items() if len(kinds) > 1} == {}
    assert len(found["--set"]) == 1
    assert next(iter(found["--set"])) == ("list[str]", "KEY=VALUE", True)
    assert {"run", "record", "doctor", "bench env", "llm ask"} <= {*found["--set"].popitem()[1]}


def test_the_helps_of_one_option_name_have_a_word_in_common() -> None:
    found = defaultdict(set)
    for _, command in commands():
        for option in command.params:
            if option.param_type_name == "option":
                found[option.opts[0]].add(option.help or "")
    apart = {option: helps for option, helps in found.items() if not words_in_common(helps)}
    assert apart == {}


def words_in_common(helps: set[str]) -> set[str]:
    idle = {"the", "and", "for", "this", "with", "each", "only", "repeatable"}
    words = [{re.sub("(ful|s)$", "", w) for w in re.findall(r"\w{3,}", h.lower())} for h in helps]
    return set.intersection(*words) - idle


def test_a_former_name_stands_for_an_option_that_there_is() -> None:
    known = dict(commands())
    for name, renamed in FORMER.items():
        there = options(name, known[name])
        assert [new for new in renamed.values() if new not in there] == []
        assert [old for old in renamed if old in there] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("record --from none --at 3", "There is no demonstration none"),
        ("record --from=none", "There is no demonstration none"),
        ("replay --to 0", "Invalid value for '--last-step'"),
        ("demos watch none --from -1", "Invalid value for '--first-step'"),
        ("bench play --agent planner", "Use --player rules"),
        ("bench play --json x --min-successes 99", "cannot succeed 99 times"),
        ("vgc ladder --games 0", "Invalid value for '--battles'"),
        ("llm ask --backend none", "llm_backend = 'none'"),
    ],
)
def test_an_options_former_name_is_still_taken(arguments: str, said: str, tmp_path: Path) -> None:
    result = poketui(*arguments.split(), cwd=tmp_path)
    assert_refused(result, said)


@pytest.mark.parametrize("command", ["run --headless", "record"])
def test_a_demonstration_is_named_alike_everywhere(command: str, tmp_path: Path) -> None:
    result = poketui(*command.split(), "--demo", "none", cwd=tmp_path)
    assert_refused(result, "There is no demonstration none.")


@pytest.mark.parametrize("command", ["run --headless", "bench play"])
def test_an_unknown_goal_is_refused_with_those_there_are(command: str, tmp_path: Path) -> None:
    result = poketui(*command.split(), "--goal", "hall_of_fame", cwd=tmp_path)
    assert result.returncode == 2
    assert_has(result.stderr, "has no milestone 'hall_of_fame'", "second_badge")


@pytest.mark.parametrize(
    ("command", "key"),
    [("learn", "seed"), ("train", "agent"), ("env", "save_dir")],
)
def test_a_benchmark_refuses_settings_that_it_makes(command: str, key: str, tmp_path: Path) -> None:
    result = poketui("bench", command, "--set", f"{key}=1", cwd=tmp_path)
    assert_refused(result, f"--set {key}: this benchmark sets it itself.")


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ("demos", "a dataset is named by --dataset now. Use --dataset demos"),
        ("foo=1", "Did you mean vgc.format? List all: poketui run --set help"),
        ("seed=1 --set seed=2", "--set seed is given twice: 1 and 2."),
        ("=1", "--set =1: not KEY=VALUE."),
        ("num_envs=abc", "num_envs = 'abc'"),
        ("seed.x=1", "seed = {'x': '1'}"),
        ("env.frme_skip=1", "unknown key 'env.frme_skip'. Did you mean env.wait_frames?"),
    ],
)
def test_a_wrong_setting_is_one_line_in_record_too(pairs: str, said: str, tmp_path: Path) -> None:
    result = poketui("record", "--set", *pairs.split(), cwd=tmp_path)
    assert_refused(result, said)
    assert len(result.stderr) < 200


def test_set_help_lists_every_setting() -> None:
    listed = succeed("run", "--set", "help")
    assert "ppo.epochs=3  whole number; at least 1" in listed.stdout.splitlines()


HEARD = {
    "run --headless": "", "runs": "", "eval": "", "export": "", "replay": "", "bc": "",
    "record": "", "doctor": "", "demos": "", "demos list": "", "demos show": "x",
    "demos watch": "x", "demos validate": "", "demos stats": "", "demos split": "",
    "demos filter": "", "demos merge": ".", "demos delete": "x --yes", "demos recover": "",
    "demos export": "", "demos import": "x", "llm check": "", "llm pull": "", "llm ask": "",
    "llm log": "", "llm export": "", "bench learn": "", "bench train": "",
    "bench env": "", "bench play": "", "vgc train --headless": "",
    "vgc exploit": "", "vgc league": "x",
}  # fmt: skip
"""Commands that read settings, with what they need to come so far."""
DEAF = {
    "", "rom", "attach", "stop", "serve", "trust", "bench", "bench vgc", "llm", "vgc",
    "vgc setup", "vgc bc", "vgc import", "vgc eval", "vgc play", "vgc watch", "vgc teams",
    "vgc ladder", "vgc server", "vgc coach", "vgc advise", "vgc distill",
}  # fmt: skip
"""Commands that read none."""


def test_every_command_reads_settings_or_is_known_to_read_none() -> None:
    reading = {name.removesuffix(" --headless") for name in HEARD}
    assert {name for name, _ in commands()} == reading | DEAF


@pytest.mark.parametrize("command", HEARD)
def test_each_command_that_reads_settings_reads_variables(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POKETUI_ENV__MAX_STEPS", "few")
    result = poketui(*command.split(), *HEARD[command].split(), cwd=tmp_path)
    said = result.stdout + result.stderr
    assert "POKETUI_ENV__MAX_STEPS: env.max_steps = 'few'" in " ".join(said.split())
    assert result.returncode == (1 if command == "doctor" else 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("SEDE", "SEED"),
        ("ENV__MAX_STEP", "ENV__MAX_STEPS"),
        ("ENV__SEED", "SEED"),
        ("SEED__X", "SEED"),
        ("TRUTS", "TRUST"),
        ("CONFIG_DRI", "CONFIG_DIR"),
    ],
)
def test_a_misspelt_variable(name: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"POKETUI_{name}", "1")
    refused = poketui("runs")
    assert_refused(refused, f"The variable POKETUI_{name} names no setting.")
    assert f"Did you mean POKETUI_{meant}?" in refused.stderr


def test_options_go_before_variables_and_these_before_files_and_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.config import load_config

    (tmp_path / "run.toml").write_text("seed = 1\nnum_envs = 3\n[env]\nmax_steps = 30\n")
    monkeypatch.setenv("POKETUI_SEED", "2")
    monkeypatch.setenv("POKETUI_ENV__MAX_STEPS", "20")
    config = load_config(tmp_path / "run.toml", {"env.max_steps": "16"})
    assert (config.env.max_steps, config.seed, config.num_envs, config.workers) == (16, 2, 3, 0)


def test_every_variable_of_ours_in_the_source_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.config import load_config

    sources = [path for part in ("engine", "pokeTUI") for path in (ROOT / part).rglob("*.py")]
    found = {
        name
        for path in sources
        for name in re.findall(r'"(POKETUI_[A-Z_]*[A-Z])"', path.read_text(encoding="utf-8"))
    }
    assert {"POKETUI_CONFIG_DIR", "POKETUI_TRUST", "POKETUI_SHOWDOWN"} <= found
    for name in found - {"POKETUI_PORT", "POKETUI_PORT_FILE"}:  # those are Node's alone
        monkeypatch.setenv(name, "")
    monkeypatch.delenv("POKETUI_SAVE_DIR", raising=False)
    load_config()


# Look at the help as a user reads it: 80 columns, panels of options, true defaults


@pytest.mark.parametrize(
    "page",
    ["run", "bc", "record", "bench play", "llm ask", "llm export", "demos filter", "demos export"],
)
def test_help_fits_80_columns_and_is_not_cut(page: str) -> None:
    shown = CliRunner().invoke(app, [*page.split(), "--help"], terminal_width=80).output
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


@pytest.mark.parametrize("page", ["run", "bc", "record", "bench play"])
def test_many_options_are_grouped_into_panels(page: str) -> None:
    shown = CliRunner().invoke(app, [*page.split(), "--help"], terminal_width=80).output
    for panel in ("Options", "Game", "Agent" if page != "bc" else "DAgger", "Run", "Output"):
        assert f"─ {panel} ─" in shown


def test_options_of_battles_have_the_documented_defaults() -> None:
    found = cast(Any, typer.main.get_command(app)).commands["vgc"].commands["train"]
    shown = {option.name: option.show_default for option in found.params}
    documented = {
        "num_workers": 4, "buffer_size": 2048, "lr": 3e-4, "gamma": 0.99, "gae_lambda": 0.95,
        "ppo_epochs": 10, "num_minibatches": 32, "clip_coef": 0.2, "ent_coef": 0.01,
        "vf_coef": 0.5, "target_kl": 0.03,
    }  # fmt: skip
    assert {name: float(shown[name]) for name in documented} == documented
    ours = {
        "lr": "learning_rate", "ppo_epochs": "epochs", "num_minibatches": "minibatches",
        "clip_coef": "clip", "ent_coef": "entropy", "vf_coef": "value_coefficient",
    }  # fmt: skip
    config = VgcConfig()
    assert {name: getattr(config, ours.get(name, name)) for name in documented} == documented
    assert (config.bc_model, shown["checkpoint_dir"]) == ("", "saves/vgc")


@pytest.mark.parametrize(
    "arguments",
    [
        "--num-workers 4",
        "--num-workers 4 --bc-model data/models/your_bc_model.pt --lr 1e-4",
        "--num-workers 6 --buffer-size 4096 --battle-format gen9vgc2023regulationc "
        "--checkpoint-dir ./my_checkpoints --lr 3e-4",
        "--num-workers 4 --buffer-size 1024 --checkpoint-dir /mnt/c/checkpoints",
        "--num-workers 1",
        "--num-workers 2 --buffer-size 512",
    ],
)
def test_documented_commands_of_battles_are_taken(arguments: str) -> None:
    train = cast(Any, typer.main.get_command(app)).commands["vgc"].commands["train"]
    taken = train.make_context("train", arguments.split()).params
    given = {name: value for name, value in taken.items() if value not in (None, False)}
    assert given.keys() - {"set_"} == {
        word.removeprefix("--").replace("-", "_")
        for word in arguments.split()
        if word.startswith("--")
    }
