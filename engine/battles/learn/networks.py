"""Define the network that plays doubles battles; `engine.battles.policy` is the same in NumPy."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from engine.battles.policy import (
    AIMED,
    BACK_OF,
    HEADS,
    HIDDEN,
    LAYERS,
    LEAD_SIGNS,
    LEADS_OF,
    PAIR,
    SHAPES,
    TABLES,
    FloatArray,
    flat_weights,
)
from engine.battles.sim.actions import COMPATIBLE, PASS, PREVIEW_CODES, SLOT_CODES
from engine.battles.sim.observation import (
    GLOBAL,
    GLOBAL_PART,
    IDS,
    MAX_ID,
    MON,
    MONS_PART,
    MOVE,
    MOVES_PART,
    THREATS_PART,
)

_PRIOR = {"hp_own": 3.0, "hp_foe": -3.0, "left_own": 2.0, "left_foe": -2.0}
"""Initial weights of the win head: its first estimate acts as the potential of potential-based
shaping (Wiewiora 2003), so damage is worth something from the first update on."""


class Outputs(NamedTuple):
    """The network's outputs for n decisions.

    Attributes:
        log_probs: (n, 2025), at preview in the first 90; -inf where illegal.
        win: (n,) logits of winning.
    """

    log_probs: Tensor
    win: Tensor


@dataclass(frozen=True, slots=True)
class Compatibility:
    """Which saved weights could be loaded.

    Attributes:
        loaded: Names of the weights that fitted.
        missing: Names that the saved network lacks.
        mismatched: Names that have another shape there.
        unknown: Names that only the saved network has.
    """

    loaded: tuple[str, ...]
    missing: tuple[str, ...]
    mismatched: tuple[str, ...]
    unknown: tuple[str, ...]

    def text(self) -> str:
        """Return how many were loaded, and the names of all that were not, in words."""
        parts = [f"{len(self.loaded)} of {len(SHAPES)} arrays loaded"]
        for what in ("missing", "mismatched", "unknown"):
            if names := getattr(self, what):
                parts.append(f"{what}: {', '.join(names)}")
        return "; ".join(parts)


class TwoHeadedHybridModel(nn.Module):
    """An action head over the joint codes and over preview codes, and a win head, on one trunk.

    A choice's logit follows from its move, its target, who acts and the context, so that what is
    learnt of one generalises to others. A low-rank term combines both slots' choices.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tables = nn.ModuleDict({name: nn.Embedding(*s) for name, s in TABLES.items()})
        self.layers = nn.ModuleDict({name: nn.Linear(*size) for name, size in LAYERS.items()})
        self._compatible: Tensor
        self.register_buffer("_compatible", torch.from_numpy(COMPATIBLE), persistent=False)
        weights = self.named_weights()
        with torch.no_grad():
            for name in TABLES:
                nn.init.normal_(weights[f"{name}.weight"], std=0.3)
            for name in ("choice_out", "preview_out", "win_2"):
                weights[f"{name}.weight"].mul_(0.1)
                nn.init.zeros_(weights[f"{name}.bias"])
            nn.init.zeros_(weights["win_prior.weight"])
            nn.init.zeros_(weights["win_prior.bias"])
            for name, weight in _PRIOR.items():
                weights["win_prior.weight"][0, GLOBAL.index(name)] = weight

    def forward(self, observations: Tensor, legal: Tensor, is_preview: Tensor) -> Outputs:
        """Evaluate n decisions; shapes as in `engine.battles.policy.Policy.act`."""
        mons, moves, context = self._encode(observations)
        there, others = is_preview.nonzero()[:, 0], (~is_preview).nonzero()[:, 0]
        joint = self._choice_logits(
            mons[others], moves[others], observations[others], context[others]
        )
        joint = joint.masked_fill(~self._mask(legal[others]), -torch.inf).log_softmax(1)
        log_probs = joint.new_full((len(observations), joint.shape[1]), -torch.inf)
        log_probs = log_probs.index_copy(0, others, joint)
        if len(there):
            preview = self._preview_logits(mons[there], context[there]).log_softmax(1)
            padding = (0, joint.shape[1] - PREVIEW_CODES)
            preview = nn.functional.pad(preview, padding, value=-torch.inf)
            log_probs = log_probs.index_copy(0, there, preview)
        win = self._linear("win_2", self._linear("win_1", context).relu())
        win = win + self._linear("win_prior", observations[:, GLOBAL_PART])
        return Outputs(log_probs, win[:, 0])

    def freeze_shared(self) -> None:
        """Freeze all but the heads."""
        for name, parameter in self.named_weights().items():
            parameter.requires_grad_(name.startswith(HEADS))

    def named_weights(self) -> dict[str, nn.Parameter]:
        """Return the parameters by their names in checkpoints and in numpy, in order."""
        every = {name.partition(".")[2]: each for name, each in self.named_parameters()}
        return {name: every[name] for name in SHAPES}

    def flat(self) -> FloatArray:
        """Return all weights as `engine.battles.policy.Policy` takes them."""
        weights = self.named_weights().items()
        return flat_weights({name: each.detach().cpu().numpy() for name, each in weights}, "it")

    def load_compatible(self, arrays: Mapping[str, NDArray[np.generic]]) -> Compatibility:
        """Take the weights whose name and shape fit, and report on the others."""
        own = self.named_weights()
        fits = [n for n, each in own.items() if n in arrays and arrays[n].shape == each.shape]
        with torch.no_grad():
            for name in fits:
                own[name].copy_(torch.from_numpy(np.array(arrays[name], np.float32)))
        return Compatibility(
            tuple(fits),
            tuple(name for name in own if name not in arrays),
            tuple(name for name in own if name in arrays and name not in fits),
            tuple(name for name in arrays if name not in own),
        )

    def _encode(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        count = len(observations)
        fields = observations[:, MONS_PART].reshape(count, 12, len(MON))
        ids = _ids(fields[:, :, :IDS])
        is_foe = fields.new_zeros(count, 12, 1)
        is_foe[:, 6:] = 1
        names = ("species", "item", "ability")
        inputs = [fields[:, :, IDS:]]
        inputs += [self.tables[name](ids[:, :, index]) for index, name in enumerate(names)]
        inputs += [self.tables["move"](ids[:, :, 3:]).sum(2), is_foe]
        mons = self._linear("mon_1", torch.cat(inputs, -1)).relu()
        mons = self._linear("mon_2", mons).relu()

        moves = self._with_move(observations[:, MOVES_PART].reshape(count, 8, -1))
        moves = self._linear("move_2", self._linear("move_1", moves).relu()).relu()
        threats = self._with_move(observations[:, THREATS_PART].reshape(count, 8, -1))
        threats = self._linear("threat_1", threats).relu()
        parts = [
            observations[:, GLOBAL_PART],
            mons.flatten(1),
            moves.flatten(1),
            threats.flatten(1),
        ]
        context = self._linear("trunk_1", torch.cat(parts, 1)).relu()
        return mons, moves, self._linear("trunk_2", context).relu()

    def _choice_logits(
        self, mons: Tensor, moves: Tensor, observations: Tensor, context: Tensor
    ) -> Tensor:
        count = len(mons)
        own, foes = mons[:, :2], mons[:, 6:8]
        base = self._linear("choice_context", context).view(count, 2, HIDDEN)
        base = base + self._linear("choice_actor", own)

        fields = observations[:, MOVES_PART].reshape(count, 2, 4, len(MOVE))
        aimed = fields[..., -3 * AIMED :].reshape(count, 2, 4, 3, AIMED)
        aimed = self._linear("choice_aimed", aimed).view(count, 2, 4, 3, 2, HIDDEN)
        alone = self._linear("choice_move", moves).view(count, 2, 4, 2, HIDDEN)
        alone = alone + base[:, :, None, None]
        foe = self._linear("choice_foe", foes)[:, None, None, None]
        ally = self._linear("choice_ally", own.flip(1))[:, :, None, None]
        to_ally = alone + aimed[:, :, :, 2] + ally
        hidden = torch.stack(
            [
                to_ally,
                to_ally,
                alone + aimed[:, :, :, 0] + aimed[:, :, :, 1],
                alone + aimed[:, :, :, 0] + foe[..., 0, :],
                alone + aimed[:, :, :, 1] + foe[..., 1, :],
            ],
            -2,
        ).view(count, 2, 40, HIDDEN)
        switch = self._linear("choice_switch", mons[:, :4])[:, None] + base[:, :, None]
        every = torch.cat([hidden, switch, base[:, :, None]], 2).relu()
        first, second = self._linear("choice_out", every).unbind(1)
        joint: Tensor = first[..., 1 : 1 + PAIR] @ second[..., 1 + PAIR :].transpose(1, 2)
        joint = joint * PAIR**-0.5 + first[..., :1] + second[..., 0][:, None]
        return joint.flatten(1)

    def _preview_logits(self, mons: Tensor, context: Tensor) -> Tensor:
        hidden = self._linear("preview_mon", mons[:, :6])
        hidden = (hidden + self._linear("preview_context", context)[:, None]).relu()
        out = self._linear("preview_out", hidden)
        lead, back, pair = out[..., 0], out[..., 1], out[..., 2:]
        pairs = (pair * torch.from_numpy(LEAD_SIGNS).to(pair)) @ pair.transpose(1, 2)
        logits: Tensor = lead[:, LEADS_OF].sum(2) + back[:, BACK_OF].sum(2)
        logits = logits + pairs[:, LEADS_OF[:, 0], LEADS_OF[:, 1]]
        return logits

    def _mask(self, legal: Tensor) -> Tensor:
        """Return which joint codes are legal; as `engine.battles.sim.actions.joint_mask`."""
        first, second = legal[:, :SLOT_CODES, None], legal[:, None, SLOT_CODES:]
        mask = (first & second & self._compatible).flatten(1)
        mask[:, PASS * SLOT_CODES + PASS] |= ~mask.any(1)
        return mask

    def _with_move(self, fields: Tensor) -> Tensor:
        embedded = self.tables["move"](_ids(fields[..., 0]))
        return torch.cat([fields[..., 1:], embedded], -1)

    def _linear(self, name: str, inputs: Tensor) -> Tensor:
        result: Tensor = self.layers[name](inputs)
        return result


def _ids(fields: Tensor) -> Tensor:
    """Return the fields as ids within the tables."""
    return fields.long().clamp(0, MAX_ID - 1)
