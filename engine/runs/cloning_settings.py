"""Define the settings of learning from demonstrations."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from pydantic import Field, ValidationError, model_validator

from engine.config import EncoderKind, ScreenNetwork, Section
from engine.errors import ConfigurationError

NetworkKind = Literal["ppo", "dqn", "impala", "nature", "tiny"]
Inputs = Literal["features", "screen", "both"]

SEEN_BY: Mapping[EncoderKind, tuple[ScreenNetwork | None, Inputs]] = MappingProxyType(
    {
        "features": (None, "features"),
        "pixels": (None, "screen"),
        "both": (None, "both"),
        "impala": ("impala", "screen"),
        "nature": ("nature", "screen"),
        "tiny": ("tiny", "screen"),
        "impala+features": ("impala", "both"),
        "nature+features": ("nature", "both"),
        "tiny+features": ("tiny", "both"),
    }
)
"""By what the settings of agents call it: a network that either of them can have, None where each
has its own, and its inputs."""

_Settings = TypeVar("_Settings", bound=Section)


class CloningConfig(Section):
    """Behavioural cloning."""

    network: NetworkKind = "ppo"
    """ppo or dqn: that agent's network, to fine-tune with it; impala, nature or tiny: for the
    screen as 84 x 84 in colour, to fine-tune with either."""
    inputs: Inputs = "features"
    """Observations: features, screen or both."""
    hidden_size: int = Field(default=256, ge=8)
    """Hidden layer width."""
    epochs: int = Field(default=40, ge=1)
    """Number of epochs."""
    batch_size: int = Field(default=64, ge=1)
    """Batch size."""
    learning_rate: float = Field(default=3e-4, gt=0)
    """Learning rate."""
    weight_decay: float = Field(default=1e-4, ge=0)
    """Weight decay."""
    balance: float = Field(default=1.0, ge=0, le=1)
    """Oversampling of rare actions: 0 draws all steps alike, 1 every pair of map and action."""
    max_grad_norm: float = Field(default=1.0, gt=0)
    val_share: float = Field(default=0.2, ge=0, lt=1)
    """Validation share of the episodes; 0: none."""
    patience: int = Field(default=10, ge=0)
    """Early stopping after this many epochs without a better validation; 0: never."""
    temperature: float = Field(default=1.0, gt=0)
    """Divides the logits where the policy plays; much below 1 it takes the likeliest action."""
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    """Random seed."""
    eval_episodes: int = Field(default=10, ge=0)
    """Episodes per evaluation; 0: none."""
    eval_every: int = Field(default=10, ge=1)
    """Epochs between evaluations; there is always one at the end."""
    save_every: int = Field(default=5, ge=1)
    """Epochs between checkpoints."""
    keep_checkpoints: int = Field(default=3, ge=1)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    """Device: auto, cpu or cuda."""
    precision: Literal["auto", "float32", "bfloat16"] = "auto"
    """auto: bfloat16 for deep networks that see pixels, where the processor computes in it."""
    deterministic: bool = True
    """Let cuDNN use only algorithms that give the same result every time."""
    save_best: bool = True
    """Keep the checkpoint with the best evaluation beside the last ones."""

    @model_validator(mode="after")
    def _check_inputs(self) -> "CloningConfig":
        if self.network in {"impala", "nature", "tiny"} and self.inputs == "features":
            raise ValueError(f"network {self.network} sees the screen: inputs screen or both")
        return self

    @property
    def sees_colour(self) -> bool:
        """Tell whether the network is one of those that any agent can have."""
        return self.network not in {"ppo", "dqn"}

    @property
    def encoder(self) -> EncoderKind:
        """Return what the settings of agents call the network and its inputs."""
        wanted = (self.network if self.sees_colour else None, self.inputs)
        return next(kind for kind, seen in SEEN_BY.items() if seen == wanted)


class DaggerConfig(Section):
    """Data-set aggregation (Ross et al. 2011)."""

    rounds: int = Field(default=8, ge=1)
    """DAgger rounds."""
    episodes: int = Field(default=6, ge=1)
    """Episodes per round."""
    envs: int = Field(default=6, ge=1)
    beta_start: float = Field(default=0.5, ge=0, le=1)
    """Initial expert mixing ratio (beta): share of the first round that the expert plays."""
    beta_decay: float = Field(default=0.5, ge=0, le=1)
    """What is left of that share from round to round."""
    epochs: int = Field(default=10, ge=1)
    """Epochs of learning after each round."""


IN_BATCHES: Mapping[str, str] = MappingProxyType(
    {
        "total_training_steps": "epochs",
        "eval_frequency": "eval_every",
        "save_frequency": "save_every",
    }
)
"""Documented settings that count batches, and those of `CloningConfig` that count epochs."""


def in_epochs(given: Mapping[str, Any], batches: int = 1) -> dict[str, Any]:
    """Return settings with what counts batches as epochs of `batches` each, rounded up.

    A number of batches is learnt from to its end: it turns early stopping off, unless that is given
    as well.

    Raises:
        ConfigurationError: Less than one, or the same thing twice.
    """
    values = dict(given)
    for name, key in IN_BATCHES.items():
        count = values.pop(name, None)
        if count is None:
            continue
        if count < 1:
            raise ConfigurationError(f"Imitation: {name} = {count}.", "Use 1 or more.")
        if key in values:
            raise ConfigurationError(
                f"Imitation: {name} (batches) and {key} (epochs) are both set.", "Set one of them."
            )
        values[key] = math.ceil(count / batches)
        if key == "epochs":
            values.setdefault("patience", 0)
    return values


def check(kind: type[_Settings], values: dict[str, Any]) -> _Settings:
    """Return the settings of `values`.

    Raises:
        ConfigurationError: Naming the first wrong one.
    """
    try:
        return kind(**values)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        given = f"{key} = {first['input']!r}: " if key else ""
        text = str(first["msg"]).removeprefix("Value error, ")
        raise ConfigurationError(f"Imitation: {given}{text}.", "Correct this value.") from None
