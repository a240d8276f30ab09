import asyncio
import dataclasses
import logging
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from engine import (
    AdaptiveStrategySystem,
    AgentMode,
    ConfigurationError,
    DecisionHistoryAnalyzer,
    DecisionValidationError,
    EnhancedPyBoyPokemonCrystalEnv,
    HybridAgent,
    HybridLLMRLTrainer,
    LLMConnectionError,
    TrainingError,
)
from engine.agents.guided import GuidedPPO
from engine.api.callbacks import CALLBACK_EVENTS
from engine.api.summary import SystemFigures, TrainingSummary
from engine.commands import Stop
from engine.config import EnvConfig, PPOConfig
from engine.errors import WorkerError
from engine.events import EpisodeEnded
from engine.runs.journal import read_journal
from tests.engine.planning.models.fake_backends import until_no_thread_is_left
from tests.engine.training.helpers import FakeWandb

pytestmark = pytest.mark.slow

SHORT = EnvConfig(max_steps=16, progress_steps=0)
PPO = PPOConfig(rollout_steps=20, minibatch_size=10, hidden_size=32, distillation_gradients=4)

Make = Callable[..., HybridLLMRLTrainer]


class Chatty:
    """A language model that takes the first, the second, the third ... possible action."""

    def __init__(self) -> None:
        self.contexts: list[str] = []

    def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
        self.contexts.append(context)
        possible = context.rpartition("Possible actions: ")[2].split(", ")
        chosen = possible[len(context) % len(possible)]
        return int(chosen.split()[0]), {"confidence": 0.9, "reasoning": "because"}


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    made: list[HybridLLMRLTrainer] = []

    def make_trainer(
        folder: str = "saves",
        llm_manager: Any = None,
        agent: type[HybridAgent] = HybridAgent,
        mode: AgentMode = AgentMode.ADAPTIVE,
        eval_episodes: int = 1,
    ) -> HybridLLMRLTrainer:
        strategy = AdaptiveStrategySystem()
        env = EnhancedPyBoyPokemonCrystalEnv("", True, "state", config=SHORT)
        actor = agent(llm_manager, strategy)
        actor.mode = mode
        actor.make_policy = lambda spaces: GuidedPPO(PPO, 1, spaces, seed=3)
        save_dir = str(tmp_path / folder)
        trainer = HybridLLMRLTrainer(env, actor, strategy, None, None, save_dir, "WARNING")
        trainer.config = trainer.config.model_copy(update={"eval_episodes": eval_episodes})
        made.append(trainer)
        return trainer

    yield make_trainer
    for trainer in made:
        trainer.close()


@pytest.fixture
def trainer(make: Make) -> HybridLLMRLTrainer:
    return make()


def episodes(trainer: HybridLLMRLTrainer) -> list[EpisodeEnded]:
    journal = Path(trainer.checkpoint_path).parent.parent / "journal.jsonl"
    return [event for event in read_journal(journal) if isinstance(event, EpisodeEnded)]


def weights(trainer: HybridLLMRLTrainer) -> torch.Tensor:
    network = trainer.parts.agent.policy.ppo.network
    return torch.cat([tensor.flatten() for tensor in network.state_dict().values()])


