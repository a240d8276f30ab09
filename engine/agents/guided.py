"""Act by the learnt policy under the planner's advice, as far as the curriculum lets it."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from engine.agents.arbitration import (
    Takeovers,
    advice_bias,
    calibrated,
    certainty,
    draw_best,
    is_planned,
    sample,
)
from engine.agents.base import ActionBatch, Guidance, PolicyFunction
from engine.agents.networks import masked_log_probs
from engine.agents.ppo import PPO, Transition
from engine.agents.rollout import FloatArray
from engine.config import EncoderKind, ImitationConfig, PPOConfig, TakeoverConfig
from engine.env.batch import Batch
from engine.types import Source, Spaces


class GuidedPPO:
    """PPO whose logits the planner biases; with a planner share of 0 plain PPO.

    Where the planner is clearly surer, it takes over for several decisions in a row. From those
    steps the critic learns, and the policy learns the planner's advice, but they do not count as
    the policy's own.

    Args:
        config: Hyperparameters.
        num_envs: Environments that step together.
        spaces: Sizes of what is observed and done.
        seed: Of everything random in it.
        encoder: What the network sees.
        takeover: When the planner takes over.
        imitation: How close it stays to the cloned policy that it begins from, if any.
    """

    name = "ppo"
    learns_policy = True

    def __init__(
        self,
        config: PPOConfig,
        num_envs: int,
        spaces: Spaces,
        seed: int,
        encoder: EncoderKind = "features",
        takeover: TakeoverConfig | None = None,
        imitation: ImitationConfig | None = None,
    ) -> None:
        self.ppo = PPO(config, num_envs, spaces, seed, encoder, imitation)
        self._temperature = config.temperature
        self._takeovers = Takeovers(takeover or TakeoverConfig(), num_envs)
        self._rng = np.random.default_rng([seed, 2])
        self._acted: Transition | None = None

    def decide(self, batch: Batch, guidance: Guidance) -> ActionBatch:
        """Draw actions from the biased policy."""
        action_batch, self._acted = self._choose(
            batch, guidance, self.ppo.memory, self._rng, self._takeovers
        )
        return action_batch

    def player(self, seed: int | np.random.Generator) -> PolicyFunction:
        """Return the current policy, which draws its actions at `PPOConfig.temperature`.

        PPO learns probabilities. Taking the most probable action is another policy, which can walk
        forwards and backwards for ever. It is advised, but never taken over from.
        """
        rng = np.random.default_rng(seed)
        memory: FloatArray | None = None

        def play(batch: Batch, guidance: Guidance) -> ActionBatch:
            nonlocal memory
            if memory is None:
                memory = self.ppo.blank_memory(len(batch.features))
            memory[batch.terminated | batch.truncated] = 0.0
            guidance = dataclasses.replace(guidance, is_sharp=True)
            action_batch, transition = self._choose(batch, guidance, memory, rng)
            memory = transition.evaluation.memory
            return action_batch

        return play

    def _choose(
        self,
        batch: Batch,
        guidance: Guidance,
        memory: FloatArray,
        rng: np.random.Generator,
        takeovers: Takeovers | None = None,
    ) -> tuple[ActionBatch, Transition]:
        """Return the choices, and what the rollout must know of them."""
        evaluation = self.ppo.evaluate(batch.features, batch.pixels, memory)
        mask = torch.from_numpy(batch.mask)
        own = masked_log_probs(evaluation.logits, mask, torch.zeros(()))
        sure = certainty(own, batch.mask)
        c_planner, c_policy = calibrated(batch.advice_confidence, sure, guidance)
        prior = np.where(np.reshape(guidance.is_alone, (-1, 1)), np.float32(0.0), batch.prior)
        bias = advice_bias(prior, c_planner, c_policy, guidance)
        sharpness = np.where(guidance.is_sharp, 1 / self._temperature, 1.0)
        sharpness = np.broadcast_to(sharpness, len(bias)).astype(np.float32)
        sharpened = evaluation.logits * torch.from_numpy(sharpness)[:, None]
        biased = masked_log_probs(sharpened, mask, torch.from_numpy(bias)).numpy()
        actions = sample(biased, rng)
        led = np.zeros(len(actions), np.int64)
        is_led = np.zeros(len(actions), np.bool_)
        # The prior leads only where it also advises: not a policy that is to be left alone.
        advised = np.where(batch.mask, bias, 0.0)
        if guidance.is_planners is not None:
            is_left = c_policy >= guidance.needed_confidence
            advised = np.where(batch.mask & ~is_left[:, None], prior, 0.0)
            is_led = guidance.is_planners & (advised.max(1) > 0)
        elif takeovers is not None:
            led = takeovers.next(guidance.planner_share, c_planner, c_policy, advised.max(1) > 0)
            is_led = led > 0
        if is_led.any():  # no random number is drawn for nothing: unadvised, this is plain PPO
            actions = np.where(is_led, draw_best(advised, rng), actions)
        log_probs = _of(biased, actions)
        unbiased = masked_log_probs(sharpened, mask, torch.zeros(())).numpy()
        planned = is_planned(_of(unbiased, actions), log_probs) | is_led
        transition = Transition(
            batch, evaluation, bias, actions, log_probs, ~is_led, sharpness, guidance.teaching
        )
        confidences = np.where(planned, c_planner, c_policy).astype(np.float32)
        return ActionBatch(actions, confidences, planned, Source.POLICY, led), transition

    def observe(self, batch: Batch) -> None:
        """Append the step to the rollout."""
        assert self._acted is not None
        self.ppo.record(self._acted, batch)
        self._takeovers.end(batch.terminated | batch.truncated)

    def truncate_trajectory(self, env_index: int, batch: Batch) -> None:
        """End an environment's trajectory before somebody else acts in it."""
        self.ppo.truncate_trajectory(env_index, batch)
        self._takeovers.end(env_index)

    @property
    def is_update_due(self) -> bool:
        """Return whether the rollout is full."""
        return self.ppo.rollout.is_full

    def update(self, batch: Batch) -> dict[str, float]:
        """Learn from the rollout; `batch` holds the states after it."""
        return self.ppo.update(batch)

    def save(self) -> tuple[dict[str, Any], dict[str, NDArray[np.generic]]]:
        """Return the state as JSON-able facts and arrays, for `load`."""
        facts, arrays = self.ppo.save()
        arrays |= {f"takeovers/{name}": array for name, array in self._takeovers.save().items()}
        return {"ppo": facts, "rng": self._rng.bit_generator.state}, arrays

    def load(self, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state that `save` returned."""
        self.ppo.load(facts["ppo"], arrays)
        self._takeovers.load({name: arrays[f"takeovers/{name}"] for name in self._takeovers.save()})
        self._rng.bit_generator.state = facts["rng"]


def _of(log_probs: FloatArray, actions: NDArray[np.int64]) -> FloatArray:
    return log_probs[np.arange(len(actions)), actions]
