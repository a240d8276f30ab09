"""Use a core as any game would, in a process where it may crash or hang.

`python -m engine.emulator.core_trial FILE` prints what is wrong with it as JSON, {} for nothing.
"""

import json
import os
import resource
import sys
from pathlib import Path

from engine.emulator.core import Core
from engine.emulator.libretro import can_set_countdown
from engine.errors import EnvironmentError


def main() -> None:
    """Try the file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the core prints
    said = {}
    try:
        can_set_countdown(Core(Path(sys.argv[1])))
    except EnvironmentError as error:
        said = {"message": error.message, "hint": error.hint}
    print(json.dumps(said), file=answer, flush=True)


if __name__ == "__main__":
    main()
