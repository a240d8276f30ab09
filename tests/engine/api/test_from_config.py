import json
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine import ConfigurationError, create_trainer_from_config
from engine.agents.dqn import DQN
from engine.agents.guided import GuidedPPO
from engine.commands import Stop
from engine.planning.models.exchanges import scan
from tests.engine.planning.models.servers.scripted_ollama import OllamaServer
from tests.engine.planning.models.servers.scripted_planner import ScriptedPlanner
from tests.utils import create_test_trainer, generate_test_config


def write(folder: Path, **settings: Any) -> str:
    file = folder / "config.json"
    file.write_text(json.dumps(generate_test_config(folder, **settings)))
    return str(file)


def test_documented_keys_reach_their_parts(tmp_path):
    documented = {
        "rom_path": "",
        "headless": True,
        "observation_type": "multi_modal",
        "llm_model": "gpt-4",
        "max_context_length": 4000,
        "initial_strategy": "balanced",
        "decision_db_path": str(tmp_path / "pokemon_decisions.db"),
        "save_dir": str(tmp_path / "training_checkpoints"),
        "log_level": "ERROR",
    }
    (tmp_path / "config.json").write_text(json.dumps(documented))
    trainer = create_trainer_from_config(str(tmp_path / "config.json"))
    assert trainer.parts.env.observation_type == "multi_modal"
    assert trainer.parts.agent.max_context_length == 4000
    assert trainer.parts.strategy.current == "balanced"
    assert (tmp_path / "pokemon_decisions.db").exists()
    assert trainer.config.save_dir == documented["save_dir"]
    trainer.close()


def test_toml_is_read_too(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text(
        f'save_dir = "{tmp_path}"\ndecision_db_path = "{tmp_path}/decisions.db"\n'
        'mode = "rl_only"\n[env]\nmax_steps = 40\n'
    )
    trainer = create_trainer_from_config(str(file))
    assert trainer.parts.env.config.max_steps == 40
    assert trainer.parts.agent.mode == "rl_only"
    trainer.close()


def test_the_files_stages_reach_the_agents_curriculum(tmp_path):
    stage = {"reward_threshold": 7.0, "llm_confidence": 0.5, "strategy_preference": "rule_heavy"}
    settings = generate_test_config(tmp_path, curriculum={"stages": [stage]})
    del settings["initial_strategy"]
    (tmp_path / "config.json").write_text(json.dumps(settings))
    trainer = create_trainer_from_config(str(tmp_path / "config.json"))
    assert trainer.parts.strategy.current == "rule_heavy"
    assert trainer.parts.agent.curriculum_config == trainer.config.curriculum
    assert trainer.parts.agent.lead.curriculum.describe().threshold == 7.0
    trainer.close()


def test_the_named_language_model_sets_goals(tmp_path):
    with OllamaServer(ScriptedPlanner("oracle")) as server:
        file = write(
            tmp_path, llm_model="scripted", llm_base_url=server.url, llm_interval=1, mode="llm_only"
        )
        trainer = create_trainer_from_config(file)
        assert trainer.parts.agent.llm_manager is None  # nobody waits for it

        def has_goal() -> bool:
            files = tmp_path.rglob("exchanges.jsonl")
            return any(exchange["goal"] for file in files for exchange in scan(file).exchanges)

        def stop_at_a_goal(*_: Any) -> None:
            if has_goal():
                trainer.send(Stop())

        trainer.register_callback("episode_end", stop_at_a_goal)
        trainer.train(total_episodes=2_000, max_steps_per_episode=60, eval_interval=0)
        trainer.close()
    assert has_goal()


def test_a_named_model_that_is_unreachable_is_told(tmp_path, caplog):
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"  # nobody listens once it is closed
    trainer = create_trainer_from_config(write(tmp_path, llm_model="none", llm_base_url=url))
    told: list[str] = []

    def stop_when_told(trainer: Any, _: int, status: dict[str, Any]) -> None:
        told.append(status["state"])
        if status["state"] == "unreachable":
            trainer.send(Stop())

    trainer.register_callback("llm_status", stop_when_told)
    summary = trainer.train(2_000, max_steps_per_episode=60, eval_interval=0)
    trainer.close()
    assert told[-1] == "unreachable"
    assert (summary["llm_asked"], summary["llm_answered"], summary["llm_failed"]) == (0, 0, 0)
    assert summary["llm_error"].startswith("unreachable: ")
    assert summary["avg_llm_usage"] == 0
    lines = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("language model none is unreachable: ") for line in lines)


@pytest.mark.parametrize(
    ("settings", "named", "allowed"),
    [
        ({"observation_type": "video"}, "observation_type = 'video'", "'multi_modal', 'screen'"),
        ({"initial_strategy": "llm"}, "initial_strategy = 'llm'", "'llm_heavy', 'balanced'"),
        ({"log_level": "LOUD"}, "log_level = 'LOUD'", "'DEBUG', 'INFO'"),
        ({"max_context_length": "many"}, "max_context_length = 'many'", "valid integer"),
        ({"headless": "perhaps"}, "headless = 'perhaps'", "valid boolean"),
        ({"romm_path": ""}, "unknown key 'romm_path'", "Did you mean rom_path?"),
        ({"env": {"maximum": 3}}, "unknown key 'env.maximum'", "Did you mean env.max_steps?"),
        ({"num_envs": 4}, "num_envs = 4", "poketui run"),
        ({"agent": "rules"}, "agent = 'rules'", "'ppo' or 'dqn'"),
    ],
)
def test_a_wrong_key_or_value_names_itself_and_what_is_allowed(tmp_path, settings, named, allowed):
    with pytest.raises(ConfigurationError) as caught:
        create_trainer_from_config(write(tmp_path, **settings))
    assert named in str(caught.value)
    assert allowed in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_clear_line(tmp_path):
    with pytest.raises(ConfigurationError, match="Cannot read the config file"):
        create_trainer_from_config(str(tmp_path / "missing.json"))


@pytest.mark.parametrize(("agent", "kind"), [("ppo", GuidedPPO), ("dqn", DQN)])
def test_the_named_algorithm_learns(tmp_path, agent, kind):
    dqn = {"warmup_steps": 16, "batch_size": 8, "capacity": 500, "hidden_size": 32}
    trainer = create_test_trainer(2, temp_dir=tmp_path, agent=agent, dqn=dqn)
    updates = []
    trainer.register_callback("policy_update", lambda *args: updates.append(args))
    trainer.train(max_steps_per_episode=20, eval_interval=0)
    assert isinstance(trainer.parts.agent.policy, kind)
    assert updates
    trainer.close()


@pytest.mark.slow
def test_a_screen_is_learnt_from_by_its_pixels(tmp_path):
    ppo = {"rollout_steps": 12, "minibatch_size": 12, "epochs": 1, "hidden_size": 32}
    trainer = create_test_trainer(2, temp_dir=tmp_path, observation_type="screen", ppo=ppo)
    trainer.train(max_steps_per_episode=10, eval_interval=1)
    assert trainer.config.encoder == "pixels"
    assert trainer.load_checkpoint("latest")
    assert np.isfinite(trainer.train(total_episodes=3, max_steps_per_episode=10)["best_reward"])
    trainer.close()
