"""Let `python -m pokeTUI` be the command `poketui`."""

from pokeTUI.cli.main import main

if __name__ == "__main__":
    main()
