"""Play demonstrations in another process: a crash of the emulator is a refusal, too.

`python -m engine.demos.validation` reads the settings and then names of files from its input, one
JSON text a line, and answers each file with one.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from engine.config import RunConfig, parse_config
from engine.demos.demonstration import read_demo
from engine.demos.playback import DemoPlayer
from engine.errors import PokeTUIError


@dataclass(frozen=True, slots=True)
class Validated:
    """What came of playing a file: `refusal` is "" where it went as it was recorded."""

    path: Path
    steps: int
    refusal: str = ""


def validate(paths: Sequence[Path], config: RunConfig) -> Iterator[Validated]:
    """Play files in another process; yield what came of each, in their order."""
    waiting = list(paths)
    while waiting:
        for found in _play_there(tuple(waiting), config):
            waiting.pop(0)
            yield found
        if waiting:
            crashed = waiting.pop(0)
            yield Validated(
                crashed, 0, f"{crashed} made the emulator crash. Delete it, or record it anew."
            )


def _play_there(paths: Sequence[Path], config: RunConfig) -> Iterator[Validated]:
    command = [sys.executable, "-m", "engine.demos.validation"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            print(config.model_dump_json(), file=process.stdin, flush=True)
            for path in paths:
                print(json.dumps(str(path.absolute())), file=process.stdin, flush=True)
                line = process.stdout.readline()
                if not line:
                    return
                steps, refusal = json.loads(line)
                yield Validated(path, int(steps), str(refusal))
        except BrokenPipeError:
            return
        finally:
            process.kill()


def main() -> None:
    """Answer until the input ends."""
    config = parse_config(json.loads(sys.stdin.readline()), "the settings")
    with closing(DemoPlayer(config, renders=False)) as player:
        for line in sys.stdin:
            print(json.dumps(_try(Path(json.loads(line)), player)), flush=True)


def _try(path: Path, player: DemoPlayer) -> tuple[int, str]:
    try:
        demo = read_demo(path)
        for _ in player.play(demo):
            pass
    except PokeTUIError as error:
        text = str(error)
        return 0, text if str(path) in text else f"{path}: {text}"
    return demo.episode_length, ""


if __name__ == "__main__":
    main()