def test_summary_sums_the_journal_up(make):
    trainer = make(llm_manager=Chatty())
    summary = trainer.train(total_episodes=4, eval_interval=2)
    played = [event.summary for event in episodes(trainer)]
    rewards = [episode.total_reward for episode in played]
    assert summary == {
        "total_episodes": 4,
        "total_steps": 64,
        "best_reward": max(rewards),
        "final_avg_reward": pytest.approx(np.mean(rewards)),
        "curriculum_stage_reached": 1,
        "curriculum_advancements": 0,
        "strategy_switches": 0,
        "final_evaluation": {
            "avg_reward": summary["final_evaluation"]["avg_reward"],
            "std_reward": 0.0,
            "avg_length": 16.0,
            "avg_llm_usage": summary["final_evaluation"]["avg_llm_usage"],
            "avg_rules_usage": summary["final_evaluation"]["avg_rules_usage"],
        },
        "final_policy_evaluation": {
            "avg_reward": summary["final_policy_evaluation"]["avg_reward"],
            "std_reward": 0.0,
            "avg_length": 16.0,
            "avg_llm_usage": 0.0,
            "avg_rules_usage": 0.0,
        },
        "avg_episode_length": 16.0,
        "avg_llm_usage": pytest.approx(np.mean([episode.llm_share for episode in played])),
        "avg_rules_usage": pytest.approx(
            np.mean([episode.planner_share - episode.llm_share for episode in played])
        ),
        "llm_asked": summary["llm_asked"],
        "llm_answered": summary["llm_asked"],
        "llm_failed": 0,
        "llm_error": "",
        "episodes_per_hour": summary["episodes_per_hour"],
        "memory_bytes": summary["memory_bytes"],
        "decision_db_bytes": summary["decision_db_bytes"],
        "decision_db_growth_bytes": summary["decision_db_growth_bytes"],
    }
    assert 0 < summary["avg_llm_usage"] <= 1
    assert summary["episodes_per_hour"] > 0
    assert summary["memory_bytes"] > 0
    assert (summary["decision_db_bytes"], summary["decision_db_growth_bytes"]) == (0, 0)
    assert summary["llm_asked"] == trainer.parts.agent.consultation.asked > 0


def learnt_of(summary: TrainingSummary) -> dict[str, Any]:
    """Return a summary without what the machine and its clock decide."""
    return {key: summary[key] for key in summary if key not in SystemFigures.__annotations__}


def test_interrupted_training_goes_on_bit_for_bit(make):
    """With a language model, evaluations, and a checkpoint within a rollout."""
    whole = make("whole", Chatty())
    expected = whole.train(total_episodes=3, save_interval=1, eval_interval=2)
    first = make("parts", Chatty())
    first.train(total_episodes=1, save_interval=1, eval_interval=2)
    second = make("parts", Chatty())
    assert second.load_checkpoint("latest")
    found = second.train(total_episodes=3, save_interval=1, eval_interval=2)
    assert learnt_of(found) == learnt_of(expected)
    assert episodes(second) == episodes(whole)
    assert torch.equal(weights(second), weights(whole))


def test_evaluations_change_neither_training_nor_final_evaluations(make):
    """Whether or not the number of episodes is divisible by the interval."""
    plain = make("plain", Chatty(), eval_episodes=1)
    summary = plain.train(total_episodes=4, eval_interval=0)
    assert summary["final_evaluation"]["avg_llm_usage"] == pytest.approx(0.8, abs=0.05)
    documented = summary["final_policy_evaluation"]
    assert documented["avg_llm_usage"] == 0.0
    for eval_interval in (2, 3):
        evaluated = make(f"every {eval_interval}", Chatty(), eval_episodes=1)
        told: list[dict[str, Any]] = []
        evaluated.register_callback("evaluation_end", lambda *args, told=told: told.append(args[2]))
        found = evaluated.train(total_episodes=4, eval_interval=eval_interval)
        assert learnt_of(found) == learnt_of(summary)
        assert episodes(plain) == episodes(evaluated)
        assert torch.equal(weights(plain), weights(evaluated))
        assert len(told) == 4 // eval_interval
        if eval_interval == 2:  # the last one is the final one
            assert {key: told[-1][key] for key in documented} == documented


def test_without_a_policy_there_is_no_evaluation_of_it_alone(make):
    summary = make(mode=AgentMode.LLM_ONLY).train(total_episodes=1)
    assert summary["final_policy_evaluation"] is None
    evaluation = summary["final_evaluation"]
    assert summary["avg_rules_usage"] > 0 < evaluation["avg_rules_usage"]
    # Rules alone are no language model.
    assert summary["avg_llm_usage"] == summary["llm_asked"] == evaluation["avg_llm_usage"] == 0


