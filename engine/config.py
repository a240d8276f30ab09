"""Hold the one typed configuration of a run: defaults <- file <- environment <- options.

Environment variables are named POKETUI_<KEY>, with two underscores into a section:
POKETUI_SEED=3, POKETUI_PPO__LEARNING_RATE=1e-4.
"""

import os
import reprlib
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from engine.errors import ConfigurationError
from engine.ground.files import check_values, parse_json, parse_toml, read_text
from engine.ground.folders import user_path
from engine.ground.providers import backend_of, names_of, with_whole_paths
from engine.ground.trust import (
    Permission,
    check_permissions,
    named_in,
    permissions_for_code,
    permissions_for_database,
    permissions_for_host,
    permissions_for_models,
    permissions_for_wandb,
)

THINKING_TOKENS = 2000
"""Tokens of thinking, added to the limit of the answer: servers count both together."""
LEAST_STEPS = 16
"""Steps of the shortest episode."""
LEAST_QUESTION = 1000
"""Tokens of the shortest prompt: rules, form of the answer, place and one goal to choose."""
_HOLDS_SECRET = "holds_secret"
"""Kind of a validation error whose message must not quote the value."""
_SHOWN = 200
"""Most characters of a wrong value."""
_PREFIX = "POKETUI_"
_NO_SETTINGS = frozenset(
    {"CACHE_DIR", "CONFIG_DIR", "GBA_CORE", "GBA_CORE_TRIED", "RUNTIME_DIR", "SHOWDOWN", "TRUST"}
)
"""Variables with the prefix that are no settings: folders, files, and what is trusted."""
_LIST = "List all: poketui run --set help"

FeatureKind = Literal["goal", "plain", "first"]
ScreenNetwork = Literal["impala", "nature", "tiny"]
EncoderKind = Literal[
    "features", "pixels", "both",
    "impala", "nature", "tiny", "impala+features", "nature+features", "tiny+features",
]  # fmt: skip


