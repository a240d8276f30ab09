"""Check demonstrations by replaying them in another process.

A hostile start state can make the emulator crash or hang; then the demonstration is refused.

`python -m engine.demos.validation` reads the settings and then names of files from its input, one
JSON text a line, and answers each file with one.
"""

import json
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.config import RunConfig, parse_config
from engine.demos.demonstration import read_demo
from engine.demos.exact_replay import DemoPlayer, unchecked
from engine.errors import PokeTUIError
from engine.ground.processes import worker_command, worker_environment

_SIGN_EVERY = 200
"""Steps between two signs of life."""
_PATIENCE_S = 120.0
"""The longest that the emulator may take between two signs."""


@dataclass(frozen=True, slots=True)
class Validated:
    """The result of replaying a file.

    Attributes:
        steps: Presses that it shows.
        refusal: How it diverges, "" where it replays as it was recorded.
        unchecked: What of it could not be checked.
    """

    path: Path
    steps: int
    refusal: str = ""
    unchecked: tuple[str, ...] = ()


def validate(paths: Sequence[Path], config: RunConfig) -> Iterator[Validated]:
    """Replay files in another process; yield each result, in order. `config` names the ROM."""
    waiting = list(paths)
    while waiting:
        for found in _play_there(tuple(waiting), config):
            waiting.pop(0)
            yield found
        if waiting:
            crashed = waiting.pop(0)
            why = f"{crashed} made the emulator crash or hang. Delete it, or record it again."
            yield Validated(crashed, 0, why)


def _play_there(paths: Sequence[Path], config: RunConfig) -> Iterator[Validated]:
    # Unbuffered: what Python had read ahead, `select` would not see.
    with subprocess.Popen(
        worker_command("engine.demos.validation"),
        bufsize=0,
        env=worker_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(config.model_dump_json().encode() + b"\n")
            for path in paths:
                process.stdin.write(json.dumps(str(path.absolute())).encode() + b"\n")
                refusal: str | None = None
                while refusal is None:  # null is a sign of life
                    if not select.select([process.stdout], [], [], _PATIENCE_S)[0]:
                        return
                    line = process.stdout.readline()
                    if not line:
                        return
                    steps, refusal, unchecked = json.loads(line)
                yield Validated(path, int(steps), refusal, tuple(unchecked))
        except BrokenPipeError:
            return
        finally:
            process.kill()


def main() -> None:
    """Answer until the input ends."""
    config = parse_config(json.loads(sys.stdin.readline()), "the settings")
    with closing(DemoPlayer(config, renders=False)) as player:
        for line in sys.stdin:
            print(json.dumps(_try(Path(json.loads(line)), player, config)), flush=True)


def _try(path: Path, player: DemoPlayer, config: RunConfig) -> tuple[int, str, tuple[str, ...]]:
    try:
        demo = read_demo(path)
        for step in player.play(demo):
            if step.number % _SIGN_EVERY == 0:
                print("[0, null, []]", flush=True)
    except PokeTUIError as error:
        text = str(error)
        return 0, text if str(path) in text else f"{path}: {text}", ()
    return len(demo.shown), "", unchecked(demo, config)


if __name__ == "__main__":
    main()