def everything(trainer: HybridLLMRLTrainer) -> tuple[Any, ...]:
    """Return all that training continues from: guidance, curriculum, games, random streams ..."""
    run = trainer._run
    snapshot = run.trainer.saving.take()
    facts = {key: value for key, value in snapshot.facts.items() if key != "uptime_s"}
    arrays = {name: (a.shape, a.tobytes()) for name, a in snapshot.arrays.items()}
    agent, env = trainer.parts.agent, trainer.parts.env
    streams = np.random.get_state()[1].tobytes(), str(env.np_random.bit_generator.state)
    guided = str(run.trainer.learning.guidance()), str(run._led.guidance)
    observed = str(run._stepped.observation), str(run._stepped.info.keys())
    asked = str(agent.consultation), str(agent.decision)
    return str(facts), arrays, dict(snapshot.blobs), streams, guided, observed, asked


def test_evaluations_leave_guidance_games_and_random_streams_as_they_were(make):
    trainer = make(llm_manager=Chatty())
    trainer.train(total_episodes=2, eval_interval=0)
    run = trainer._run
    with run.working():
        before = everything(trainer)
        run.evaluate()
        assert everything(trainer) == before
        run.evaluate_policy()
        assert everything(trainer) == before


def test_a_second_call_goes_on_and_the_best_model_can_be_loaded(trainer, make):
    with pytest.raises(TrainingError, match="nothing to save"):
        make().save_best_model()
    trainer.train(total_episodes=1)
    assert trainer.train(total_episodes=2)["total_steps"] == 32
    assert trainer.train(total_episodes=1)["total_episodes"] == 2
    second = make()
    assert second.load_checkpoint(trainer.save_best_model())
    assert torch.equal(weights(trainer), weights(second))


def test_a_checkpoint_by_its_path_begins_a_run_of_its_own(make, tmp_path):
    first = make()
    first.train(total_episodes=1, save_interval=1)
    path = first.checkpoint_path
    first.train(total_episodes=3, save_interval=1)
    second = make()
    assert second.load_checkpoint(path)
    assert second.train(total_episodes=3, save_interval=1)["total_episodes"] == 3
    assert episodes(second) == episodes(first)
    assert len(list((tmp_path / "saves" / "runs").iterdir())) == 2


@pytest.mark.parametrize("by_path", [False, True])
def test_what_has_learnt_with_other_features_goes_on_with_them(make, by_path):
    first = make()
    first.parts.env.encode_as("first")
    first.train(total_episodes=1, save_interval=1)
    second = make()
    assert second.load_checkpoint(first.checkpoint_path if by_path else "latest")
    assert second.parts.env.feature_size == first.parts.env.feature_size == 903
    assert second.train(total_episodes=2)["total_episodes"] == 2


def test_load_checkpoint_without_one_returns_false_and_logs_a_line(make, tmp_path, caplog):
    damaged = tmp_path / "step-000000000001.zip"
    damaged.write_bytes(b"no zip at all")
    trainer = make()
    for path in ("latest", str(tmp_path / "missing.zip"), str(damaged)):
        caplog.clear()
        assert not trainer.load_checkpoint(path)
        (record,) = caplog.records
        assert record.levelno == logging.ERROR
        assert "\n" not in record.getMessage()
    assert trainer.train(total_episodes=1)["total_episodes"] == 1


def test_episodes_end_after_the_given_steps(trainer, make):
    summary = trainer.train(total_episodes=2, max_steps_per_episode=7)
    assert (summary["total_steps"], summary["final_evaluation"]["avg_length"]) == (14, 7.0)