class Section(BaseModel):
    """A frozen group of settings that refuses unknown keys, and texts that name no file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @field_validator("*")
    @classmethod
    def _check_text(cls, value: Any) -> Any:
        if isinstance(value, str):
            try:
                is_usable = b"\0" not in os.fsencode(value)
            except UnicodeEncodeError:
                is_usable = False
            if not is_usable:
                raise ValueError("text must not contain NUL or unpaired surrogates")
        check_values({"": value})
        return value


class PressFrames(NamedTuple):
    """How many frames of the game an action takes.

    Attributes:
        hold: While the button is held.
        wait: After it.
        ask: Then at most, until the game asks for something.
    """

    hold: int
    wait: int
    ask: int = 0

    @property
    def usual(self) -> int:
        """Return how many there are where nothing is waited for."""
        return self.hold + self.wait

    def __str__(self) -> str:
        return f"{self.hold} + {self.wait} + {self.ask}"

    @property
    def options(self) -> str:
        """Return the options of the command line that ask for it."""
        values = self._asdict().items()
        return " ".join(f"--set env.{name}_frames={frames}" for name, frames in values)

    def pack(self) -> list[int]:
        """Return it JSON-able, as it was before there was `ask` where that is 0."""
        return list(self if self.ask else self[:2])


class EnvConfig(Section):
    """How actions are pressed, and when an episode ends."""

    hold_frames: int = Field(default=8, ge=1, le=60)
    """Frames a button is held; 4 more for a direction the player must turn to first."""
    wait_frames: int = Field(default=12, ge=4, le=240)
    """Frames after the press; a step or a door that has begun is completed."""
    ask_frames: int = Field(default=240, ge=0, le=1000)
    """Most frames after that until a scene or a battle asks for something; 0: as in older runs,
    whose steps also ended while nothing was asked."""
    max_steps: int = Field(default=0, ge=0)
    """Steps after which an episode is truncated, at least 16; 0: as the game and the goal ask for:
    MOSSLIGHT 1,500 to its first badge, Crystal and Emerald 8,000."""
    progress_steps: int = Field(default=100, ge=0)
    """Steps that each milestone adds to that, up to twice as many in all."""
    goal: str = ""
    """Key of the milestone that ends an episode; empty: the first badge."""
    stuck_repeats: int = Field(default=12, ge=0)
    """Repeats of an action without effect before it is masked; 0: never."""
    stuck_steps: int = Field(default=-1, ge=-1)
    """Steps without progress after which an episode is truncated; 0: never; -1: as the game and
    the goal ask for: MOSSLIGHT never, Crystal and Emerald 4,000 on the way to the first badge."""
    features: FeatureKind = "goal"
    """goal: with the next milestone and the way to it; plain: without; first: as in older runs."""

    @field_validator("max_steps")
    @classmethod
    def _check_max_steps(cls, steps: int) -> int:
        if 0 < steps < LEAST_STEPS:
            raise ValueError(f"it must be at least {LEAST_STEPS}, or 0")
        return steps

    @classmethod
    def of_saved(cls, values: Mapping[str, Any]) -> Self:
        """Read what was dumped; before there were `ask_frames`, nothing was waited for."""
        return cls(**{"ask_frames": 0, **values})

    @property
    def press(self) -> PressFrames:
        """Return how many frames an action takes."""
        return PressFrames(self.hold_frames, self.wait_frames, self.ask_frames)

    def pressed(self, press: PressFrames) -> Self:
        """Return the settings with these frames of an action."""
        hold, wait, ask = press
        frames = {"hold_frames": hold, "wait_frames": wait, "ask_frames": ask}
        return self.model_copy(update=frames)

    def completed(self, max_steps: int, stuck_steps: int) -> Self:
        """Return the settings with these numbers in place of what is left to the game."""
        own: dict[str, int] = {} if self.max_steps else {"max_steps": max_steps}
        if self.stuck_steps < 0:
            own["stuck_steps"] = stuck_steps
        return self.model_copy(update=own) if own else self


class RewardConfig(Section):
    """Weight of each reward component; 0 disables it. See docs/rewards.md.

    `extra` adds components by name: one that a package announces under the entry point group
    `poketui.rewards`, or "module:Class".
    """

    milestone: float = 5.0
    badge: float = 20.0
    exploration: float = 0.1
    map: float = 2.0
    warp: float = 0.1
    """A door or stairs, taken for the first time."""
    talk: float = 0.05
    """A person, thing or sign that answers for the first time."""
    level: float = 1.0
    battle: float = 3.0
    catch: float = 1.0
    """A species caught for the first time."""
    heal: float = 0.5
    key_item: float = 1.0
    money: float = 0.5
    """Cost of spending all money; it is never paid back."""
    stuck: float = 0.02
    whiteout: float = 0.2
    step: float = 0.001
    extra: dict[str, float] = {}


class PPOConfig(Section):
    """Proximal policy optimisation."""

    rollout_steps: int = Field(default=128, ge=8)
    """Steps an environment takes between two updates."""
    epochs: int = Field(default=3, ge=1)
    minibatch_size: int = Field(default=512, ge=8)
    learning_rate: float = Field(default=3e-4, gt=0)
    gamma: float = Field(default=0.998, gt=0, le=1)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    clip: float = Field(default=0.2, gt=0)
    entropy: float = Field(default=0.02, ge=0)
    temperature: float = Field(default=0.5, gt=0, le=10)
    """Temperature at which exam games, `eval` and `play` draw actions, and all games once the
    policy alone is good; the led games draw at 1 until then."""
    distillation: float = Field(default=1.0, ge=0)
    """Weight of the cross-entropy towards the planner's advice in every state that is visited; it
    falls as far as the policy alone succeeds in its exam games. 0: the planner does not teach."""
    distillation_gradients: int = Field(default=64, ge=0)
    """Gradient steps of an update on what was advised in all states by now, times that weight and
    the share of its states that were advised."""
    value_coefficient: float = Field(default=0.5, ge=0)
    max_grad_norm: float = Field(default=0.5, gt=0)
    hidden_size: int = Field(default=256, ge=8)
    recurrent: bool = False
    """Use a recurrent policy (GRU)."""
    sequence_length: int = Field(default=16, ge=2)
    """Steps of backpropagation through time; a divisor of rollout_steps."""

    @model_validator(mode="after")
    def _check_sequences(self) -> Self:
        if self.recurrent and self.rollout_steps % self.sequence_length:
            raise ValueError("sequence_length must divide rollout_steps")
        return self


class DQNConfig(Section):
    """Deep Q-learning: double, duelling, n-step, with prioritised replay."""

    capacity: int = Field(default=96_000, ge=1)
    """Size of the replay buffer in steps, 1.8 kB each."""
    pixel_capacity: int = Field(default=9_000, ge=1)
    """The same where the encoder sees pixels: 19 kB each, in colour 23 kB."""
    warmup_steps: int = Field(default=5_000, ge=0)
    """Steps before the first update."""
    batch_size: int = Field(default=256, ge=1)
    replay_ratio: float = Field(default=8.0, gt=0)
    """How often each step is sampled, on average."""
    gradient_steps: int = Field(default=8, ge=1)
    """Gradient steps per update."""
    learning_rate: float = Field(default=3e-4, gt=0)
    gamma: float = Field(default=0.99, gt=0, le=1)
    double: bool = True
    """Double DQN."""
    duelling: bool = True
    """Duelling network: separate state value and advantages."""
    scale_rewards: bool = True
    """Divide rewards by the running standard deviation of the discounted return."""
    n_steps: int = Field(default=5, ge=1, le=100)
    """Steps of the n-step return."""
    alpha: float = Field(default=0.6, ge=0, le=1)
    """Exponent of prioritised replay: 0 uniform, 1 proportional to the error."""
    beta_start: float = Field(default=0.4, ge=0, le=1)
    """Initial importance-sampling correction; 1 after `beta_steps` steps."""
    beta_steps: int = Field(default=400_000, ge=1)
    exploration: Literal["epsilon", "boltzmann"] = "epsilon"
    """epsilon: the best action, or a random one; boltzmann: drawn from the softmax of the action
    values at `imitation.temperature`, as a cloned policy plays."""
    epsilon_start: float = Field(default=1.0, ge=0, le=1)
    """Initial share of random actions; `epsilon_end` after `epsilon_steps` steps."""
    epsilon_end: float = Field(default=0.05, ge=0, le=1)
    epsilon_steps: int = Field(default=50_000, ge=1)
    target_interval: int = Field(default=500, ge=1)
    """Gradient steps between updates of the target network."""
    target_share: float = Field(default=1.0, gt=0, le=1)
    """Target update rate (tau): 1 copies; 0.005 at an interval of 1 is a soft update."""
    distillation: float = Field(default=1.0, ge=0)
    """Weight of the cross-entropy towards the planner's advice, as `ppo.distillation`: under the
    softmax of the action values at `imitation.temperature`. 0: the planner does not teach."""
    max_grad_norm: float = Field(default=10.0, gt=0)
    hidden_size: int = Field(default=256, ge=8)


class ImitationConfig(Section):
    """Learning from a cloned policy (`start_policy`), demonstrations, and own successes."""

    freeze_updates: int = Field(default=10, ge=0)
    """PPO: initial updates with a frozen policy, while the critic learns."""
    kickstart: float = Field(default=0.5, ge=0)
    """PPO: initial weight of the KL penalty towards the clone."""
    kickstart_updates: int = Field(default=100, ge=1)
    """PPO: updates over which that weight falls to 0."""
    own_way: float = Field(default=1.0, ge=0)
    """PPO with `curriculum.swarm_share`: self-imitation weight of the shortest path to the goal
    found so far."""
    own_way_gradients: int = Field(default=1_000, ge=0)
    """PPO: gradient steps on the first such path alone, once it is found."""
    demos: str = ""
    """DQN: folder of demonstrations that stay in the replay buffer."""
    rules: int = Field(default=0, ge=0)
    """DQN: demonstrations to generate with the rules."""
    demo_share: float = Field(default=0.25, gt=0, lt=1)
    """DQN: share of a batch that is sampled from demonstrations."""
    cloning: float = Field(default=1.0, ge=0)
    """DQN: weight of the cloning loss, times how far the agent's return is below theirs."""
    cloning_floor: float = Field(default=0.0, ge=0, le=1)
    """DQN: smallest share of that weight, however high the agent's return."""
    temperature: float = Field(default=0.1, gt=0)
    """DQN: softmax temperature of the action values."""
    offline_gradients: int = Field(default=1_000, ge=0)
    """DQN: gradient steps on demonstrations alone before the first step."""


