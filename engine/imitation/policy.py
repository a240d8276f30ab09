"""Play by a cloned policy, and save and load it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.agents.arbitration import certainty, sample
from engine.agents.base import ActionBatch, Guidance, PolicyFunction
from engine.agents.gradients import Arrays, load_network, save_network
from engine.agents.networks import masked_log_probs
from engine.env.batch import Batch
from engine.env.observation.pixels import pixels_shape
from engine.errors import CheckpointError
from engine.imitation.networks import build_network
from engine.runs.cloning_settings import CloningConfig, check
from engine.types import GAME_BOY_ACTIONS, GAME_BOY_FRAME_SHAPE, Source, Spaces

KIND = "imitation"
"""Marks the checkpoints of clones among others."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A cloned policy.

    Attributes:
        config: What it was cloned with.
        spaces: Sizes of observations and actions.
        network: See `build_network`.
    """

    config: CloningConfig
    spaces: Spaces
    network: nn.Module

    def logits(
        self, features: NDArray[np.float32], pixels: NDArray[np.uint8] | None, mask: Tensor
    ) -> Tensor:
        """Return logits (batch, A) on the CPU, not masked and without gradients."""
        device = next(self.network.parameters()).device
        seen = None
        if pixels is not None and self.config.inputs != "features":
            seen = torch.from_numpy(pixels).to(device)
        with torch.inference_mode():
            logits: Tensor = self.network(
                torch.from_numpy(features).to(device), seen, mask.to(device)
            )
        return logits.float().cpu()

    def player(self, seed: int) -> PolicyFunction:
        """Return a function that draws its actions: the likeliest alone gets stuck."""
        rng = np.random.default_rng([seed, 12])

        def play(batch: Batch, guidance: Guidance) -> ActionBatch:
            mask = torch.from_numpy(batch.mask)
            logits = self.logits(batch.features, batch.pixels, mask)
            tempered = logits / self.config.temperature
            log_probs = masked_log_probs(tempered, mask, torch.zeros(())).numpy()
            sure = certainty(torch.from_numpy(log_probs), batch.mask)
            actions = sample(log_probs, rng)
            nobody = np.zeros(len(actions), np.bool_)
            q_values = None
            if self.config.network != "ppo":  # of the others DQN takes the outputs for values
                q_values = np.take_along_axis(logits.numpy(), actions[:, None], 1)[:, 0]
            return ActionBatch(
                actions, sure.astype(np.float32), nobody, Source.POLICY, q_values=q_values
            )

        return play

    def save(self) -> tuple[dict[str, Any], Arrays]:
        """Return JSON-able facts and arrays."""
        facts = {"config": self.config.model_dump(), **asdict(self.spaces)}
        return {"kind": KIND, "policy": facts}, save_network(self.network, "network")

    @classmethod
    def load(cls, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[np.generic]]) -> "Policy":
        """Restore the state that `save` returned.

        Raises:
            CheckpointError: It was not `save` that returned it.
        """
        if facts.get("kind") != KIND:
            raise CheckpointError(
                "This checkpoint contains no cloned policy.", "Create one: poketui bc"
            )
        config = check(CloningConfig, dict(facts["policy"]["config"]))
        sizes = facts["policy"]
        spaces = Spaces(  # older policies are of a Game Boy, and do not say so
            int(sizes["feature_size"]),
            int(sizes.get("num_actions", len(GAME_BOY_ACTIONS))),
            tuple(map(int, sizes.get("pixels_shape", pixels_shape(GAME_BOY_FRAME_SHAPE)))),
        )
        with torch.random.fork_rng(devices=[]):
            network = build_network(config, spaces)
        try:
            load_network(network, "network", arrays)
        except RuntimeError:
            raise CheckpointError(
                "This policy's weights do not fit its network.", "Clone it again: poketui bc"
            ) from None
        return cls(config, spaces, network)