def test_callbacks_are_told_of_every_kind_of_event(trainer, make):
    told: dict[str, list[tuple[int, dict[str, Any]]]] = {name: [] for name in CALLBACK_EVENTS}
    for name, calls in told.items():
        trainer.register_callback(
            name, lambda _, number, metrics, calls=calls: calls.append((number, metrics))
        )
    trainer.train(total_episodes=4, save_interval=2, eval_interval=2)
    assert [number for number, _ in told["episode_end"]] == list(range(1, 5))
    documented = {
        "episode_reward",
        "average_reward",
        "llm_usage_rate",
        "rules_usage_rate",
        "episode_length",
        "strategy_switches",
        "curriculum_stage",
        "success_rate",
    }
    assert documented | {"reward"} <= set(told["episode_end"][-1][1])
    last = told["episode_end"][-1][1]
    assert {key: last[key] for key in documented} == trainer.performance_metrics
    assert [number for number, _ in told["evaluation_end"]] == [2, 4]
    assert told["policy_update"][0][1]["entropy"] > 0
    assert all(Path(metrics["path"]).name for _, metrics in told["checkpoint_saved"])


def test_an_unknown_event_a_wrong_number_and_a_callbacks_exception_are_errors(trainer, make):
    with pytest.raises(ConfigurationError, match=r"'episode_start'.*episode_end, "):
        trainer.register_callback("episode_start", print)
    for name, value in {
        "total_episodes": 0,
        "max_steps_per_episode": 0,
        "save_interval": -1,
        "eval_interval": 0.5,
        "curriculum_patience": 0,
    }.items():
        with pytest.raises(ConfigurationError, match=f"{name} = {value}"):
            trainer.train(**{name: value})
    trainer.register_callback("episode_end", lambda *_: [][0])
    with pytest.raises(TrainingError, match="IndexError"):
        trainer.train(total_episodes=2)


def test_a_stop_command_ends_training(trainer, make):
    trainer.register_callback("episode_end", lambda trainer, *_: trainer.send(Stop()))
    assert trainer.train(total_episodes=1000)["total_episodes"] == 1


def test_a_wrong_log_level_or_environment_is_refused(tmp_path):
    strategy = AdaptiveStrategySystem()
    parts = HybridAgent(None, strategy), strategy, None, None, str(tmp_path)
    env = EnhancedPyBoyPokemonCrystalEnv(config=SHORT)
    with pytest.raises(ConfigurationError, match=r"log_level = 'LOUD'.*'DEBUG', 'INFO'"):
        HybridLLMRLTrainer(env, *parts, "LOUD")
    env.close()
    with pytest.raises(ConfigurationError, match="env is a object"):
        HybridLLMRLTrainer(object(), *parts)