class TakeoverConfig(Section):
    """When the planner acts for several decisions instead of only advising."""

    length: int = Field(default=8, ge=0)
    """Length of a takeover in decisions; 0: never."""
    margin: float = Field(default=0.1, ge=0)
    """Margin: weight x its confidence > (1 - weight) x the policy's + margin."""
    share: float = Field(default=0.25, ge=0, le=1)
    """Largest part of the planner's decisions made by takeovers, which are off-policy."""


class PlannerConfig(Section):
    """Queries to a language model, and their limits. Without `llm_model` there are none."""

    fallback: Literal["rules", "none"] = "rules"
    """Goal source while the model has set none: the rule planner, or none."""
    ignore_share: float = Field(default=0.2, ge=0, lt=1)
    """Control group: share of its goals that is ignored at random, to measure uplift."""
    shaping: float = Field(default=0.5, ge=0)
    """Shaping reward for approaching and reaching a fully trusted goal, relative to a tenth of
    a milestone's; 0: none."""
    first_token_timeout_s: float = Field(default=300.0, gt=0)
    """Timeout to the first token, once the model is loaded; shorter once its speed is
    measured."""
    answer_timeout_s: float = Field(default=120.0, gt=0)
    """Timeout from the first token to the last; twice that with thinking."""
    load_timeout_s: float = Field(default=300.0, gt=0)
    """Timeout for loading the model."""
    answer_tokens: int = Field(default=160, ge=32)
    """Maximum tokens of an answer."""
    temperature: float = Field(default=0.2, ge=0, le=2)
    think: bool = False
    """Enable thinking where the model can: better goals, far later."""
    calls_per_minute: float = Field(default=60.0, gt=0)
    max_tokens_per_run: int = Field(default=0, ge=0)
    """Token budget, in and out; 0: no limit."""
    max_cost_per_run: float = Field(default=1.0, ge=0)
    """Budget in US dollars, for models with a price; 0: no limit."""
    input_price: float = Field(default=0.0, ge=0)
    """US dollars per million input tokens; 0 for a server of your own."""
    output_price: float = Field(default=0.0, ge=0)
    """US dollars per million output tokens."""
    keep_exchanges: int = Field(default=1000, ge=1)
    """Exchanges kept on disk."""

    @property
    def tokens_to_write(self) -> int:
        """Return the tokens that an answer may take of the context, with thinking if enabled."""
        return self.answer_tokens + (THINKING_TOKENS if self.think else 0)


