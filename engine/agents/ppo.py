"""Learn by proximal policy optimisation with masked actions and a planner's bias; reads top-down.

The bias that the planner adds to the logits is part of the policy that acted, and so is the
temperature that it draws at. Both are stored with every step and applied again when the ratio is
formed, so the update stays on-policy. The policy without the bias also learns what the planner
advises in every state that the games visit, whether it is followed there or not
(`engine.agents.taught`), as far as it is taught (`Guidance.teaching`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.agents.gradients import (
    SKIPPED,
    Adam,
    GradientSteps,
    load_adam,
    load_network,
    save_adam,
    save_network,
)
from engine.agents.networks import ActorCritic, entropy, masked_log_probs, seen_by
from engine.agents.rollout import FloatArray, RewardScaler, Rollout
from engine.agents.taught import TaughtStates, cross_entropy, taught
from engine.config import EncoderKind, ImitationConfig, PPOConfig
from engine.env.batch import Batch
from engine.runs.checkpoint import under
from engine.types import Spaces

_MIN_SPREAD = 0.1
"""Advantages are not normalised below this standard deviation: where rewards are rare, that would
amplify noise and end exploration, which the entropy bonus must then be able to keep alive."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The network's outputs for a batch of states; all float32.

    Attributes:
        logits: (envs, A), neither masked nor biased.
        values: (envs,).
        memory: (envs, M), what is remembered from now on.
    """

    logits: Tensor
    values: FloatArray
    memory: FloatArray


@dataclass(frozen=True, slots=True)
class Transition:
    """A decided step, with all that is needed to learn from it.

    Attributes:
        batch: The states that it was decided in.
        evaluation: The network's outputs for them.
        bias: (envs, A) float32, what the planner added to the logits.
        actions: (envs,) int64.
        log_probs: (envs,) float32, of the actions, with mask and bias.
        is_on_policy: (envs,) bool, False where the action was not drawn from the policy: the step
            then teaches what states are worth, but not what to do.
        sharpness: (envs,) float32, 1 over the temperature that they were drawn at.
        teaching: (envs,) float32, how far the advice is learnt, or one number for all.
    """

    batch: Batch
    evaluation: Evaluation
    bias: FloatArray
    actions: NDArray[np.int64]
    log_probs: FloatArray
    is_on_policy: NDArray[np.bool_]
    sharpness: FloatArray
    teaching: FloatArray | float = 0.0


@dataclass(frozen=True, slots=True)
class Samples:
    """Steps as tensors: (samples, ...), the memories (sequences, M); names as in `Rollout`."""

    features: Tensor
    pixels: Tensor
    memories: Tensor
    starts: Tensor
    masks: Tensor
    biases: Tensor
    priors: Tensor
    actions: Tensor
    log_probs: Tensor
    is_on_policy: Tensor
    sharpness: Tensor
    teaching: Tensor
    advantages: Tensor
    returns: Tensor

    @classmethod
    def from_rollout(
        cls, rollout: Rollout, advantages: FloatArray, returns: FloatArray
    ) -> "Samples":
        """Flatten a full rollout, so that sample = step * envs + env; nothing is copied."""
        stored = (getattr(rollout, entry.name) for entry in fields(cls)[:-2])
        arrays = (*stored, advantages, returns)
        return cls(*(torch.from_numpy(array).flatten(0, 1) for array in arrays))

    def take(self, sequences: NDArray[np.int64]) -> "Samples":
        """Return these (sequences, length) samples, time first, with the memories before them."""
        index = torch.from_numpy(sequences.T.ravel())
        first = index[: len(sequences)]
        return Samples(
            *(
                getattr(self, entry.name)[first if entry.name == "memories" else index]
                for entry in fields(self)
            )
        )


class OwnWay(NamedTuple):
    """Steps (N, ...) of an episode of its own that the policy imitates; names as in `Rollout`."""

    features: FloatArray
    pixels: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]


def sequences_of(steps: int, num_envs: int, length: int) -> NDArray[np.int64]:
    """Return (sequences, length) indices of samples that follow each other in an environment."""
    samples = np.arange(steps * num_envs).reshape(steps // length, length, num_envs)
    return samples.transpose(0, 2, 1).reshape(-1, length)


class Kickstart:
    """Keep the learning policy close to the cloned one (`teacher`), which never changes.

    At first the critic knows nothing, and its estimates would spoil the cloned policy. So what was
    cloned may be frozen while the critic learns, and then the policy pays for diverging from the
    clone, less and less (kickstarting, Schmitt et al. 2018).
    """

    def __init__(self, config: ImitationConfig, teacher: ActorCritic) -> None:
        self._config = config
        self.teacher = teacher.requires_grad_(False)

    def coefficient(self, num_updates: int) -> float:
        """Return the weight of the divergence after so many updates; it falls to 0."""
        over = num_updates / self._config.kickstart_updates
        return self._config.kickstart * max(0.0, 1.0 - over)

    def divergence(
        self, features: Tensor, pixels: Tensor, masks: Tensor, own_log_probs: Tensor
    ) -> Tensor:
        """Return the mean KL divergence in nats of a policy from the clone.

        The policy's log-probabilities (batch, A) are masked.
        """
        with torch.no_grad():
            logits = self.teacher.actor(self.teacher.encoder(features, pixels))
            wanted = masked_log_probs(logits, masks, torch.zeros(()))
        return (wanted.exp() * (wanted - own_log_probs)).sum(-1).mean()

    def hold_still(self, network: ActorCritic, num_updates: int) -> None:
        """Drop the gradients of what was cloned, while it is frozen."""
        if num_updates < self._config.freeze_updates:
            for part in (network.encoder, network.actor):
                part.zero_grad(set_to_none=True)


class PPO:
    """Hold the network, its optimiser and the rollout, and improve the network when it is full.

    `engine.agents.guided.GuidedPPO` documents the arguments.

    Attributes:
        memory: (envs, M) float32, what is remembered in each environment; M is 0 unless
            `config.recurrent`.
    """

    def __init__(
        self,
        config: PPOConfig,
        num_envs: int,
        spaces: Spaces,
        seed: int,
        encoder: EncoderKind,
        imitation: ImitationConfig | None,
    ) -> None:
        self._config = config
        self._imitation = imitation or ImitationConfig()
        self._kickstart: Kickstart | None = None
        self._own_way: OwnWay | None = None
        self._rng = np.random.default_rng([seed, 1])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network = ActorCritic(
                encoder, spaces, config.hidden_size, is_recurrent=config.recurrent
            )
        self._shape = encoder, spaces, config.hidden_size
        self._optimizer = Adam(self.network.parameters(), config.learning_rate, eps=1e-5)
        self._gradients = GradientSteps(self._optimizer, self.network, config.max_grad_norm)
        self.memory = self.blank_memory(num_envs)
        self.rollout = Rollout(
            config.rollout_steps,
            num_envs,
            seen_by(encoder, spaces),
            memory_size=self.network.memory_size,
        )
        self._scaler = RewardScaler(num_envs, config.gamma)
        self._taught = TaughtStates(seen_by(encoder, spaces))
        self.num_updates = 0

    def begin_from(self, weights: Mapping[str, Tensor]) -> None:
        """Take over a clone's `encoder.` and `actor.`, and stay close to it as the settings say.

        The critic stays as it is.

        Raises:
            RuntimeError: They are of another shape.
        """
        self.network.encoder.load_state_dict(under(weights, "encoder."))
        self.network.actor.load_state_dict(under(weights, "actor."))
        self._keep_to(self.network.state_dict())

    def imitate(self, way: OwnWay) -> None:
        """Imitate these steps from now on, in place of those given before.

        Self-imitation (Oh et al. 2018), weighted by `ImitationConfig.own_way`. The policy's memory
        is taken to be blank in each step.
        """
        is_first = self._own_way is None
        self._own_way = way
        for _ in range(self._imitation.own_way_gradients if is_first else 0):
            loss = self._own_way_loss(way, self._config.minibatch_size // 2)
            self._take_gradient(loss)

    def _keep_to(self, weights: Mapping[str, Tensor]) -> None:
        with torch.random.fork_rng(devices=[]):
            teacher = ActorCritic(*self._shape)
        teacher.load_state_dict(weights)
        self._kickstart = Kickstart(self._imitation, teacher)

    def blank_memory(self, num_envs: int) -> FloatArray:
        """Return the memory (envs, M) of episodes that begin."""
        return np.zeros((num_envs, self.network.memory_size), np.float32)

    def evaluate(
        self, features: FloatArray, pixels: NDArray[np.uint8] | None, memory: FloatArray
    ) -> Evaluation:
        """Evaluate states (envs, ...), given the memory from before them."""
        with torch.inference_mode():
            logits, values, after = self.network(
                torch.from_numpy(features),
                None if pixels is None else torch.from_numpy(pixels),
                torch.from_numpy(memory),
                torch.zeros(len(memory), dtype=torch.bool),
            )
        return Evaluation(logits, values.numpy(), after.numpy())

    def record(self, transition: Transition, batch: Batch) -> None:
        """Append one step of every environment, which led to `batch`.

        The end of a truncated episode is worth the critic's estimate, that of a terminated one 0.
        """
        rollout, step = self.rollout, self.rollout.length
        ended = batch.terminated | batch.truncated
        rollout.features[step] = transition.batch.features
        if transition.batch.pixels is not None and rollout.pixels.size:
            rollout.pixels[step] = transition.batch.pixels
        rollout.memories[step] = self.memory
        rollout.masks[step] = transition.batch.mask
        rollout.biases[step] = transition.bias
        rollout.priors[step], rollout.teaching[step] = taught(transition.batch, transition.teaching)
        rollout.actions[step] = transition.actions
        rollout.log_probs[step] = transition.log_probs
        rollout.is_on_policy[step] = transition.is_on_policy
        rollout.sharpness[step] = transition.sharpness
        rollout.values[step] = transition.evaluation.values
        rollout.rewards[step] = self._scaler.scale(batch.shaped_rewards, ended)
        rollout.boundaries[step] = ended
        rollout.boundary_values[step] = 0.0
        memory = transition.evaluation.memory
        cut_short = np.flatnonzero(batch.truncated & ~batch.terminated)
        if len(cut_short):
            pixels = None if batch.final_pixels is None else batch.final_pixels[cut_short]
            rollout.boundary_values[step, cut_short] = self.evaluate(
                batch.final_features[cut_short], pixels, memory[cut_short]
            ).values
        rollout.length += 1
        self.memory = np.where(ended[:, None], np.float32(0.0), memory)

    def truncate_trajectory(self, env_index: int, batch: Batch) -> None:
        """End an environment's trajectory at its state in `batch`, before others act in it."""
        row = slice(env_index, env_index + 1)
        pixels = None if batch.pixels is None else batch.pixels[row]
        value = self.evaluate(batch.features[row], pixels, self.memory[row]).values[0]
        self.rollout.truncate_trajectory(env_index, float(value))
        self.memory[row] = 0.0

    @np.errstate(invalid="ignore", over="ignore")  # `GradientSteps` skips what is not finite
    def update(self, batch: Batch) -> dict[str, float]:
        """Learn from the rollout, after which `batch` came; empty it, return figures by name."""
        config, rollout = self._config, self.rollout
        last_values = self.evaluate(batch.features, batch.pixels, self.memory).values
        advantages = rollout.advantages(last_values, config.gamma, config.gae_lambda)
        returns = advantages + rollout.values
        data = Samples.from_rollout(rollout, advantages, returns)
        length = config.sequence_length if config.recurrent else 1
        sequences = sequences_of(len(returns), len(last_values), length)
        size = max(1, config.minibatch_size // length)
        sums: dict[str, float] = {}
        count = 0
        for _ in range(config.epochs):
            order = self._rng.permutation(len(sequences))
            for start in range(0, len(order), size):
                figures = self._learn(data.take(sequences[order[start : start + size]]))
                count += bool(figures)
                for name, value in figures.items():
                    sums[name] = sums.get(name, 0.0) + value
        self._learn_advice(rollout)
        self.num_updates += 1
        rollout.length = 0
        figures = {name: value / count for name, value in sums.items()}
        figures["explained_variance"] = _explained_variance(rollout.values, returns)
        figures[SKIPPED] = float(self._gradients.skipped)
        return figures

    def _learn(self, batch: Samples) -> dict[str, float]:
        """Take one gradient step on a minibatch; no figures: it was skipped."""
        config = self._config
        logits, values, _ = self.network(batch.features, batch.pixels, batch.memories, batch.starts)
        own = batch.is_on_policy
        sharpened = logits * batch.sharpness[:, None]
        log_probs = masked_log_probs(sharpened, batch.masks, batch.biases)
        chosen = log_probs.gather(1, batch.actions[:, None]).squeeze(1)
        log_ratio = (chosen - batch.log_probs)[own]
        ratio = log_ratio.exp()
        advantages = batch.advantages[own]
        if len(advantages) > 1:
            spread = advantages.std().clamp(min=_MIN_SPREAD)
            advantages = (advantages - advantages.mean()) / spread
        clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
        policy_loss = -_mean(torch.min(advantages * ratio, advantages * clipped))
        value_loss = 0.5 * (values - batch.returns).square().mean()
        # Of the policy without the planner: else the bonus would teach it to undo the bias.
        own_log_probs = masked_log_probs(logits, batch.masks, torch.zeros(()))
        mean_entropy = _mean(entropy(own_log_probs)[own])
        is_advised = batch.priors.any(-1)
        unlike = cross_entropy(batch.priors, own_log_probs)
        loss = (
            policy_loss
            + config.value_coefficient * value_loss
            + config.distillation * (batch.teaching * unlike).mean()
            - config.entropy * mean_entropy
        )
        figures = {}
        if self._kickstart is not None:
            cost = self._kickstart.coefficient(self.num_updates)
            away = self._kickstart.divergence(
                batch.features, batch.pixels, batch.masks, own_log_probs
            )
            loss = loss + cost * away
            figures = {"distillation": cost, "kickstart_kl": away.item()}

        if self._own_way is not None:
            own_way_loss = self._own_way_loss(self._own_way, max(1, len(values) // 2))
            loss = loss + self._imitation.own_way * own_way_loss
            figures["own_way_loss"] = own_way_loss.item()

        if self._take_gradient(loss) is None:
            return {}
        with torch.no_grad():
            return {
                "loss": loss.item(),
                "policy_loss": policy_loss.item(),
                "value_loss": value_loss.item(),
                "entropy": mean_entropy.item(),
                "imitation_loss": _mean(unlike[is_advised]).item(),
                "approx_kl": _mean((ratio - 1) - log_ratio).item(),
                "clip_fraction": _mean(((ratio - 1).abs() > config.clip).float()).item(),
                **figures,
            }

    def _learn_advice(self, rollout: Rollout) -> None:
        """Learn what was advised in all states so far, as far as the planner teaches.

        The number of gradient steps follows from how many of the rollout's states were taught: a
        few states that are learnt again and again spoil all others. A recurrent policy, whose
        memory is not kept with the states, learns advice from the rollout alone.
        """
        config = self._config
        share = config.distillation * float(rollout.teaching.mean())
        if config.recurrent or not share:
            return
        self._taught.add(rollout, self._rng)
        for _ in range(round(config.distillation_gradients * share) if self._taught.count else 0):
            states = self._taught.sample(config.minibatch_size, self._rng)
            logits = self.network.actor(self.network.encoder(states.features, states.pixels))
            own = masked_log_probs(logits, states.masks, torch.zeros(()))
            self._take_gradient(cross_entropy(states.targets, own).mean())

    def _take_gradient(self, loss: Tensor) -> float | None:
        """Change the network for less of the loss; None if that was skipped."""
        return self._gradients.take(loss, self._hold_still)

    def _hold_still(self) -> None:
        if self._kickstart is not None:
            self._kickstart.hold_still(self.network, self.num_updates)

    def _own_way_loss(self, way: OwnWay, count: int) -> Tensor:
        """Return the mean cross-entropy of the actions in `count` drawn steps."""
        drawn = self._rng.integers(len(way.actions), size=count)
        features, pixels, masks, actions = (torch.from_numpy(array[drawn]) for array in way)
        memories = torch.from_numpy(self.blank_memory(count))
        starts = torch.zeros(count, dtype=torch.bool)
        logits, _, _ = self.network(features, pixels, memories, starts)
        log_probs = masked_log_probs(logits, masks, torch.zeros(()))
        return torch.nn.functional.nll_loss(log_probs, actions)

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the state as JSON-able facts and arrays, for `load`."""
        arrays = save_network(self.network, "network") | save_adam(self._optimizer, self.network)
        arrays |= {f"rollout/{name}": array for name, array in self.rollout.save().items()}
        arrays |= {f"scaler/{name}": array for name, array in self._scaler.save().items()}
        arrays |= {f"taught/{name}": array for name, array in self._taught.save().items()}
        arrays["memory"] = self.memory
        if self._kickstart is not None:
            arrays |= save_network(self._kickstart.teacher, "teacher")
        if self._own_way is not None:
            arrays |= {f"own_way/{name}": each for name, each in self._own_way._asdict().items()}
        facts = {"num_updates": self.num_updates, "rng": self._rng.bit_generator.state}
        return facts | {SKIPPED: self._gradients.skipped}, arrays

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self.num_updates = int(facts["num_updates"])
        self._gradients.skipped = int(facts.get(SKIPPED, 0))
        self._rng.bit_generator.state = facts["rng"]
        load_network(self.network, "network", arrays)
        load_adam(self._optimizer, self.network, arrays)
        self.rollout.load(under(arrays, "rollout/"))
        self._scaler.load(under(arrays, "scaler/"))
        self._taught.load(under(arrays, "taught/"))
        self.memory = np.array(arrays["memory"], np.float32)
        if teacher := under(arrays, "teacher/"):
            self._keep_to({name: torch.from_numpy(array) for name, array in teacher.items()})
        if way := under(arrays, "own_way/"):
            self._own_way = OwnWay(
                np.asarray(way["features"], np.float32),
                np.asarray(way["pixels"], np.uint8),
                np.asarray(way["masks"], np.bool_),
                np.asarray(way["actions"], np.int64),
            )


def _mean(values: Tensor) -> Tensor:
    """Return the mean, 0 of nothing."""
    return values.mean() if len(values) else values.sum()


def _explained_variance(values: FloatArray, returns: FloatArray) -> float:
    """Return the share of the returns' variance that the critic predicted; 1 is all, 0 none."""
    variance = float(returns.var())
    return 1.0 - float((returns - values).var()) / variance if 0 < variance < np.inf else 0.0
