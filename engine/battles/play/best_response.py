"""Train best responses: how far a policy can be exploited, and what beats a mixture of them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from engine.battles.play.evaluation import Score, rate_text
from engine.battles.policy import Policy, write_network
from engine.config import VgcConfig
from engine.errors import CheckpointError
from engine.ground.files import make_folder, os_errors_as, read_object, write_file

_FILE = "exploitability.json"


@dataclass(frozen=True, slots=True)
class Exploit:
    """A best response, and how it fared against the policy that it was trained against.

    Attributes:
        policy: Digest of that policy's weights.
        is_greedy: That policy took its likeliest choices.
        decisions: That the best response learned from, in `minutes`.
        run: The best response's.
    """

    policy: str
    is_greedy: bool
    format: str
    teams: int
    decisions: int
    minutes: float
    run: str
    won: int
    tied: int
    lost: int

    @property
    def score(self) -> Score:
        """The best response's battles; their win rate bounds the exploitability from below."""
        return Score(self.won, self.tied, self.lost)

    def __str__(self) -> str:
        rate = rate_text(self.score.win_rate, *self.score.interval)
        return (
            f"Exploitability at least {rate}: a best response wins so many of "
            f"{self.score.battles:,} battles ({self.teams} teams) after {self.minutes:.1f} "
            f"minutes, {self.decisions:,} decisions."
        )


def freeze(source: Path, into: Path) -> Path:
    """Write the policy of a checkpoint alone into a file, and return it.

    Raises:
        CheckpointError: It cannot be read, is of another network, or cannot be written.
    """
    policy = Policy.load(source)
    with os_errors_as(CheckpointError, f"Cannot write {into}", "Make room or choose a folder."):
        write_network(into, policy.by_name)
    return into


def digest(policy: Policy) -> str:
    """Return what tells a policy's weights from all others."""
    return hashlib.sha256(policy.weights.tobytes()).hexdigest()[:16]


def response_settings(
    vgc: VgcConfig, opponents: Mapping[str, float], start: Path, *, is_greedy: bool
) -> dict[str, Any]:
    """Return the settings of a best response, in the section vgc: it meets nobody else.

    Args:
        vgc: Settings of the policy that is to be beaten: its format, teams and way of learning.
        opponents: Shares by policies' files and built-in players.
        start: The policy's file to start from.
        is_greedy: The policies take their likeliest choices.
    """
    own: dict[str, Any] = {
        "opponents": dict(opponents),
        "bc_model": str(start),
        "evaluation_share": 0.0,
        "freeze_shared": False,
        "greedy_opponents": is_greedy,
        "anneal": False,
        "minutes": 0.0,
        "steps": 0,
    }
    return vgc.model_dump() | own


def exploits(folder: Path) -> tuple[Exploit, ...]:
    """Return the exploits that were measured, from a folder of them; none where there is none.

    Raises:
        CheckpointError: The file is unreadable.
    """
    path = folder / _FILE
    if not path.exists():
        return ()
    try:
        found = TypeAdapter(tuple[Exploit, ...]).validate_python(read_object(path)["exploits"])
    except (ValueError, KeyError) as error:
        raise unreadable(path, error, "list of exploits") from None
    return found


def unreadable(path: Path, error: Exception, wanted: str) -> CheckpointError:
    """Return the error for a file whose JSON cannot be read, or is not what was wanted."""
    is_read = isinstance(error, ValidationError | KeyError | TypeError)
    reason = f"it is no {wanted}" if is_read else str(error)
    return CheckpointError(f"{path} is unreadable: {reason}.", "Move it away.")


def add_exploit(folder: Path, exploit: Exploit) -> None:
    """Add an exploit to those of a folder.

    Raises:
        CheckpointError: The file is unreadable, or cannot be written.
    """
    every = [*exploits(folder), exploit]
    with os_errors_as(CheckpointError, f"Cannot write to {folder}", "Make room."):
        make_folder(folder)
        text = json.dumps({"exploits": [asdict(each) for each in every]}, indent=1)
        write_file(folder / _FILE, text.encode())


def worst_exploit(folder: Path, policy: Policy, *, is_greedy: bool) -> Exploit | None:
    """Return the exploit that beats a policy most, if there is one of just this policy.

    Raises:
        CheckpointError: The file is unreadable.
    """
    wanted = digest(policy), is_greedy
    found = [each for each in exploits(folder) if (each.policy, each.is_greedy) == wanted]
    return max(found, key=lambda each: each.score.win_rate, default=None)


def exploit_folder(origin: Path) -> Path:
    """Return the folder of the exploits of a run, by its folder, or of a policy, by its file."""
    return origin / "exploit" if origin.is_dir() else origin.with_suffix(".exploit")