class StageConfig(Section):
    """One curriculum stage; the documented keys."""

    reward_threshold: float
    """Mean return needed to advance, in the game's own rewards."""
    min_episodes: int = Field(default=10, ge=1)
    """Minimum episodes in the stage; the mean is over as many, at most the last ten."""
    llm_confidence: float = Field(ge=0, le=1)
    """Confidence that the policy needs to act against the planner's advice."""
    strategy_preference: Literal["llm_heavy", "balanced", "rule_heavy", "autonomous"] = "balanced"
    """Strategy at the start of the stage; autonomous: planner weight 5 %, whatever the strategy."""


class CurriculumConfig(Section):
    """How control moves from planner to policy; the documented keys."""

    stages: tuple[StageConfig, ...] = Field(
        min_length=1,
        default=(
            StageConfig(reward_threshold=50, llm_confidence=0.9, strategy_preference="llm_heavy"),
            StageConfig(reward_threshold=100, llm_confidence=0.7, strategy_preference="balanced"),
            StageConfig(reward_threshold=200, llm_confidence=0.5, strategy_preference="rule_heavy"),
            StageConfig(reward_threshold=500, llm_confidence=0.3, strategy_preference="autonomous"),
        ),
    )
    """The way from planner to policy; a stage begins once the one before has met its thresholds."""
    reward_scale: float = Field(default=0.0, ge=0)
    """Factor on every reward_threshold: 1 where `stages` are given. 0, for the default stages: they
    count milestones, and 500 stands for the whole way to the run's goal."""
    needed_success: float = Field(default=0.8, ge=0, le=1)
    """Share of episodes that must reach the run's goal before the last stage begins, where no
    planner is followed; 0 where `stages` are given: their thresholds alone decide."""
    advancement_patience: int = Field(default=1, ge=1)
    """Episodes to wait in every stage before it advances; a stage's min_episodes may be more."""
    hold_episodes: int = Field(default=20, ge=1)
    """Episodes over which a stage must hold, or it falls back to the one before."""
    confidence_decay_rate: float = Field(default=0.98, gt=0, le=1)
    """Decay per episode of the difference between the planner weight and the stage's."""
    archive_share: float = Field(default=0.0, ge=0, le=0.9)
    """Share of episodes that start from a milestone's saved state; they are counted apart. It
    falls once most episodes make progress from even the hardest of them. With a goal beyond the
    first badge it is .25 where nothing else is given."""
    swarm_share: float = Field(default=0.0, ge=0, le=0.9)
    """Share of the running games that search for the way to the goal, by the settings of `explore`
    and with the policy acting: every few steps they move to a saved state near the farthest
    milestone. Once one has reached the goal, PPO imitates the shortest way found so far
    (`imitation.own_way`), and these games begin near its end and walk back to power-on, by the
    settings of `backward`. Their episodes count apart; 0: none."""

    @model_validator(mode="before")
    @classmethod
    def _take_thresholds_as_given(cls, values: Any) -> Any:
        """Take thresholds literally where stages are given."""
        if isinstance(values, dict) and "stages" in values:
            return {"reward_scale": 1.0, "needed_success": 0.0, **values}
        return values


class BackwardConfig(Section):
    """A backward curriculum over one demonstration, or over the path that a swarm has found."""

    demo: str = ""
    """File of the demonstration; empty: none."""
    success: float = Field(default=0.5, gt=0, le=1)
    """Share of the last `episodes` that must reach the goal before episodes begin further back."""
    episodes: int = Field(default=10, ge=1, le=10_000)
    """Episodes from one place of the demonstration by which that is decided. Where all of them
    fail, the start returns half of the way to the last place that went well."""
    step: float = Field(default=0.05, ge=0.005, le=1)
    """First step back, as a share of the demonstration; doubled each time."""
    patience: float = Field(default=4.0, ge=0)
    """An episode is truncated when it reaches no new milestone in so many times the steps that the
    demonstration took from there; 0: only env.max_steps ends it."""
    sha256: str = ""
    """Of the file, filled in when a run begins: a resumed run must find the same one."""


class ExploreConfig(Section):
    """Exploration from rarely visited states: agent explore, or `curriculum.swarm_share`."""

    steps: int = Field(default=40, ge=1, le=100_000)
    """Steps of exploration before a game moves to another state."""
    repeats: float = Field(default=4.0, ge=1)
    """Mean number of repeats of an action (agent explore)."""
    tiles: int = Field(default=4, ge=1, le=64)
    """Cell size in tiles; one state is stored per cell."""
    cells: int = Field(default=2_000, ge=1, le=10_000)
    """Maximum number of stored states, 10 to 30 kB each; the most visited are dropped."""


