"""Play by a trained network in NumPy: fast, in one thread, and without torch.

The network's layers are defined here (`TABLES`, `LAYERS`); `engine.battles.learn.networks` builds
the same in torch. All weights lie in one flat float32 array, so that they can be shared between
processes.
"""

import os
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.battles.sim.actions import (
    JOINT_CODES,
    PREVIEW_CODES,
    SELECTIONS,
    SLOT_CODES,
    joint_mask,
)
from engine.battles.sim.observation import (
    GLOBAL,
    GLOBAL_PART,
    IDS,
    LEGAL,
    MAX_ID,
    MON,
    MONS_PART,
    MOVE,
    MOVES_PART,
    THREAT,
    THREATS_PART,
)
from engine.errors import CheckpointError
from engine.ground.archives import BROKEN, Archive
from engine.ground.files import make_folder, open_to_read
from engine.runs.checkpoint import LIMITS, Checkpoint, read_checkpoint, write_checkpoint

FloatArray = NDArray[np.float32]

SPECIES, ITEM, ABILITY, MOVE_ID = 16, 8, 8, 16
"""Lengths of the embeddings."""
MON_CODE, MOVE_CODE, THREAT_CODE = 64, 32, 16
CONTEXT, HIDDEN, PAIR, LEAD_PAIR = 256, 48, 12, 8
"""Lengths of the trunk's output, of a choice's hidden layer, and of the vectors that pairs are
scored by: choices of both slots, and two leads."""
AIMED = 4
"""The last fields of a move are 4 for each of its targets: the foe's slots and the ally."""

_TRUNK = len(GLOBAL) + 12 * MON_CODE + 8 * (MOVE_CODE + THREAT_CODE)
TABLES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "species": (MAX_ID, SPECIES),
        "item": (MAX_ID, ITEM),
        "ability": (MAX_ID, ABILITY),
        "move": (MAX_ID, MOVE_ID),
    }
)
"""Embeddings by name: rows, length."""
MON_INPUT = len(MON) - IDS + SPECIES + ITEM + ABILITY + MOVE_ID
LAYERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "mon_1": (MON_INPUT + 1, MON_CODE),  # the last input tells the foe's from the own
        "mon_2": (MON_CODE, MON_CODE),
        "move_1": (len(MOVE) - 1 + MOVE_ID, MOVE_CODE),
        "move_2": (MOVE_CODE, MOVE_CODE),
        "threat_1": (len(THREAT) - 1 + MOVE_ID, THREAT_CODE),
        "trunk_1": (_TRUNK, 384),
        "trunk_2": (384, CONTEXT),
        # A choice's hidden layer is the sum of its parts. Those of moves and of their effects on a
        # target are twice as long: without and with the gimmick.
        "choice_context": (CONTEXT, 2 * HIDDEN),
        "choice_actor": (MON_CODE, HIDDEN),
        "choice_move": (MOVE_CODE, 2 * HIDDEN),
        "choice_aimed": (AIMED, 2 * HIDDEN),
        "choice_foe": (MON_CODE, HIDDEN),
        "choice_ally": (MON_CODE, HIDDEN),
        "choice_switch": (MON_CODE, HIDDEN),
        "choice_out": (HIDDEN, 1 + 2 * PAIR),
        "preview_context": (CONTEXT, HIDDEN),
        "preview_mon": (MON_CODE, HIDDEN),
        "preview_out": (HIDDEN, 2 + LEAD_PAIR),
        "win_1": (CONTEXT, 64),
        "win_2": (64, 1),
        "win_prior": (len(GLOBAL), 1),
    }
)
"""Linear layers by name: inputs, outputs."""
HEADS = ("choice_", "preview_", "win_")
"""Prefixes of the heads' layers; all others are shared."""
POOL = "pool"
"""Folder of a run's past policies."""


