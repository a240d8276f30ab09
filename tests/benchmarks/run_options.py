"""Options of benchmarks that train runs."""

import argparse
from typing import Any

from engine.games.bundled import FIRST, IMAGES
from pokeTUI.cli.options import given, parse_settings


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of seeds, of the game, of the folder for runs and of settings."""
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--game", choices=IMAGES, help=f"practice game; default: {FIRST}")
    parser.add_argument("--save-dir", help="folder for saved runs")
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help="any setting")


def overrides_of(args: argparse.Namespace) -> dict[str, Any]:
    """Return the settings that were given, by dotted key."""
    return parse_settings(args.set) | given(save_dir=args.save_dir, rom_path=args.game)


def seeds_of(args: argparse.Namespace) -> range:
    """Return the seeds that were given."""
    return range(args.first_seed, args.first_seed + args.seeds)