class VgcConfig(Section):
    """Doubles battles (`poketui vgc train`): who plays, and the learning by PPO."""

    format: str = "gen9championsvgc2026regmb"
    """Battle format; the default is the newest that the simulator offers."""
    team: str = ""
    """File of your team, or folder of your teams; empty: the shipped ones, as the foe has."""
    num_teams: int = Field(default=1, ge=1)
    """Shipped teams to play with, the first ones."""
    num_workers: int = Field(default=4, ge=1, le=128)
    """Processes that play, each with a simulator of its own."""
    lanes: int = Field(default=32, ge=1, le=512)
    """Battles that each of them plays at once."""
    buffer_size: int = Field(default=2048, ge=64, le=1 << 16)
    """Decisions in a worker's buffer; it has two, 6.7 kB a decision."""
    file_backed: bool = False
    """Share memory by unnamed files in the run's folder, where /dev/shm and memory are small."""
    opponents: dict[str, float] = {"self": 0.75, "past": 0.2, "random": 0.05}
    """Share of the battles against each kind, or against a policy's file (.zip); in those against
    itself both sides learn. Whom a policy is judged by it should not train against."""
    greedy_opponents: bool = False
    """Let policies' files among the opponents take their likeliest choices instead of drawing."""
    evaluation_share: float = Field(default=0.03, ge=0, le=0.5)
    """Share of the battles in which the policy's likeliest choices meet heuristics: a measurement,
    nothing is learned from them."""
    team_priority: float = Field(default=0.5, ge=0, le=1)
    """Draw teams by where the policy loses most: 0 all equally often, 1 by the loss rate alone."""
    pool_size: int = Field(default=12, ge=0, le=100)
    """Past policies that are kept to play against, 3 MB each."""
    pool_interval: int = Field(default=20, ge=1)
    """Updates between two of them."""
    bc_model: str = ""
    """File of a cloned policy to begin from; empty: none."""
    freeze_shared: bool = False
    """Train the action and win heads only."""
    learning_rate: float = Field(default=3e-4, gt=0)
    """Learning rate."""
    gamma: float = Field(default=0.99, gt=0, le=1)
    """Discount factor."""
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    """Lambda of GAE."""
    epochs: int = Field(default=10, ge=1)
    """Most epochs of an update; it ends earlier at target_kl."""
    minibatches: int = Field(default=32, ge=1)
    """Minibatches of an epoch."""
    clip: float = Field(default=0.2, gt=0)
    """PPO clipping range."""
    entropy: float = Field(default=0.01, ge=0)
    """Entropy coefficient."""
    value_coefficient: float = Field(default=0.5, ge=0)
    """Value coefficient."""
    max_grad_norm: float = Field(default=0.5, gt=0)
    target_kl: float = Field(default=0.03, ge=0)
    """Approximate KL divergence that ends an update; 0: none."""
    damage_reward: float = Field(default=0.0, ge=0)
    """Shaping reward for taking all health of the foe's four, paid back at the end."""
    faint_reward: float = Field(default=0.0, ge=0)
    """The same for making all four faint."""
    learner_threads: int = Field(default=1, ge=1, le=128)
    """Of the learner, where there is no GPU."""
    minutes: float = Field(default=0.0, ge=0)
    """Stop after this many minutes; 0: no limit."""
    steps: int = Field(default=0, ge=0)
    """Stop after learning from this many decisions, over all starts of the run; 0: no limit."""
    anneal: bool = False
    """Lower learning rate and entropy linearly over `minutes` or `steps`, to a tenth."""

    @field_validator("opponents")
    @classmethod
    def _check_opponents(cls, opponents: dict[str, float]) -> dict[str, float]:
        known = ("self", "past", "random", "max_power", "greedy", "heuristics")
        for name, weight in opponents.items():
            if name not in known and not name.endswith(".zip"):
                kinds = ", ".join(known)
                raise ValueError(f"no opponent '{name}'; there are {kinds}, or a policy's file")
            if not weight >= 0:
                raise ValueError(f"the share of {name} must not be negative")
        if not sum(opponents.values()) > 0:
            raise ValueError("at least one share must be above 0")
        return opponents

    @model_validator(mode="after")
    def _check_anneal(self) -> Self:
        if self.anneal and not self.minutes and not self.steps:
            raise ValueError("anneal needs minutes or steps")
        return self


