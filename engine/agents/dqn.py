"""Learn action values from remembered steps (deep Q-learning); reads top-down.

Double (van Hasselt et al. 2016), duelling (Wang et al. 2016), with n-step returns and prioritised
replay (Schaul et al. 2016). Invalid actions are left out before any maximum is taken, of the acting
network's values and of the next state's.

With probability planner share x confidence of the advice the planner's action is taken, otherwise
the policy acts for itself. The values learn from both alike, since they are learnt off-policy. In
every remembered state a Boltzmann distribution over the values learns what was advised there,
followed or not, as far as the planner teaches. A policy that is as certain as the curriculum stage
asks for is left alone.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.arbitration import calibrated, certainty, sample
from engine.agents.base import ActionBatch, Guidance, PolicyFunction
from engine.agents.demonstrated import Demonstrated, Transitions, joined
from engine.agents.gradients import (
    SKIPPED,
    Adam,
    GradientSteps,
    load_adam,
    load_network,
    save_adam,
    save_network,
)
from engine.agents.networks import (
    MASKED_LOGIT,
    build_encoder,
    has_bfloat16,
    masked_log_probs,
    seen_by,
)
from engine.agents.replay_buffer import PrioritizedReplayBuffer, Sample
from engine.agents.rollout import FloatArray, RewardScaler
from engine.agents.taught import cross_entropy, taught
from engine.config import DQNConfig, EncoderKind, ImitationConfig
from engine.env.batch import Batch
from engine.runs.checkpoint import under
from engine.types import Source, Spaces

_ERROR_DECAY = 0.99
_LEAST_ERROR = 1e-3


class _Learnt(NamedTuple):
    """The losses of a gradient step.

    Attributes:
        loss: The sum of all.
        td_loss: Temporal-difference loss.
        values: (batch,) values of the actions taken.
        cloning: Cross-entropy of the demonstrated actions, in nats.
        unlike: Cross-entropy of the advice, in nats.
    """

    loss: Tensor
    td_loss: Tensor
    values: Tensor
    cloning: Tensor
    unlike: Tensor


class QNetwork(nn.Module):
    """Estimate the value of each of A actions from observations.

    Args:
        kind: What is encoded.
        spaces: Sizes of what is observed and done.
        hidden_size: Width of the hidden layers.
        is_duelling: Estimate the state's value and each action's advantage separately.
    """

    def __init__(
        self, kind: EncoderKind, spaces: Spaces, hidden_size: int, *, is_duelling: bool = True
    ) -> None:
        super().__init__()
        self.encoder = build_encoder(kind, spaces, hidden_size, is_plain=True)
        self.value = nn.Linear(self.encoder.output_size, 1) if is_duelling else None
        self.edge = nn.Linear(self.encoder.output_size, spaces.num_actions)

    def forward(self, features: Tensor, pixels: Tensor | None, mask: Tensor) -> Tensor:
        """Return action values (batch, A); for features and pixels see `Encoder.forward`.

        The advantages of the valid actions of `mask` (batch, A) sum to 0: those of others, which
        are never learnt, must not weigh on the state's value.
        """
        code = self.encoder(features, pixels)
        # In float32 whatever the encoder computes in: the actions' values differ by little.
        with torch.autocast(code.device.type, enabled=False):
            code = code.float()
            edge: Tensor = self.edge(code)
            if self.value is None:
                return edge
            valid = mask.to(edge.dtype)
            mean = (edge * valid).sum(-1, keepdim=True) / valid.sum(-1, keepdim=True)
            values: Tensor = self.value(code) + edge - mean
        return values


class DQN:
    """Act epsilon-greedily by action values that are learnt from a replay.

    With `config.exploration` "boltzmann" it draws every action from a Boltzmann distribution over
    the values, as a clone does: begun from one, it then plays what the clone played.

    Args:
        config: Hyperparameters.
        num_envs: Environments that step together.
        spaces: Sizes of what is observed and done.
        seed: Of everything random in it.
        encoder: What the network sees.
        imitation: How much demonstrations count, if there are any.
    """

    name = "dqn"
    learns_policy = True

    def __init__(
        self,
        config: DQNConfig,
        num_envs: int,
        spaces: Spaces,
        seed: int,
        encoder: EncoderKind = "features",
        imitation: ImitationConfig | None = None,
    ) -> None:
        self._config = config
        self._imitation = imitation or ImitationConfig()
        self._draws = config.exploration == "boltzmann"
        self._spaces = seen_by(encoder, spaces)
        self._demos: Demonstrated | None = None
        self.is_warm = False
        self._num_envs = num_envs
        self._rng = np.random.default_rng([seed, 5])
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network, self.target = (
                QNetwork(encoder, spaces, config.hidden_size, is_duelling=config.duelling)
                for _ in range(2)
            )
        self.target.load_state_dict(self.network.state_dict())
        # Nearly twice as fast in learning; acting takes little time (docs/experiments.md).
        self._is_half = encoder.startswith("impala") and has_bfloat16(torch.device("cpu"))
        self._optimizer = Adam(self.network.parameters(), config.learning_rate)
        self._gradients = GradientSteps(self._optimizer, self.network, config.max_grad_norm)
        self.replay = PrioritizedReplayBuffer(
            config.capacity if encoder == "features" else config.pixel_capacity,
            num_envs,
            self._spaces,
            config,
        )
        self._scaler = RewardScaler(num_envs, config.gamma)
        self._acted: tuple[Batch, NDArray[np.int64], FloatArray | float] | None = None
        self._teaching = 0.0
        self.num_steps = 0
        self.num_gradients = 0
        self._owed_gradients = 0.0
        self._usual_error = 0.0

    @property
    def epsilon(self) -> float:
        """Return the probability of a random action: it falls with the steps taken.

        An agent that began from demonstrations has the final one at once: it knows where to go.
        """
        config = self._config
        if self.is_warm or self._draws:
            return self._last_epsilon
        share = min(1.0, self.num_steps / config.epsilon_steps)
        return config.epsilon_start + share * (config.epsilon_end - config.epsilon_start)

    @property
    def _last_epsilon(self) -> float:
        """Return the final probability of a random action: 0 where all actions are drawn."""
        return 0.0 if self._draws else self._config.epsilon_end

    @property
    def beta(self) -> float:
        """Return how far the replay's bias is undone: it rises to 1 with the steps taken."""
        config = self._config
        share = min(1.0, self.num_steps / config.beta_steps)
        return config.beta_start + share * (1.0 - config.beta_start)

    def begin_from(self, weights: Mapping[str, Tensor]) -> None:
        """Begin from a cloned network, whose logits become small differences between values.

        They are multiplied by `ImitationConfig.temperature`, which `Demonstrated.loss` divides by.
        Where this network estimates a state's value and the clone does not, that part stays as it
        is: the differences between actions are the clone's all the same.

        Raises:
            RuntimeError: It is of another shape.
        """
        named = self.network.state_dict().items()
        own = {name: tensor for name, tensor in named if name.startswith("value.")}
        self.network.load_state_dict(own | dict(weights))
        with torch.no_grad():
            for parameter in self.network.edge.parameters():
                parameter.mul_(self._imitation.temperature)
        self.target.load_state_dict(self.network.state_dict())
        self.is_warm = True

    def add_demonstrations(self, steps: Transitions) -> None:
        """Keep demonstrations, and learn from them with every batch."""
        demos = Demonstrated(self._config, self._imitation, len(steps.actions), self._spaces)
        demos.fill(steps, self._scaler)
        self._demos = demos if demos.replay.count else None

    def join_demonstrations(self, steps: Transitions) -> int:
        """Add demonstrations to those there are, if any; return how many steps there are then."""
        return 0 if self._demos is None else self._demos.join(steps)

    @property
    def has_demonstrations(self) -> bool:
        """Return whether demonstrations are learnt from with every batch."""
        return self._demos is not None

    def learn_offline(self, report: Callable[[int], None] = lambda done: None) -> None:
        """Learn from the demonstrations alone, before the first step; report gradient steps."""
        if self._demos is None:
            return
        for done in range(self._imitation.offline_gradients):
            self._learn(is_offline=True)
            report(done + 1)
            self.is_warm = True

    def evaluate(self, batch: Batch) -> Tensor:
        """Return the action values (envs, A) of the current states."""
        pixels = None if batch.pixels is None else torch.from_numpy(batch.pixels)
        with torch.inference_mode():
            values: Tensor = self.network(
                torch.from_numpy(batch.features), pixels, torch.from_numpy(batch.mask)
            )
        return values

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Take the planner's action, a random one or the best one; see the top of this file."""
        epsilon = np.where(guidance.is_sharp, min(self.epsilon, self._last_epsilon), self.epsilon)
        action_batch = self._choose(batch, guidance, self._rng, epsilon)
        self._acted = batch, action_batch.actions, guidance.teaching
        return action_batch

    def player(self, seed: int | np.random.Generator) -> PolicyFunction:
        """Return the current policy with the final probability of random actions.

        Without any it could walk forwards and backwards for ever.
        """
        rng = np.random.default_rng(seed)
        epsilon = self._last_epsilon
        return lambda batch, guidance: self._choose(batch, guidance, rng, epsilon)

    def _choose(
        self,
        batch: Batch,
        guidance: Guidance,
        rng: np.random.Generator,
        epsilon: NDArray[np.float64] | float,
    ) -> ActionBatch:
        values = self.evaluate(batch)
        sure = self._certainty(values, batch.mask)
        c_planner, c_policy = calibrated(batch.advice_confidence, sure, guidance)
        ties = rng.random(batch.mask.shape)
        explores, follows = rng.random((2, len(ties)))
        drawn = np.where(batch.mask, ties, -1.0).argmax(1)
        if self._draws:
            logits, mask = values / self._imitation.temperature, torch.from_numpy(batch.mask)
            best = sample(masked_log_probs(logits, mask, torch.zeros(())).numpy(), rng)
        else:
            best = np.where(batch.mask, values.numpy(), -np.inf).argmax(1)
        is_drawn = explores < epsilon
        own = np.where(is_drawn, drawn, best)
        is_led = batch.mask & ~np.reshape(guidance.is_alone, (-1, 1))
        advice = np.where(is_led, batch.prior, -1.0)
        best_advised = (advice + 1e-6 * ties).argmax(1)
        is_advised = (c_policy < guidance.needed_confidence) & (advice.max(1) > 0)
        if guidance.is_planners is None:
            is_advised &= follows < guidance.planner_share * c_planner
            is_planned = is_advised & (best_advised != own)
        else:
            is_planned = is_advised = is_advised & guidance.is_planners
        confidences = np.where(is_drawn, 0.0, c_policy)
        actions = np.where(is_advised, best_advised, own).astype(np.int64)
        return ActionBatch(
            actions,
            np.where(is_advised, c_planner, confidences).astype(np.float32),
            is_planned,
            Source.POLICY,
            q_values=np.take_along_axis(values.numpy(), actions[:, None], 1)[:, 0],
        )

    def _certainty(self, values: Tensor, mask: NDArray[np.bool_]) -> FloatArray:
        """Return (envs,) 1 - H / ln n of a Boltzmann distribution over the valid actions.

        Its temperature is the usual error of the values: only differences beyond that mean much.
        """
        if not self._usual_error:
            return np.zeros(len(mask), np.float32)
        logits = values / max(self._usual_error, _LEAST_ERROR)
        return certainty(masked_log_probs(logits, torch.from_numpy(mask), torch.zeros(())), mask)

    def observe(self, batch: Batch) -> None:
        """Remember the step."""
        assert self._acted is not None
        before, actions, teaching = self._acted
        priors, teaching = taught(before, teaching)
        self._teaching = float(teaching.mean())
        rewards = batch.shaped_rewards
        if self._demos is not None:
            self._demos.observe(batch)
        if self._config.scale_rewards:
            rewards = self._scaler.scale(rewards, batch.terminated | batch.truncated)
        self.replay.append(
            features=before.features,
            pixels=before.pixels,
            mask=before.mask,
            actions=actions,
            rewards=rewards,
            terminated=batch.terminated,
            truncated=batch.truncated,
            priors=np.where(teaching[:, None] > 0, priors, 0.0) if self._taught else None,
        )
        self.num_steps += self._num_envs
        if self.num_steps > self._config.warmup_steps:
            drawn = self._num_envs * self._config.replay_ratio
            self._owed_gradients += drawn / self._config.batch_size

    def truncate_trajectory(self, env_index: int, batch: Batch) -> None:
        """Let no return reach beyond an environment's last step."""
        self.replay.truncate_trajectory(env_index)

    @property
    def is_update_due(self) -> bool:
        """Return whether an update's gradient steps are due."""
        is_due = self._owed_gradients >= self._config.gradient_steps
        return is_due and self.replay.count >= self._config.batch_size

    def update(self, batch: Batch) -> dict[str, float]:
        """Take the gradient steps that are due, and return figures by name."""
        count = self._config.gradient_steps
        self._owed_gradients -= count
        for _ in range(count):
            learnt = self._learn()
        figures = {
            "loss": learnt.loss.item(),
            "value_loss": learnt.td_loss.item(),
            "value": learnt.values.mean().item(),
            "value_max": learnt.values.max().item(),
            "value_std": learnt.values.std(correction=0).item(),
            "error": self._usual_error,
            "epsilon": self.epsilon,
            "beta": self.beta,
        }
        if self._taught:
            figures["imitation_loss"] = learnt.unlike.item()
        if self._demos is not None:
            figures["distillation"] = self._distillation
            figures["cloning_loss"] = learnt.cloning.item()
        known = {name: value for name, value in figures.items() if math.isfinite(value)}
        return known | {SKIPPED: float(self._gradients.skipped)}

    @property
    def _distillation(self) -> float:
        """Return the weight of the loss on demonstrated actions; 0 without demonstrations."""
        return self._imitation.cloning * self._demos.coefficient if self._demos is not None else 0.0

    @property
    def _taught(self) -> float:
        """Return the weight of the loss on the planner's advice; 0 where it does not teach."""
        return self._config.distillation * self._teaching

    def _draw(self, *, is_offline: bool) -> tuple[Sample, int]:
        """Return a sample, and how many of its steps are the agent's own: they come first."""
        own = self._config.batch_size
        if self._demos is None:
            return self.replay.sample(own, self.beta, self._rng), own
        unit = self._scaler.deviation if self._config.scale_rewards else 1.0
        shown = self._demos.sample(self.beta, self._rng, unit)
        if is_offline:
            return shown, 0
        own = max(1, own - self._demos.batch_size)
        return joined(self.replay.sample(own, self.beta, self._rng), shown), own

    def _learn(self, *, is_offline: bool = False) -> _Learnt:
        """Take one gradient step on drawn steps."""
        config = self._config
        sample, num_own = self._draw(is_offline=is_offline)
        masks, actions = torch.from_numpy(sample.masks), torch.from_numpy(sample.actions)
        with torch.autocast("cpu", torch.bfloat16, enabled=self._is_half):
            values = self.network(
                torch.from_numpy(sample.features), torch.from_numpy(sample.pixels), masks
            )
            wanted = targets(sample, self.network, self.target, is_double=config.double)
        chosen = values.gather(1, actions[:, None]).squeeze(1)
        losses = nn.functional.smooth_l1_loss(chosen, wanted, reduction="none")
        td_loss = (torch.from_numpy(sample.weights) * losses).mean()
        loss, cloning, unlike = td_loss, torch.zeros(()), torch.zeros(())
        if self._demos is not None:
            cloning = self._demos.loss(values[num_own:], masks[num_own:], actions[num_own:])
            loss = loss + self._distillation * cloning
        if self._taught:
            own = masked_log_probs(values / self._imitation.temperature, masks, torch.zeros(()))
            unlike = cross_entropy(torch.from_numpy(sample.priors), own).mean()
            loss = loss + self._taught * unlike
        norm = self._gradients.take(loss)
        self.num_gradients += 1
        if self.num_gradients % config.target_interval == 0:
            follow(self.target, self.network, config.target_share)
        if norm is not None:
            self._take_in(sample, (wanted - chosen).detach().numpy(), num_own)
        return _Learnt(*(one.detach() for one in (loss, td_loss, chosen, cloning, unlike)))

    def _take_in(self, sample: Sample, errors: FloatArray, num_own: int) -> None:
        """Set the steps' priorities by their errors, and update the usual error."""
        if self._demos is not None:
            self._demos.replay.prioritise(sample.indices[num_own:], errors[num_own:])
        if num_own:
            self.replay.prioritise(sample.indices[:num_own], errors[:num_own])
        error = float(np.abs(errors).mean())
        usual = self._usual_error or error
        self._usual_error = _ERROR_DECAY * usual + (1 - _ERROR_DECAY) * error

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the state as JSON-able facts and arrays, for `load`."""
        arrays = save_network(self.network, "network") | save_network(self.target, "target")
        arrays |= save_adam(self._optimizer, self.network)
        arrays |= {f"replay/{name}": array for name, array in self.replay.save().items()}
        arrays |= {f"scaler/{name}": array for name, array in self._scaler.save().items()}
        facts: dict[str, Any] = {name: getattr(self, name) for name in _COUNTERS}
        facts[SKIPPED] = self._gradients.skipped
        if self._demos is not None:
            facts["demos"], kept = self._demos.save()
            arrays |= kept
        facts |= {"is_warm": self.is_warm, "teaching": self._teaching}
        return facts | {"rng": self._rng.bit_generator.state}, arrays

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        for name in _COUNTERS:
            setattr(self, name, facts[name])
        self._gradients.skipped = int(facts.get(SKIPPED, 0))
        self.is_warm = bool(facts.get("is_warm", False))
        self._teaching = float(facts.get("teaching", 0.0))
        if "demos" in facts:
            self._demos = Demonstrated.load(
                facts["demos"], arrays, self._config, self._imitation, self._spaces
            )
        self._rng.bit_generator.state = facts["rng"]
        load_network(self.network, "network", arrays)
        load_network(self.target, "target", arrays)
        load_adam(self._optimizer, self.network, arrays)
        self.replay.load(under(arrays, "replay/"))
        self._scaler.load(under(arrays, "scaler/"))


_COUNTERS = ("num_steps", "num_gradients", "_owed_gradients", "_usual_error")


def targets(
    sample: Sample, network: nn.Module, target: nn.Module, *, is_double: bool = True
) -> Tensor:
    """Return the values (batch,) that drawn steps should have, by the target network.

    If `is_double`, `network` finds the best valid next action, else `target`, which overrates it.
    """
    mask = torch.from_numpy(sample.next_masks)
    state = torch.from_numpy(sample.next_features), torch.from_numpy(sample.next_pixels), mask
    with torch.no_grad():
        values = target(*state).masked_fill(~mask, MASKED_LOGIT)
        choosing = network(*state).masked_fill(~mask, MASKED_LOGIT) if is_double else values
        value: Tensor = values.gather(1, choosing.argmax(1, keepdim=True)).squeeze(1)
    return torch.from_numpy(sample.returns) + torch.from_numpy(sample.discounts) * value


def follow(target: nn.Module, network: nn.Module, share: float) -> None:
    """Move the target's weights this share of the way to the network's; 1 copies them."""
    with torch.no_grad():
        for old, new in zip(target.parameters(), network.parameters(), strict=True):
            old.lerp_(new, share)