class Inspection(HybridAgent):
    """Counts its own calls, and what it is given."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.decided: list[int] = []
        self.updated: list[tuple[int, float, bool]] = []

    def get_action(self, observation, info):
        assert info["state"] is not None
        action = super().get_action(observation, info)
        self.decided.append(action)
        return action

    def update(self, observation, action, reward, next_observation, done):
        assert observation["features"].shape == next_observation["features"].shape
        self.updated.append((action, reward, done))
        super().update(observation, action, reward, next_observation, done)


def test_overridden_methods_of_the_agent_are_called_at_every_step(make):
    trainer = make(agent=Inspection)
    summary = trainer.train(total_episodes=2, eval_interval=0)
    agent = trainer.parts.agent
    assert agent.decided[:32] == [action for action, _, _ in agent.updated]
    assert len(agent.decided) == 32 + 16 + 16  # and the final evaluations, which teach nothing
    assert [done for _, _, done in agent.updated] == ([False] * 15 + [True]) * 2
    rewards = [reward for _, reward, _ in agent.updated]
    assert max(sum(rewards[:16]), sum(rewards[16:])) == pytest.approx(
        summary["best_reward"], rel=1e-5
    )


class Own(HybridAgent):
    """Decides by itself and learns nothing."""

    answer: Any = None

    def get_action(self, observation, info):
        if self.answer is not None:
            return self.answer
        return int(np.flatnonzero(observation["action_mask"])[0])


def test_an_agent_that_decides_by_itself_is_trained_too(make):
    trainer = make(agent=Own)
    summary = trainer.train(total_episodes=2)
    assert summary["avg_llm_usage"] == 0.0
    assert trainer.load_checkpoint("latest")


def test_an_impossible_action_of_an_override_is_an_error(make):
    trainer = make(agent=Own)
    for answer in (9, -1, True, "up", 2):
        trainer.parts.agent.answer = answer
        with pytest.raises(DecisionValidationError):
            trainer.train(total_episodes=1)


class Broken:
    def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
        raise LLMConnectionError("Nobody is there.", "Start one.")


class Wrong:
    answers = (None, (1,), (99, {}), ("A", {}), (2, {}), (1.0, {}), (0, None))
    count = 0

    def get_action(self, context: str) -> Any:
        self.count += 1
        return self.answers[self.count % len(self.answers)]


@pytest.mark.parametrize(
    ("manager", "mode"),
    [(Broken, AgentMode.LLM_ONLY), (Wrong, AgentMode.ADAPTIVE), (Wrong, AgentMode.LLM_ONLY)],
)
def test_a_failing_language_model_ends_nothing(make, manager, mode):
    """The next test says what a broken one does in the adaptive mode."""
    trainer = make(llm_manager=manager(), mode=mode)
    trainer.train(total_episodes=2, eval_interval=0)
    consultation = trainer.parts.agent.consultation
    assert consultation.asked in {25, 26}  # 80 % of 32
    assert consultation.failed + consultation.invalid == consultation.asked


class Unsteady(Chatty):
    """Fails in every way in turn, is slow now and then, and says what no file takes."""

    def __len__(self) -> int:
        return 0  # as a manager that keeps no answers yet

    def get_action(self, context: str) -> Any:
        action, _ = super().get_action(context)
        match len(self.contexts) % 5:
            case 0:
                raise asyncio.CancelledError
            case 1:
                time.sleep(0.02)
                return action, {"reasoning": "\x1b[2J\ud800" * 1000, "source": "\ud800me"}
            case 2:
                return action, {"confidence": math.nan, "raw": object()}
            case 3:
                return None
            case _:
                return asyncio.run(asyncio.wait_for(asyncio.sleep(60), 0.01))


def test_training_goes_on_with_a_model_that_fails_in_every_way(make, tmp_path):
    model = Unsteady()
    trainer = make(llm_manager=model)
    history = DecisionHistoryAnalyzer(str(tmp_path / "decisions.db"))
    trainer.parts = dataclasses.replace(trainer.parts, history=history)
    summary = trainer.train(total_episodes=2, eval_interval=0)
    assert (summary["total_episodes"], summary["total_steps"]) == (2, 32)
    asked = summary["llm_asked"]
    assert asked >= 25
    assert summary["llm_failed"] == pytest.approx(0.6 * asked, abs=2)
    assert summary["llm_answered"] == asked - summary["llm_failed"]
    assert len(episodes(trainer)) == 2
    assert len(history.get_recent_decisions()) == 32
    assert summary["decision_db_bytes"] > summary["decision_db_growth_bytes"] > 0
    until_no_thread_is_left()


@pytest.mark.parametrize(
    "end", [KeyboardInterrupt, pytest.param(SystemExit, marks=pytest.mark.slow)]
)
def test_a_model_that_ends_the_program_leaves_a_run_that_goes_on(make, end):
    class Ending(Chatty):
        def get_action(self, context: str) -> tuple[int, dict[str, Any]]:
            if len(self.contexts) == 20:
                raise end
            return super().get_action(context)

    with pytest.raises(end):
        make(llm_manager=Ending()).train(total_episodes=3, save_interval=1, eval_interval=0)
    again = make(llm_manager=Chatty())
    assert again.load_checkpoint("latest")
    assert again.train(total_episodes=3, eval_interval=0)["total_episodes"] == 3


def test_an_unreachable_language_model_is_told_in_log_callbacks_and_summary(make, caplog):
    trainer = make(llm_manager=Broken())
    told: dict[str, list[dict[str, Any]]] = {"llm_status": [], "episode_end": []}
    for name, calls in told.items():
        trainer.register_callback(name, lambda _, number, facts, calls=calls: calls.append(facts))
    summary = trainer.train(total_episodes=2, eval_interval=0)
    asked = summary["llm_asked"]
    assert asked in {25, 26}  # 80 % of 32
    assert (summary["llm_answered"], summary["llm_failed"]) == (0, asked)
    assert "Nobody is there" in summary["llm_error"]
    assert summary["avg_llm_usage"] == summary["final_evaluation"]["avg_llm_usage"] == 0
    assert summary["avg_rules_usage"] > 0
    (status,) = told["llm_status"]
    assert (status["state"], status["calls"], status["failures"]) == ("waiting", 1, 1)
    assert "Nobody is there" in status["detail"]
    assert told["episode_end"][-1]["llm_failed"] == asked
    assert told["episode_end"][-1]["llm_usage_rate"] == 0
    lines = [record.getMessage() for record in caplog.records]
    assert any("Nobody is there" in line and "1 of 1 answers failed" in line for line in lines)
    assert any(f"{asked} queries, 0 answered" in line for line in lines)


def test_only_the_language_model_and_rules_act_in_its_mode(make):
    manager = Chatty()
    trainer = make(llm_manager=manager, mode=AgentMode.LLM_ONLY)
    summary = trainer.train(total_episodes=5, eval_interval=0)
    assert trainer.parts.agent.consultation.asked == 64  # 80 % of 80
    assert summary["avg_llm_usage"] + summary["avg_rules_usage"] > 0.8
    assert summary["avg_llm_usage"] > summary["avg_rules_usage"] > 0
    assert trainer.parts.agent.policy is None


def test_the_language_model_is_not_asked_in_rl_only(make):
    manager = Chatty()
    trainer = make(llm_manager=manager, mode=AgentMode.RL_ONLY)
    summary = trainer.train(total_episodes=1)
    assert not manager.contexts
    assert summary["avg_llm_usage"] == summary["final_evaluation"]["avg_llm_usage"] == 0.0


def test_the_trained_agent_acts_in_a_loop_of_ones_own(trainer, make):
    trainer.train(total_episodes=1)
    env, agent = trainer.parts.env, trainer.parts.agent
    observation, info = env.reset(seed=5)
    for _ in range(40):
        action = agent.get_action(observation, info)
        assert observation["action_mask"][action]
        following, reward, terminated, truncated, info = env.step(action)
        agent.update(observation, action, float(reward), following, terminated or truncated)
        observation = following
        if terminated or truncated:
            observation, info = env.reset()


def test_figures_go_where_the_settings_say(make, monkeypatch):
    wandb = FakeWandb()
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    trainer = make()
    trainer.config = trainer.config.model_copy(update={"wandb": "offline"})
    trainer.train(total_episodes=2, eval_interval=0)
    (_, options), _, *logged, finish = wandb.calls
    run = Path(trainer.checkpoint_path).parent.parent
    assert (options["id"], finish) == (run.name, ("finish", 0))
    assert sum("episode/return" in figures for _, figures in logged) == 2
    assert list((run / "tensorboard").iterdir())


@pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, WorkerError])
def test_a_failed_start_leaves_no_folder(make, tmp_path, monkeypatch, failure):
    trainer = make("new/saves")

    def fails(**_: Any) -> Any:
        raise failure("at the start")

    monkeypatch.setattr(trainer.parts.env, "reset", fails)
    with pytest.raises(TrainingError if failure is ValueError else failure):
        trainer.train(total_episodes=1)
    assert not (tmp_path / "new").exists()


def test_a_start_that_wandb_or_a_model_ends_leaves_no_folder(make, tmp_path, monkeypatch):
    monkeypatch.setattr("engine.runs.weights_biases.find_spec", lambda name: None)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    for settings in ({"wandb": "online"}, {"llm_model": "claude-x"}):
        trainer = make()
        trainer.config = trainer.config.model_copy(update=settings)
        with pytest.raises(ConfigurationError):
            trainer.train(total_episodes=1)
        assert not (tmp_path / "saves").exists()
