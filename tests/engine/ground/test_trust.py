"""What a file names is used with the user's permission, and with nothing less."""

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from engine.config import RunConfig, load_config, parse_config
from engine.errors import ConfigurationError
from engine.ground.trust import (
    distrust,
    permissions_for_database,
    permissions_for_host,
    permissions_for_models,
    trust,
    trust_path,
    trusted_names,
)
from engine.imitation.aggregation import aggregate
from engine.imitation.from_demonstrations import Source, saved_game
from engine.runs.checkpoint import checkpoint_paths
from engine.runs.folder import RunFolder
from engine.runs.settings import load_settings, read_settings, resumed_config, saved_session
from engine.sessions.replay_sources import RecordedEpisode

FOREIGN = "http://evil.example:8080/v1"


@pytest.fixture(autouse=True)
def config_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "user"
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(folder))
    for name in ("OLLAMA_HOST", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "OLLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    return folder


@pytest.fixture
def foreign(tmp_path: Path) -> RunFolder:
    """A run from elsewhere that names a host and code."""
    folder = RunFolder(tmp_path / "saves" / "runs" / "foreign")
    (folder.checkpoints_path).mkdir(parents=True)
    (folder.checkpoints_path / "step-000000000064.zip").write_bytes(b"")
    assert checkpoint_paths(folder.checkpoints_path)
    settings = {
        "llm_model": "gpt-test",
        "llm_base_url": FOREIGN,
        "rewards": {"extra": {"evil:Thing": 1.0}},
        "wandb": "online",
    }
    folder.config_path.write_text(json.dumps(settings))
    return folder


def refused(folder: RunFolder, **new: object) -> str:
    with pytest.raises(ConfigurationError) as raised:
        resumed_config(folder.path, parse_config(new, "test"))
    return str(raised.value)


@pytest.mark.parametrize(
    ("address", "backend"),
    [
        ("http://127.0.0.1:11434", "ollama"),
        ("127.0.0.1", "ollama"),
        ("localhost:8080/v1", "openai"),
        ("http://LOCALHOST/v1", "openai"),
        ("http://127.8.9.10:1/v1", "anthropic"),
        ("http://[::1]:8080/v1", "openai"),
        ("https://api.openai.com/v1", "openai"),
        ("https://API.openai.com:443/v1", "openai"),
        ("https://api.anthropic.com", "anthropic"),
        ("https://ollama.com", "ollama"),
        ("", "openai"),
    ],
)
def test_loopback_and_the_providers_own_host_need_no_permission(
    address: str, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert permissions_for_host(address, [backend]) == []


needs_sockets = pytest.mark.skipif(
    not Path("/proc/net/tcp").exists(), reason="only Linux tells whose a port is"
)


@needs_sockets
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_key_is_for_our_own_server_on_this_machine(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        server = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip("needs IPv6")
    with server:
        port = server.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        for address in (f"http://{shown}:{port}/v1", f"localhost:{port}"):
            assert permissions_for_host(address, ["openai"]) == []
    (needed,) = permissions_for_host(f"http://{shown}:{port}/v1", ["openai"])
    assert needed.names == (f"{shown}:{port}", shown)
    assert "OPENAI_API_KEY" in needed.purpose
    assert "no server of yours" in needed.purpose


ROW = "  0: 0100007F:270F 00000000:0000 {state} 0:0 0:0 0 {uid} 0 1590 1 0\n"


@pytest.mark.parametrize(
    ("rows", "is_ours"),
    [
        ([("0A", 0)], True),
        ([("0A", 1)], False),  # somebody else's
        ([("0A", 0), ("0A", 1)], False),  # whose turn it is nobody knows
        ([("01", 0)], False),  # a connection, not a server
        ([], False),
        (None, False),  # a system that does not say
    ],
)
def test_a_key_is_for_nobody_elses_server_on_this_machine(
    rows: list[tuple[str, int]] | None,
    is_ours: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = tmp_path / "tcp"
    if rows is not None:
        lines = [ROW.format(state=state, uid=os.getuid() + add) for state, add in rows]
        table.write_text("sl local_address\n" + "".join(lines))
    monkeypatch.setattr("engine.ground.trust._SOCKETS", (table, tmp_path / "tcp6"))
    assert (permissions_for_host("http://127.0.0.1:9999/v1", ["openai"]) == []) is is_ours
    assert permissions_for_host("http://127.0.0.1:9999", ["ollama"]) == []  # there is no key


def test_a_key_for_a_port_of_this_machine_is_the_users_to_give(tmp_path: Path) -> None:
    address = "http://127.0.0.1:9/v1"
    file = tmp_path / "given.toml"
    file.write_text(f'llm_model = "gpt-test"\nllm_base_url = "{address}"\n')
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY") as raised:
        load_config(file, {})
    assert raised.value.hint == "To trust it: poketui trust 127.0.0.1:9"
    assert load_config(file, {"llm_base_url": address}).llm_base_url == address
    trust(["127.0.0.1:9"])
    assert load_config(file, {}).llm_base_url == address


@pytest.mark.parametrize(
    ("address", "backend"),
    [
        (FOREIGN, "openai"),
        ("http://api.openai.com/v1", "openai"),  # in clear text
        ("https://api.openai.com:8443/v1", "openai"),
        ("https://api.openai.com./v1", "openai"),
        ("https://api.openai.com.evil.example/v1", "openai"),
        ("https://xapi.openai.com/v1", "openai"),
        ("https://api.openai.com/v1", "anthropic"),
        ("https://api.anthropic.com", "openai"),
        ("ollama.com", "ollama"),  # in clear text
        ("http://127.0.0.1.evil.example", "ollama"),
        ("http://localhost.evil.example", "ollama"),
        ("http://127.0.0.1@evil.example", "ollama"),
        ("http://127.0.0.1:80@evil.example", "ollama"),
        ("http://127.0.0.1\\@evil.example", "ollama"),
        ("http://evil.example\\.localhost", "ollama"),
        ("http://127.0.0.1#.evil.example", "ollama"),
        ("http://127.0.0.1?.evil.example", "ollama"),
        ("http://evil.example\t.localhost", "ollama"),
        ("http://%6cocalhost", "ollama"),
        ("http://0x7f000001", "ollama"),
        ("http://2130706433", "ollama"),
        ("http://0177.0.0.1", "ollama"),
        ("http://0.0.0.0:11434", "ollama"),
        ("http://[::]:11434", "ollama"),
        ("http://\N{CYRILLIC SMALL LETTER A}pi.openai.com", "openai"),
        ("https://\N{FULLWIDTH LATIN SMALL LETTER A}pi.openai.com/v1", "openai"),
        ("http:///v1", "openai"),
        ("ftp://localhost", "ollama"),
    ],
)
def test_any_other_host_needs_permission(address: str, backend: str) -> None:
    (needed,) = permissions_for_host(address, [backend])
    assert needed.names[0].isascii()


def test_each_protocol_of_several_models_needs_permission_of_its_own() -> None:
    needed = permissions_for_host("https://api.openai.com/v1", ["openai", "anthropic", "ollama"])
    assert len(needed) == 2
    config = RunConfig(llm_model="gpt-a, claude-b, c", llm_base_url="https://api.openai.com/v1")
    assert config.permissions() == needed


def test_a_host_in_the_environment_is_permitted_to_its_own_protocol(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://evil.example:8080")
    assert permissions_for_host(FOREIGN, ["openai"]) == []
    assert permissions_for_host("http://evil.example:8081/v1", ["openai"])
    assert permissions_for_host(FOREIGN, ["anthropic"])


def test_refusal_names_host_key_code_and_the_remedy(foreign: RunFolder) -> None:
    text = refused(foreign)
    assert str(foreign.config_path) in text
    assert "questions and OPENAI_API_KEY to evil.example:8080" in text
    assert "runs the code of evil:Thing" in text
    assert "Weights & Biases" in text
    assert text.endswith("poketui trust evil:Thing evil.example:8080 wandb")
    assert len(text.splitlines()) == 1


def test_refusal_quotes_what_a_shell_would_run(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"rewards": {"extra": {"a:b; rm -rf ~": 1}}}))
    with pytest.raises(ConfigurationError, match=r"poketui trust 'a:b; rm -rf ~'$"):
        load_config(file)


def test_trusted_names_let_a_foreign_run_resume(
    foreign: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(["evil:Thing", "wandb"])
    assert "evil:Thing" not in refused(foreign)
    trust(["evil.example"])  # at any port
    config, _ = resumed_config(foreign.path, RunConfig())
    assert config.llm_base_url == FOREIGN
    assert distrust("evil.example")
    assert not distrust("evil.example")
    trust(["evil.example:8081"])
    assert "evil.example:8080" in refused(foreign)
    monkeypatch.setenv("POKETUI_TRUST", f"other, {FOREIGN}")  # an address stands for its host
    resumed_config(foreign.path, RunConfig())


def test_options_of_the_command_need_no_trust(foreign: RunFolder) -> None:
    trust(["evil:Thing"])
    new = {"llm_base_url": "http://gpu-box:8080/v1", "wandb": "off"}
    config, _ = resumed_config(foreign.path, parse_config(new, "test"))
    assert config.llm_base_url == "http://gpu-box:8080/v1"
    resumed_config(foreign.path, parse_config({"llm_model": "", "wandb": "offline"}, "test"))


def test_detached_process_keeps_permissions_of_the_command(foreign: RunFolder) -> None:
    trust(["evil:Thing"])
    new = load_config(None, {"llm_base_url": FOREIGN, "wandb": "online"})
    sent = json.loads(json.dumps(new.model_dump(mode="json", exclude_unset=True)))
    resumed_config(foreign.path, parse_config(sent, "the settings"))


def test_resuming_as_before_permits_nothing(foreign: RunFolder) -> None:
    with pytest.raises(ConfigurationError, match="not trusted"):
        resumed_config(foreign.path, saved_session(read_settings(foreign.path)))


def test_playing_needs_permission_for_code_alone(foreign: RunFolder) -> None:
    assert read_settings(foreign.path).llm_base_url == FOREIGN
    facts = {"run_id": foreign.run_id, "run_dir": str(foreign.path)}
    nothing = dict.fromkeys(("source", "title", "recording", "ended"))
    episode = RecordedEpisode(**nothing, **facts, save_dir=str(foreign.path.parents[1]))
    for read in (lambda: load_settings(foreign.path), episode.settings):
        with pytest.raises(ConfigurationError, match="evil:Thing") as raised:
            read()
        assert "evil.example" not in str(raised.value)
    trust(["evil:Thing"])
    assert episode.settings().rewards.extra


def test_begun_run_is_remembered_and_a_harmless_one_writes_nothing(
    tmp_path: Path, config_folder: Path
) -> None:
    RunFolder.create(RunConfig(save_dir=str(tmp_path), llm_model="m", llm_base_url="127.0.0.1"))
    assert not config_folder.exists()
    settings = {"llm_base_url": FOREIGN, "llm_model": "m", "rewards.extra": {"mine:Thing": 1}}
    config = load_config(None, {"save_dir": str(tmp_path), **settings})
    folder = RunFolder.create(config)
    assert trusted_names() == ("evil.example:8080", "mine:Thing")
    resumed, _ = resumed_config(folder.path, RunConfig())
    assert resumed.rewards.extra == {"mine:Thing": 1.0}


def test_run_begins_where_nothing_can_be_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("POKETUI_CONFIG_DIR", str(tmp_path / "file" / "below"))
    config = RunConfig(save_dir=str(tmp_path), llm_model="m", llm_base_url=FOREIGN)
    assert RunFolder.create(config).config_path.is_file()


def test_trust_file_is_its_owners_alone_and_a_damaged_one_trusts_nothing(
    foreign: RunFolder,
) -> None:
    assert trusted_names() == ()
    trust(["b", "a"])
    assert trusted_names() == ("a", "b")
    assert stat.S_IMODE(trust_path().stat().st_mode) == 0o600
    for damaged in (b"[", b"\xff", b'{"a": 1}', b"[1]", b"[" * 100_000):
        trust_path().write_bytes(damaged)
        with pytest.raises(ConfigurationError, match=r"trust\.json"):
            resumed_config(foreign.path, RunConfig())
    RunFolder.create(RunConfig(save_dir=str(foreign.path.parents[1])))  # needs no permission


def test_config_file_is_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "run.toml"
    file.write_text(f'llm_model = "gpt-test"\nllm_base_url = "{FOREIGN}"\n')
    with pytest.raises(ConfigurationError, match=r"poketui trust evil\.example:8080$"):
        load_config(file)
    load_config(file, {"llm_model": ""})
    load_config(file, {"llm_base_url": FOREIGN})
    monkeypatch.setenv("POKETUI_LLM_BASE_URL", FOREIGN)
    load_config(file)
    monkeypatch.delenv("POKETUI_LLM_BASE_URL")
    trust([FOREIGN])
    assert load_config(file).llm_base_url == FOREIGN


def test_model_file_of_a_config_file_needs_permission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "run.toml"
    for backend in ("", "local"):
        model = "a model" if backend else "a model.gguf"
        path = str(tmp_path / model)
        file.write_text(f'llm_model = "smollm2, ./{model}"\nllm_backend = "{backend}"\n')
        with pytest.raises(ConfigurationError, match=rf"loads {path}.* trust .*'{path}'"):
            load_config(file)
        load_config(file, {"llm_model": ""})
        load_config(file, {"llm_model": f"./{model}"})
        load_config(file, {"llm_backend": "openai"})
        monkeypatch.setenv("POKETUI_LLM_MODEL", path)
        assert load_config(file).llm_model == path
        monkeypatch.delenv("POKETUI_LLM_MODEL")
    trust([str(tmp_path / "smollm2"), path])
    assert path in load_config(file).models


def test_model_file_of_a_foreign_run_needs_permission(foreign: RunFolder) -> None:
    trust(["evil:Thing", "wandb"])
    path = "/models/evil.gguf"
    settings = json.loads(foreign.config_path.read_text())
    del settings["llm_base_url"]
    foreign.config_path.write_text(json.dumps({**settings, "llm_model": path}))
    text = refused(foreign)
    assert f"llm_model loads {path}" in text
    assert text.endswith(f"poketui trust {path}")
    resumed_config(foreign.path, RunConfig(llm_model=path))
    resumed_config(foreign.path, RunConfig(llm_model=""))
    resumed_config(foreign.path, RunConfig(llm_backend="openai"))
    assert load_settings(foreign.path).llm_model == path  # to play its game, no model is loaded


def test_own_run_resumes_with_its_model_file(tmp_path: Path) -> None:
    config = RunConfig(save_dir=str(tmp_path), llm_model="~/model.gguf")
    folder = RunFolder.create(config)
    folder.unlock()
    assert resumed_config(folder.path, RunConfig())[0].models == (str(Path.home() / "model.gguf"),)


def test_models_of_servers_need_no_permission_as_files() -> None:
    assert permissions_for_models(["smollm2:1.7b", "gpt-4o", "claude-x"]) == []
    assert permissions_for_models(["/a.gguf"], "ollama") == []
    config = RunConfig(llm_model="/a.gguf", llm_base_url=FOREIGN)
    assert [each.names for each in config.permissions()] == [("/a.gguf",)]


def test_command_line_permits_its_own_rewards_and_no_others(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('[rewards.extra]\n"evil:Thing" = 1\n')
    with pytest.raises(ConfigurationError, match=r"poketui trust evil:Thing$"):
        load_config(file, {"rewards.extra.mine:Thing": 1})
    config = load_config(file, {"rewards.extra.evil:Thing": 2})
    assert config.rewards.extra == {"evil:Thing": 2.0}


@pytest.mark.parametrize(
    ("path", "is_inside"),
    [
        ("decisions.db", True),
        ("below/decisions.db", True),
        ("{folder}/decisions.db", True),
        ("../other/decisions.db", False),
        ("{folder}/../other.db", False),
        ("/nowhere/decisions.db", False),
        ("~/decisions.db", False),
        ("~nobody-of-that-name/decisions.db", False),
        ("/a\0b", False),
    ],
)
def test_decision_file_outside_needs_permission(
    tmp_path: Path, path: str, is_inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    path = path.format(folder=tmp_path)
    assert (permissions_for_database(path, tmp_path) == []) is is_inside


def test_decision_file_of_a_config_file_is_refused_and_of_a_command_is_not(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"decision_db_path": "/nowhere/decisions.db"}))
    with pytest.raises(ConfigurationError, match=r"poketui trust /nowhere/decisions\.db"):
        load_config(file)
    load_config(file, {"decision_db_path": "decisions.db"})
    load_config(file, {"decision_db_path": "/nowhere/decisions.db"})


def test_policy_gives_no_settings_but_those_of_its_game() -> None:
    game = {"llm_model": "m", "rewards": {"extra": {"evil:Thing": 1}}, "wandb.x": 1}
    assert saved_game({"game": game}) == {"llm_model": "m", "env.features": "first"}


def test_resumed_dagger_asks_no_untrusted_host(tmp_path: Path) -> None:
    folder = tmp_path / "policies" / "foreign"
    folder.mkdir(parents=True)
    game = {"llm_model": "gpt-test", "llm_base_url": FOREIGN}
    settings = {"cloning": {}, "dagger": {}, "source": {}, "expert": "planner", "game": game}
    (folder / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ConfigurationError, match=r"evil\.example:8080"):
        aggregate(str(tmp_path), {}, {}, Source(), resume="foreign")
    assert not (tmp_path / "states").exists()  # nothing was begun