def _shapes() -> Mapping[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {f"{name}.weight": size for name, size in TABLES.items()}
    for name, (inputs, outputs) in LAYERS.items():
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    return MappingProxyType(shapes)


SHAPES = _shapes()
"""All weights in the order of the flat array, with the shapes that torch uses."""
NUM_WEIGHTS = sum(int(np.prod(shape)) for shape in SHAPES.values())
LEADS_OF, BACK_OF = np.array(SELECTIONS)[:, :2], np.array(SELECTIONS)[:, 2:]
"""(90, 2) each: the party's members by preview code."""
LEAD_SIGNS = np.repeat(np.array([1, -1], np.float32), LEAD_PAIR // 2)
NETWORK = "network/"
"""Prefix of a network's weights in checkpoints."""
_ENDS = {
    "policy.pth": "a model of Stable-Baselines3",
    "data.pkl": "a torch file",
    ".npy": "an archive of NumPy",
}
"""Kinds of foreign zip files, by the suffix of one of their members."""
_BEGINNINGS = {
    b"PK": "",  # a zip file like ours, but damaged
    b"\x80": "a torch file of the old kind, or another pickle",
    b"\x1f\x8b": "a gzip file, perhaps of battles",
    b"\x89HDF": "an HDF5 file",
    b"GGUF": "a language model",
}
"""Kinds of other files, by their first bytes."""


class Policy:
    """A network's weights, and its decisions.

    Args:
        weights: (NUM_WEIGHTS,) float32; not copied, so that changes take effect.

    Attributes:
        by_name: Its parts, by their names in `SHAPES`.
    """

    def __init__(self, weights: FloatArray) -> None:
        self.weights = weights
        self.by_name: dict[str, FloatArray] = {}
        start = 0
        for name, shape in SHAPES.items():
            size = int(np.prod(shape))
            self.by_name[name] = weights[start : start + size].reshape(shape)
            start += size

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the network of a checkpoint, a cloned policy or a past policy.

        Raises:
            CheckpointError: It is missing, damaged, or of another network.
        """
        return cls(flat_weights(read_network(path), path))

    def act(
        self,
        observations: FloatArray,
        legal: NDArray[np.bool_],
        is_preview: NDArray[np.bool_],
        rng: np.random.Generator,
        greedy: bool = False,
    ) -> tuple[NDArray[np.int64], FloatArray, FloatArray]:
        """Choose for n sides.

        Args:
            observations: (n, 1560).
            legal: (n, 90).
            is_preview: (n,).
            rng: Draws one number for each side.
            greedy: Take the likeliest code instead.

        Returns:
            Codes, the logarithms of their probabilities, and values from -1 to 1, (n,) each.
        """
        logits, values = self._forward(observations, legal, is_preview)
        top = logits.max(1, keepdims=True)
        likely = np.exp(logits - top)
        sums = likely.cumsum(1)
        rows = np.arange(len(logits))
        if greedy:
            codes = logits.argmax(1)
        else:
            drawn = rng.random(len(logits), np.float32) * sums[:, -1]
            # If rounded up to the sum itself, it would be beyond every code.
            drawn = np.minimum(drawn, np.nextafter(sums[:, -1], np.float32(0)))
            codes = (sums > drawn[:, None]).argmax(1)
        return codes, logits[rows, codes] - top[:, 0] - np.log(sums[:, -1]), values

    def log_probs(
        self, observations: FloatArray, legal: NDArray[np.bool_], is_preview: NDArray[np.bool_]
    ) -> FloatArray:
        """Return (n, 2025) log-probabilities, at preview those of the first 90 codes."""
        logits, _ = self._forward(observations, legal, is_preview)
        logits -= logits.max(1, keepdims=True)
        logits -= np.log(np.exp(logits).sum(1, keepdims=True))
        return logits

    def values(self, observations: FloatArray) -> FloatArray:
        """Return (n,) values of decisions (n, 1560), from -1 (lost) to 1 (won)."""
        return self._values(observations, self._encode(observations)[2])

    def _forward(
        self, observations: FloatArray, legal: NDArray[np.bool_], is_preview: NDArray[np.bool_]
    ) -> tuple[FloatArray, FloatArray]:
        """Return logits, -inf where illegal, and values."""
        mons, moves, context = self._encode(observations)
        if is_preview.any():
            logits = np.full((len(observations), JOINT_CODES), -np.inf, np.float32)
            here, others = is_preview.nonzero()[0], (~is_preview).nonzero()[0]
            logits[here, :PREVIEW_CODES] = self._preview_logits(mons[here], context[here])
            if len(others):
                logits[others] = self._choice_logits(
                    mons[others], moves[others], observations[others], context[others]
                )
                logits[others] = _masked(logits[others], legal[others])
        else:
            logits = self._choice_logits(mons, moves, observations, context)
            logits = _masked(logits, legal)
        return logits, self._values(observations, context)

    def _values(self, observations: FloatArray, context: FloatArray) -> FloatArray:
        win = self._linear("win_2", _relu(self._linear("win_1", context)))
        win += self._linear("win_prior", observations[:, GLOBAL_PART])
        return np.tanh(win[:, 0] / 2)

    def _encode(self, observations: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return codes of mons (n, 12, 64) and own moves (n, 8, 32), and the context (n, 256)."""
        count = len(observations)
        fields = observations[:, MONS_PART].reshape(count, 12, len(MON))
        ids = fields[:, :, :IDS].astype(np.intp)
        inputs = np.empty((count, 12, MON_INPUT + 1), np.float32)
        at = len(MON) - IDS
        inputs[:, :, :at] = fields[:, :, IDS:]
        for index, name in enumerate(("species", "item", "ability")):
            size = TABLES[name][1]
            inputs[:, :, at : at + size] = self.by_name[f"{name}.weight"][ids[:, :, index]]
            at += size
        table = self.by_name["move.weight"]
        inputs[:, :, at:-1] = table[ids[:, :, 3:]].sum(2)
        inputs[:, :6, -1], inputs[:, 6:, -1] = 0, 1
        mons = _relu(self._linear("mon_2", _relu(self._linear("mon_1", inputs))))

        moves = _with_move(observations[:, MOVES_PART].reshape(count, 8, -1), table)
        moves = _relu(self._linear("move_2", _relu(self._linear("move_1", moves))))
        threats = _with_move(observations[:, THREATS_PART].reshape(count, 8, -1), table)
        threats = _relu(self._linear("threat_1", threats))
        context = np.concatenate(
            [
                observations[:, GLOBAL_PART],
                mons.reshape(count, -1),
                moves.reshape(count, -1),
                threats.reshape(count, -1),
            ],
            1,
        )
        context = _relu(self._linear("trunk_2", _relu(self._linear("trunk_1", context))))
        return mons, moves, context

    def _choice_logits(
        self, mons: FloatArray, moves: FloatArray, observations: FloatArray, context: FloatArray
    ) -> FloatArray:
        """Return the joint logits (n, 2025), illegal ones too."""
        count = len(mons)
        own, foes = mons[:, :2], mons[:, 6:8]
        base = self._linear("choice_context", context).reshape(count, 2, HIDDEN)
        base += self._linear("choice_actor", own)

        fields = observations[:, MOVES_PART].reshape(count, 2, 4, len(MOVE))
        aimed = fields[..., -3 * AIMED :].reshape(count, 2, 4, 3, AIMED)
        aimed = self._linear("choice_aimed", aimed).reshape(count, 2, 4, 3, 2, HIDDEN)
        alone = self._linear("choice_move", moves).reshape(count, 2, 4, 2, HIDDEN)
        alone += base[:, :, None, None]
        foe = self._linear("choice_foe", foes)
        ally = self._linear("choice_ally", own[:, ::-1])
        hidden = np.empty((count, 2, 4, 2, 5, HIDDEN), np.float32)
        hidden[..., 0, :] = alone + aimed[:, :, :, 2] + ally[:, :, None, None]
        hidden[..., 1, :] = hidden[..., 0, :]
        hidden[..., 2, :] = alone + aimed[:, :, :, 0] + aimed[:, :, :, 1]
        hidden[..., 3, :] = alone + aimed[:, :, :, 0] + foe[:, None, None, None, 0]
        hidden[..., 4, :] = alone + aimed[:, :, :, 1] + foe[:, None, None, None, 1]

        switch = self._linear("choice_switch", mons[:, :4])[:, None] + base[:, :, None]
        out = np.empty((count, 2, SLOT_CODES, 1 + 2 * PAIR), np.float32)
        out[:, :, :40] = self._linear("choice_out", _relu(hidden).reshape(count, 2, 40, HIDDEN))
        out[:, :, 40:44] = self._linear("choice_out", _relu(switch))
        out[:, :, 44] = self._linear("choice_out", _relu(base))
        first, second = out[:, 0], out[:, 1]
        joint: FloatArray = first[..., 1 : 1 + PAIR] @ second[..., 1 + PAIR :].swapaxes(1, 2)
        joint *= np.float32(PAIR**-0.5)
        joint += first[..., 0, None]
        joint += second[:, None, :, 0]
        return joint.reshape(count, JOINT_CODES)

    def _preview_logits(self, mons: FloatArray, context: FloatArray) -> FloatArray:
        """Return the logits of all selections, (n, 90)."""
        hidden = self._linear("preview_mon", mons[:, :6])
        hidden += self._linear("preview_context", context)[:, None]
        out = self._linear("preview_out", _relu(hidden))
        lead, back, pair = out[..., 0], out[..., 1], out[..., 2:]
        pairs = (pair * LEAD_SIGNS) @ pair.swapaxes(1, 2)
        logits: FloatArray = lead[:, LEADS_OF].sum(2) + back[:, BACK_OF].sum(2)
        logits += pairs[:, LEADS_OF[:, 0], LEADS_OF[:, 1]]
        return logits

    def _linear(self, name: str, inputs: FloatArray) -> FloatArray:
        weight = self.by_name[f"{name}.weight"]
        result: FloatArray = inputs.reshape(-1, inputs.shape[-1]) @ weight.T
        result += self.by_name[f"{name}.bias"]
        return result.reshape(*inputs.shape[:-1], len(weight))


def read_network(path: Path) -> dict[str, NDArray[np.generic]]:
    """Return the weights in a checkpoint by name; at least one is of this network.

    Raises:
        CheckpointError: It is missing, damaged, or holds something else.
    """
    kind = _foreign_kind(path)
    if not kind:
        checkpoint = read_checkpoint(path)
        arrays = checkpoint.arrays_under(NETWORK)
        if arrays.keys() & SHAPES.keys():
            return arrays
        kind = _contents(checkpoint.facts)
    raise CheckpointError(
        f"{path} is {kind}, not a policy of battles.",
        "Create one: poketui vgc bc, or poketui vgc train.",
    )


def write_network(
    path: Path, arrays: Mapping[str, NDArray[np.generic]], facts: Mapping[str, Any] | None = None
) -> None:
    """Write weights by name where `read_network` reads them, with JSON-able facts beside.

    Raises:
        OSError: They could not be written.
    """
    make_folder(path.parent)
    named = {f"{NETWORK}{name}": array for name, array in arrays.items()}
    write_checkpoint(path, Checkpoint(dict(facts or {}), named))


def _foreign_kind(path: Path) -> str:
    """Return the kind of another program's file; "" for a checkpoint, and if it is unknown."""
    try:
        with closing(Archive(path, LIMITS)) as archive:
            names = tuple(archive.members)
        if "facts.json" in names:
            return ""
        every = ((kind, name.endswith(end)) for end, kind in _ENDS.items() for name in names)
        return next((kind for kind, is_so in every if is_so), "")
    except BROKEN:
        return _kind_of_bytes(path)


def _kind_of_bytes(path: Path) -> str:
    try:
        with os.fdopen(open_to_read(path, LIMITS.size), "rb") as file:
            start = file.read(8)
    except OSError:
        return ""
    kinds = (kind for each, kind in _BEGINNINGS.items() if start.startswith(each))
    return next(kinds, "damaged or a file of another kind")


def _contents(facts: Mapping[str, Any]) -> str:
    """Return what a checkpoint of ours is of, in words."""
    match facts:
        case {"kind": "imitation"}:
            return "a cloned policy of a game"
        case {"agent": {"name": str(agent)}}:
            return f"a checkpoint of a game's run (agent {agent})"
    return "a checkpoint of something else"


def flat_weights(arrays: Mapping[str, NDArray[np.generic]], origin: object) -> FloatArray:
    """Return a network's weights, by name, as one array.

    Raises:
        CheckpointError: They are of another network; `origin` names their source in the error.
    """
    for name, shape in SHAPES.items():
        if name not in arrays or arrays[name].shape != shape:
            raise CheckpointError(
                f"{origin} is of another network: {name} does not fit.",
                "Train it again with this version.",
            )
    flat = np.concatenate([np.asarray(arrays[name], np.float32).ravel() for name in SHAPES])
    if not np.isfinite(flat).all():
        raise CheckpointError(f"{origin} has weights that are no numbers.", "Use another one.")
    return flat


def _masked(logits: FloatArray, legal: NDArray[np.bool_]) -> FloatArray:
    return np.where(joint_mask(legal[:, :LEGAL]), logits, np.float32(-np.inf))


def _with_move(fields: FloatArray, table: FloatArray) -> FloatArray:
    """Replace the first field, a move's id, by its embedding, which comes last."""
    return np.concatenate([fields[..., 1:], table[fields[..., 0].astype(np.intp)]], -1)


def _relu(values: FloatArray) -> FloatArray:
    return np.maximum(values, 0, out=values)