class RunConfig(Section):
    """Everything a run depends on. `RunConfig()` trains on the first practice game."""

    rom_path: str = ""
    """Path of the ROM, or a practice game: mosslight, mosslight-advance; empty: mosslight."""
    start_state: str = ""
    """Save state or battery file (.sav) to start from; empty: a new game."""
    start_policy: str = ""
    """A cloned policy that a new run's PPO or DQN begins from: its id or path; empty: none."""
    headless: bool = False
    observation_type: Literal["multi_modal", "screen", "state"] = "multi_modal"
    llm_model: str = ""
    """Language model that sets goals: smollm2:1.7b, gpt-..., claude-..., ./FILE.gguf; a
    comma-separated list votes. Empty: rules set them."""
    llm_backend: Literal["", "ollama", "openai", "anthropic", "local"] = ""
    """Protocol: ollama, openai, anthropic, or local (a GGUF file); empty: by the model's name."""
    llm_base_url: str = ""
    """Server URL; empty: OLLAMA_HOST, OPENAI_BASE_URL, ANTHROPIC_BASE_URL or the provider's."""
    llm_interval: int = Field(default=30, ge=1, le=10**9)
    """Actions between two queries."""
    max_context_length: int = 8000
    """Maximum tokens of a prompt and its answer, with thinking; at least 1,000 more than
    planner.answer_tokens."""
    initial_strategy: Literal["llm_heavy", "balanced", "rule_heavy"] = "llm_heavy"
    """Strategy that a run begins with; without llm_model the rules are the planner."""
    decision_db_path: str = "decisions.db"
    """Decision history; a relative path lies in the run's folder, an absolute one can be shared by
    several runs."""
    save_dir: str = "saves"
    """Folder for saved runs."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    agent: Literal["ppo", "dqn", "rules", "random", "explore"] = "ppo"
    """ppo and dqn learn; rules, random and explore (search from saved states) do not."""
    encoder: EncoderKind = "features"
    """Observations of the policy: features from memory; pixels, the last three frames in grey at
    half size; both; or one frame of 84 x 84 in colour, seen by the convolutional network that is
    named, with features beside it or without."""
    mode: Literal["adaptive", "rl_only", "llm_only"] = "adaptive"
    """adaptive: planner and policy; rl_only: the policy alone; llm_only: the planner alone. Without
    llm_model the rules are the planner."""
    strategy: Literal["adaptive", "llm_heavy", "balanced", "rule_heavy"] = "adaptive"
    """Planner weight in mode adaptive: by performance, or fixed at 80, 50 or 20 % of the
    decisions. Without llm_model the rules are the planner."""
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    """Random seed."""
    num_envs: int = Field(default=0, ge=0, le=512)
    """Parallel games (environments); 0: as many as suit the game: 32, on a cartridge 16."""
    workers: int = Field(default=0, ge=0, le=128)
    """Worker processes; 0: one per core."""
    total_steps: int = Field(default=0, ge=0, le=10**15)
    """Stop after this many steps over all games; 0: no limit."""
    total_episodes: int = Field(default=0, ge=0, le=10**15)
    """Stop after this many episodes; 0: no limit."""
    checkpoint_interval_s: float = Field(default=60.0, gt=0)
    save_interval: int = Field(default=0, ge=0)
    """Episodes between additional checkpoints; 0: none, only by time."""
    keep_checkpoints: int = Field(default=3, ge=1)
    """Latest checkpoints to keep, beside the best one."""
    keep_states: int = Field(default=12, ge=0)
    """Recent states of the watched game to branch from; 0: only those saved by hand."""
    keep_states_interval: int = Field(default=100, ge=1)
    """Steps between two such states, more where steps are fast; each milestone adds one."""
    eval_interval: int = Field(default=0, ge=0)
    """Episodes between two evaluations of the policy alone; 0: none."""
    eval_episodes: int = Field(default=10, ge=1)
    """Episodes of an evaluation."""
    exam_share: float = Field(default=0.125, ge=0, lt=1)
    """Share of the games that the policy plays alone: they show what it has learnt, and it learns
    from them as well. At least one of several games; 0: none."""
    tensorboard: bool = True
    """Write TensorBoard's event files into the run's folder."""
    wandb: Literal["off", "offline", "online"] = "off"
    """Log to Weights & Biases; offline: for `wandb sync`. Needs the extra wandb."""
    allow_unknown_rom: bool = False
    """Allow a ROM with an unknown hash."""
    record_interventions: bool = True
    """Record takeovers as demonstrations, in demos/interventions."""

    env: EnvConfig = EnvConfig()
    rewards: RewardConfig = RewardConfig()
    ppo: PPOConfig = PPOConfig()
    dqn: DQNConfig = DQNConfig()
    takeover: TakeoverConfig = TakeoverConfig()
    imitation: ImitationConfig = ImitationConfig()
    planner: PlannerConfig = PlannerConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    backward: BackwardConfig = BackwardConfig()
    explore: ExploreConfig = ExploreConfig()
    vgc: VgcConfig = VgcConfig()

    @field_validator("llm_base_url")
    @classmethod
    def _check_address(cls, address: str) -> str:
        if "@" in address:  # as in http://name:password@host
            raise PydanticCustomError(
                _HOLDS_SECRET,
                "it contains a user name or password, which would be stored with the run",
            )
        return address

    @model_validator(mode="after")
    def _complete(self) -> Self:
        """Begin with the strategy that the first stage names, and make paths of models absolute."""
        # The model is frozen, so its values can only be completed here.
        values = self.__dict__
        first = self.curriculum.stages[0]
        is_named = "strategy_preference" in first.model_fields_set
        is_free = is_named and "initial_strategy" not in self.model_fields_set
        if is_free and first.strategy_preference != "autonomous":
            values["initial_strategy"] = first.strategy_preference
        values["llm_model"] = with_whole_paths(self.llm_model, self.llm_backend)
        return self

    @model_validator(mode="after")
    def _check_sizes(self) -> Self:
        to_write = self.planner.tokens_to_write
        if self.max_context_length < LEAST_QUESTION + to_write:
            raise ValueError(
                f"max_context_length = {self.max_context_length} must be at least "
                f"{LEAST_QUESTION + to_write}: {LEAST_QUESTION} for a question, and {to_write} "
                "for the answer by planner.answer_tokens and planner.think"
            )
        if self.num_envs and self.workers > self.num_envs:
            raise ValueError("workers must not exceed num_envs")
        name = "pixel_capacity" if self.needs_pixels else "capacity"
        least = self.num_envs * (self.dqn.n_steps + 2)
        if getattr(self.dqn, name) < least:
            raise ValueError(f"dqn.{name} must be at least {least}: num_envs * (n_steps + 2)")
        return self

    @model_validator(mode="after")
    def _check_starts(self) -> Self:
        """Refuse more than one setting that decides where episodes begin."""
        if len(self.start_setters) > 1:
            named = " and ".join(self.start_setters)
            raise ValueError(f"{named} cannot both set where episodes start")
        if self.curriculum.swarm_share and (self.agent != "ppo" or self.ppo.recurrent):
            raise ValueError("curriculum.swarm_share needs agent = ppo with ppo.recurrent = false")
        return self

    @property
    def start_setters(self) -> list[str]:
        """Return the given settings by which episodes begin elsewhere than at the true start."""
        given = {
            "agent = explore": self.agent == "explore",
            "backward.demo": bool(self.backward.demo),
            "curriculum.archive_share": bool(self.curriculum.archive_share),
            "curriculum.swarm_share": bool(self.curriculum.swarm_share),
        }
        return [name for name, is_given in given.items() if is_given]

    @property
    def needs_pixels(self) -> bool:
        """Tell whether environments render what the policy sees."""
        return self.encoder != "features"

    @property
    def models(self) -> tuple[str, ...]:
        """Return the names in `llm_model`."""
        return names_of(self.llm_model)

    @property
    def asks_models(self) -> bool:
        """Tell whether language models are asked for goals in training."""
        return bool(self.models) and self.mode != "rl_only" and self.is_advised

    @property
    def is_advised(self) -> bool:
        """Tell whether the agent uses the planner's advice."""
        return self.agent not in ("random", "explore")

    @property
    def led_by_rules(self) -> list[str]:
        """Return the settings that put a language model in charge although none is set."""
        named = {"mode": "llm_only", "strategy": "llm_heavy", "initial_strategy": "llm_heavy"}
        return [key for key in named if not self.llm_model and getattr(self, key) == named[key]]

    def permissions(self) -> list[Permission]:
        """Return what training with these settings needs, wherever they are from."""
        backends = [self.llm_backend or backend_of(model) for model in self.models]
        return [
            *permissions_for_code(self.rewards.extra),
            *permissions_for_host(self.llm_base_url, backends),
            *permissions_for_models(self.models, self.llm_backend),
            *permissions_for_wandb(self.wandb),
        ]

    def worker_count(self) -> int:
        """Return the number of environment processes to start."""
        return self.workers or max(1, min(self.num_envs, os.cpu_count() or 1))


