"""Send figures to Weights & Biases; only this module imports its package, an extra."""

import contextlib
import os
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine.config import RunConfig
from engine.errors import ConfigurationError, TrainingError
from engine.ground.files import make_subfolder
from engine.planning.models.backends.base import redacted
from engine.planning.models.backends.transport import proxy_for

_STEP = "total_steps"
_LOG_IN = "Run `wandb login`, or use --set wandb=offline; for poketui bc set WANDB_MODE=offline."


class WandbRun:
    """A run at Weights & Biases, or in a folder from which `wandb sync` brings it there.

    Args:
        config: The run's settings; `wandb` is "offline" or "online".
        folder: The run's.
        run_id: Its name; a resumed run continues under the same one.
        project: The project that it belongs to.
        settings: Shown beside its figures; None: `config`.

    Raises:
        ConfigurationError: The package is missing, or nobody is logged in.
    """

    name = "W&B"

    def __init__(
        self,
        config: RunConfig,
        folder: Path,
        run_id: str,
        *,
        project: str = "poketui",
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        require_wandb(config)
        try:
            wandb = import_module("wandb")
            self._error = wandb.Error
            if config.wandb == "online" and not wandb.login(prompt=False):
                raise ConfigurationError("Not logged in to Weights & Biases.", _LOG_IN)
            make_subfolder(folder / "wandb")  # keeps others out of what the package writes there
            self._run = wandb.init(
                project=project,
                id=run_id,
                name=run_id,
                resume="allow",
                dir=str(folder),
                mode=config.wandb,
                config=config.model_dump(mode="json") if settings is None else dict(settings),
                # The terminal is the cockpit's.
                settings=wandb.Settings(silent=True, console="off"),
            )
            # W&B's own count of steps cannot go back, as a resumed run's may.
            self._run.define_metric("*", step_metric=_STEP)
        except ConfigurationError:
            raise
        except Exception as error:  # of its network, its process or its package
            _, proxy = proxy_for("https://api.wandb.ai")
            through = f" Its traffic goes through {proxy}." if proxy else ""
            raise ConfigurationError(
                f"Weights & Biases cannot start: {redacted(error).rstrip('.')}.",
                f"Use --set wandb=offline, or off.{through}",
            ) from None

    def write(self, step: int, figures: Mapping[str, float | str]) -> None:
        """Hand figures over; the package sends them from a process of its own.

        Raises:
            OSError, TrainingError: It cannot continue.
        """
        try:
            self._run.log({_STEP: step, **figures})
        except self._error as error:
            raise TrainingError(f"{error}.") from None

    def close(self, *, is_failed: bool = False) -> None:
        """Send what is left, and how the run ended."""
        with contextlib.suppress(OSError, self._error):
            self._run.finish(exit_code=int(is_failed))


def tracking(config: RunConfig, *, is_tracked: bool) -> RunConfig:
    """Return the settings of a cloning's game with `wandb` set as asked; see `require_wandb`.

    As everywhere with W&B, the environment may say WANDB_MODE=offline.
    """
    is_offline = os.environ.get("WANDB_MODE") in {"offline", "dryrun"}
    mode = ("offline" if is_offline else "online") if is_tracked else "off"
    tracked = config.model_copy(update={"wandb": mode})
    require_wandb(tracked)
    return tracked


def require_wandb(config: RunConfig) -> None:
    """Raise ConfigurationError unless what the settings ask for is installed."""
    if config.wandb != "off" and find_spec("wandb") is None:
        raise ConfigurationError(
            f"wandb = {config.wandb} needs the package wandb, which is not installed.",
            "Install it: pip install 'poketui[wandb]', or use --set wandb=off; for poketui bc "
            "leave --track out.",
        )
