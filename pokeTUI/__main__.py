"""Let `python -m pokeTUI` be the command `poketui`."""

import os
import sys

if __name__ == "__main__":
    # Python has put the current folder first, and a numpy.py that lies there is not ours to run.
    home = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120 (pathlib.py may lie there)
    if not sys.flags.safe_path and sys.path[0] != home:
        del sys.path[0]

    from pokeTUI.cli.main import main

    main()