def load_config(path: Path | None = None, overrides: dict[str, Any] | None = None) -> RunConfig:
    """Merge defaults, the file at `path`, POKETUI_* variables and `overrides`, later ones winning.

    The file is data: hosts, code and places that it alone names are refused unless the user trusts
    them (`engine.ground.trust`).

    Args:
        path: A .json or .toml file.
        overrides: Values by key; a dotted key reaches into a section ("env.max_steps").

    Raises:
        ConfigurationError: Naming the key, the value and what is allowed, or what is not trusted.
    """
    given = _read_environment()
    values = _read_file(path) if path else {}
    file = str(path or "the options")
    _merge(values, given)
    for target in (given, values):
        _override(target, overrides or {})
    config = parse_config(values, lambda key: _origin(key, overrides or {}, file))
    user_path(config.decision_db_path)
    if path is None:
        return config
    database = permissions_for_database(config.decision_db_path, path.parent)
    check_permissions([*config.permissions(), *database], path, named_in(given))
    return config


def parse_config(values: dict[str, Any], origin: str | Callable[[str], str]) -> RunConfig:
    """Validate `values`; in an error, `origin` says where they, or the one of a key, come from."""
    try:
        return RunConfig(**values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        origin = origin if isinstance(origin, str) else origin(key)
        what = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden":
            hint = _hint_for_unknown(first["loc"], first["input"], _section_of(first["loc"]))
            raise ConfigurationError(f"{origin}: unknown key '{key}'.", hint) from None
        if first["type"] == _HOLDS_SECRET:
            raise ConfigurationError(
                f"{origin}: {key}: {what}.",
                "Put the key in OPENAI_API_KEY, ANTHROPIC_API_KEY or OLLAMA_API_KEY, or the "
                "full URL in OPENAI_BASE_URL or ANTHROPIC_BASE_URL, in the environment.",
            ) from None
        # An error without a key is about several settings.
        short = reprlib.Repr()
        short.maxstring = short.maxother = _SHOWN
        value = f"{key} = {short.repr(first['input'])}: " if key else ""
        raise ConfigurationError(f"{origin}: {value}{what}.", "Correct this value.") from None


def _origin(key: str, overrides: Mapping[str, Any], file: str) -> str:
    """Return where the value of a key comes from: the options, a variable, or else the file."""
    if any(f"{key}.".startswith(f"{given}.") for given in overrides):
        return "the options"
    name = _variable(key)
    found = (each for each in os.environ if f"{name}__".startswith(f"{each.upper()}__"))
    return next(found, file)


def _variable(key: str) -> str:
    return _PREFIX + key.replace(".", "__").upper()


def _hint_for_unknown(location: tuple[str | int, ...], unknown: Any, section: type[Section]) -> str:
    """Name the settings nearest to an unknown key, and where all of them are listed."""
    *parents, name = map(str, location)
    inner = str(next(iter(unknown))) if isinstance(unknown, dict) and unknown else ""
    near = [".".join((*parents, each)) for each in _near(name, section)]
    if inner:  # a misspelt section: the setting within it is looked for, too
        near = [
            f"{each}.{within[0]}" if (within := _near(inner, _sections().get(each))) else each
            for each in near
        ]
    if not near and any(isinstance(each, int) for each in location):  # of a list: none is listed
        return f"Use {', '.join(section.model_fields)}."
    wanted = ".".join((*parents, name, *([inner] if inner else ())))
    near = near or nearest_settings(wanted)
    return f"Did you mean {' or '.join(near)}? {_LIST}"


def nearest_settings(wanted: str) -> list[str]:
    """Return the settings like a misspelt one: in another section, or else the nearest of all."""
    keys = {key: key.rpartition(".")[2] for key in _keys(RunConfig)}
    name = wanted.rpartition(".")[2]
    alike = get_close_matches(name, keys.values(), 3, 0.7)
    found = sorted((key for key in keys if keys[key] in alike), key=lambda key: keys[key] != name)
    return found[:3] or get_close_matches(wanted, keys, 1, 0)


def _keys(section: type[Section], prefix: str = "") -> Iterator[str]:
    for name, field in section.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            yield from _keys(kind, f"{prefix}{name}.")
        else:
            yield prefix + name


def _near(name: str, section: type[Section] | None) -> list[str]:
    return get_close_matches(name, section.model_fields if section else (), 3, 0.7)


def _sections() -> dict[str, type[Section]]:
    fields = RunConfig.model_fields.items()
    kinds = {name: field.annotation for name, field in fields}
    return {n: k for n, k in kinds.items() if isinstance(k, type) and issubclass(k, Section)}


def _section_of(location: tuple[str | int, ...]) -> type[Section]:
    """Return the section that a key of a validation error is in."""
    section: type[Section] = RunConfig
    for name in (part for part in location[:-1] if isinstance(part, str)):
        annotation = section.model_fields[name].annotation
        kinds = (*get_args(annotation), annotation)  # a tuple of sections, or one
        section = next(k for k in kinds if isinstance(k, type) and issubclass(k, Section))
    return section


def _read_file(path: Path) -> dict[str, Any]:
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"Cannot read the config file {path}: {reason}.", "Use a readable JSON or TOML file."
        ) from None
    try:
        values = parse_toml(text) if path.suffix == ".toml" else parse_json(text)
        if isinstance(values, dict):
            check_values(values)
    except ValueError as error:
        raise ConfigurationError(
            f"The config file {path} is invalid: {error}.", "Correct it, or leave --config out."
        ) from None
    if not isinstance(values, dict):
        raise ConfigurationError(
            f"The config file {path} contains no keys.", "It must be one table of keys and values."
        )
    return values


