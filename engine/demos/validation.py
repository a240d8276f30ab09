"""Play demonstrations in another process: if the emulator crashes or hangs, that is a refusal, too.

A hostile start state can do both.

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
"""So long the emulator may take from sign to sign."""


@dataclass(frozen=True, slots=True)
class Validated:
    """The result of playing a file.

    Attributes:
        steps: How often something is pressed in it.
        refusal: How it goes another way, "" where it went as it was recorded.
        unchecked: What of it could be compared with nothing.
    """

    path: Path
    steps: int
    refusal: str = ""
    unchecked: tuple[str, ...] = ()


def validate(paths: Sequence[Path], config: RunConfig) -> Iterator[Validated]:
    """Play files in another process; yield the result of each, in order. `config` names the ROM."""
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
                while refusal is None:  # till then it only says that it continues
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
