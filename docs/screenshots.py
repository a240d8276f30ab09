"""Make the README's pictures from the real game and the real application.

    python docs/screenshots.py

takes about two minutes and writes docs/images/.
"""

import asyncio
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path[:0] = [str(ROOT), str(ROOT / "roms" / "practice")]

GAME_PICTURES = {
    "01_title": "title",
    "06_fernwick": "town",
    "08_starter": "lab",
    "10_millbrook_path": "route",
    "13_moves": "battle",
    "25_seen": "gym",
}
SIZE = (200, 60)
MAX_WAIT_S = 120


def picture_game() -> None:
    """Play the practice game and keep one picture of each kind."""
    import shots

    with tempfile.TemporaryDirectory() as folder:
        shots.take((ROOT / "roms" / "practice.gbc").read_bytes(), Path(folder))
        for source, name in GAME_PICTURES.items():
            shutil.copy(Path(folder) / f"{source}.png", IMAGES / f"{name}.png")


async def picture_cockpit(save_dir: str) -> None:
    """Train for a while and picture the application during a battle."""
    from engine.config import RunConfig
    from engine.session import EngineSession
    from pokeTUI.app import CockpitApp

    config = RunConfig(save_dir=save_dir)
    cockpit = CockpitApp(EngineSession(config), config)
    async with cockpit.run_test(size=SIZE) as pilot:
        for second in range(MAX_WAIT_S):
            await pilot.pause(1.0)
            if second > MAX_WAIT_S // 2 and _is_in_battle(cockpit):
                break
        svg = cockpit.export_screenshot(title="poketui run")
        await pilot.press("q")
        await pilot.pause(10.0)
    # The web font's addresses: a picture must not fetch anything.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", "monospace")
    (IMAGES / "cockpit.svg").write_text(svg, encoding="utf-8")


def _is_in_battle(cockpit: object) -> bool:
    game = cockpit.dashboard.game  # type: ignore[attr-defined]
    battle = game.state.battle if game is not None else None
    return battle is not None and battle.enemy is not None and battle.own is not None


def main() -> None:
    """Write every picture."""
    os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    IMAGES.mkdir(parents=True, exist_ok=True)
    picture_game()
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(picture_cockpit(folder))


if __name__ == "__main__":
    main()