def _read_environment() -> dict[str, Any]:
    # Here, not above: each worker process would pay 16 MB for what it never does.
    from pydantic_settings import BaseSettings, EnvSettingsSource, SettingsConfigDict
    from pydantic_settings.exceptions import SettingsError

    class Variables(RunConfig, BaseSettings):
        """The same keys, named as variables."""

        model_config = SettingsConfigDict(env_prefix=_PREFIX, env_nested_delimiter="__")

    for variable in os.environ:
        _check_variable(variable.upper())
    try:
        return EnvSettingsSource(Variables)()
    except SettingsError as error:
        name = str(error).partition('"')[2].partition('"')[0].upper()
        raise ConfigurationError(
            f"The variable {_PREFIX}{name} is not valid JSON.", "Correct it, or unset it."
        ) from None


def _check_variable(variable: str) -> None:
    """Refuse a variable with our prefix that names no setting: it would have no effect."""
    name = variable.removeprefix(_PREFIX)
    first, separator, rest = name.lower().partition("__")
    section = _sections().get(first)
    is_inside = section is not None and rest.partition("__")[0] in section.model_fields
    is_setting = is_inside if separator else first in RunConfig.model_fields
    if name == variable or name in _NO_SETTINGS or is_setting:
        return
    near = get_close_matches(name, _NO_SETTINGS, 1, 0.7)
    near = near or nearest_settings(name.lower().replace("__", "."))
    raise ConfigurationError(
        f"The variable {variable} names no setting.",
        f"Did you mean {' or '.join(map(_variable, near))}? {_LIST}",
    )


def _override(values: dict[str, Any], overrides: dict[str, Any]) -> None:
    for key, value in overrides.items():
        *sections, leaf = key.split(".")
        target = values
        for section in sections:
            target = target.setdefault(section, {})
            if not isinstance(target, dict):
                raise ConfigurationError(
                    f"{key}: {section} is not a section.", "Remove the part after its name."
                )
        target[leaf] = value


def _merge(into: dict[str, Any], new: dict[str, Any]) -> None:
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
