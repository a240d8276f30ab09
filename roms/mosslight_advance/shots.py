"""Take pictures of every screen of MOSSLIGHT ADVANCE: `python roms/mosslight_advance/shots.py DIR`.

Plays the built image from power-on to the gatehouse with the RAM-driven player of
tests/roms/advance, so it needs the project's environment and the emulator core.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

from data.art.canvas import Canvas, write_png  # noqa: E402

from tests.roms.advance.machine import Machine  # noqa: E402
from tests.roms.advance.player import STARTER_COLUMNS, Player  # noqa: E402

SETTLING_FRAMES = 40
MOST_ACTIONS = 400
STARTER = 2


class Album:
    """Plays on and keeps pictures.

    Args:
        folder: Takes the pictures, numbered in their order.
        scale: Pixels of a picture's file to one of the screen.
    """

    def __init__(self, folder: Path, scale: int) -> None:
        self.game = Machine(seed=7)
        self.player = Player(self.game)
        self._folder, self._scale, self._taken = folder, scale, 0
        folder.mkdir(parents=True, exist_ok=True)

    def shot(self, name: str, frames: int = SETTLING_FRAMES) -> None:
        """Wait, then keep a picture."""
        self.game.tick(frames)
        picture = self.game.frame()
        canvas = Canvas(picture.shape[1], picture.shape[0])
        for y, row in enumerate(picture.tolist()):
            canvas.rows[y] = [
                red >> 3 | green >> 3 << 5 | blue >> 3 << 10 for red, green, blue in row
            ]
        self._taken += 1
        write_png(canvas, self._folder / f"{self._taken:02}_{name}.png", self._scale)

    def keys(self, *names: str) -> None:
        """Tap buttons; "" waits."""
        for name in names:
            self.game.act(name, hold=4)

    def until(self, doing: str) -> None:
        """Play on with A until a screen, a battle's menu or a field's task is there."""
        game = self.game

        def is_there() -> bool:
            controlled = game.function("gBattlerControllerFuncs")
            return doing in (game.mode, controlled, *game.tasks)

        self.player.wait_for(is_there)

    # ---- the parts of a game -------------------------------------------------------------------

    def beginning(self) -> None:
        """From power-on to the bedroom."""
        self.shot("title", 120)
        self.keys("start", "", "")
        self.shot("main_menu")
        self.keys("a", "", "")
        self.shot("introduction", 100)
        self.until("CB2_NamingScreen")
        self.shot("naming")
        self.player.start_game()
        self.shot("bedroom")

    def home_town(self) -> None:
        """From the bedroom to the first creature."""
        self.player.travel("HOME 1F")
        self.player.walk_to((3, 4))
        self.player.face("left")
        self.keys("a", "", "", "")
        self.shot("mother")
        self.player.travel("FERNWICK")
        for number, cell in enumerate(((11, 7), (11, 12), (5, 8), (15, 8)), 1):
            self.player.walk_to(cell)
            self.shot(f"fernwick_{number}")
        self.player.travel("WREN HOUSE")
        self.shot("wrens_house")
        self.player.travel("LAB")
        self.shot("laboratory")
        self.player.open_starters()
        self.shot("starters")
        self.player.point_at_starter(STARTER_COLUMNS[STARTER])
        self.keys("a")
        self.until("Task_HandleConfirmStarterInput")
        self.shot("starter")
        self.player.confirm_starter()
        self.player.talk_at((5, 4), "up")
        self.until("Task_HandleMultichoiceInput")
        self.shot("gift")
        self.player.take_gift(1)

    def wild_battle(self) -> None:
        """In the tall grass, until something comes; the battle's stages."""
        self.player.travel("MILLBROOK PATH")
        for number, cell in enumerate(((9, 19), (9, 11), (14, 8)), 1):
            self.player.walk_to(cell)
            self.shot(f"millbrook_path_{number}")
        for turn in range(MOST_ACTIONS):
            if self.game.mode == "CB2_InitBattle" or self.game.in_battle:
                break
            self.game.act(("left", "right")[turn & 1], hold=16)
        self.shot("wild_appears", 150)
        self.until("HandleInputChooseAction")
        self.shot("battle_menu")
        self.keys("a", "")
        self.shot("battle_moves")
        self.keys("a", "", "", "")
        self.shot("battle_text")
        self.player.settle()

    def menus(self) -> None:
        """Everything behind START."""
        self.keys("start", "")
        self.shot("start_menu")
        self.keys("a", "", "")
        self.shot("party")
        self.keys("a", "")
        self.shot("party_menu")
        self.keys("a", "", "")
        self.shot("summary")
        self.player.settle()
        self.keys("start", "", "down", "a", "", "")
        self.shot("bag")
        self.keys("right", "")
        self.shot("bag_balls")
        self.player.settle()
        for name, downs in (("third_entry", 2), ("fourth_entry", 3), ("fifth_entry", 4)):
            self.keys("start", "", *["down"] * downs, "a", "", "")
            self.shot(name)
            self.player.settle()

    def second_town(self) -> None:
        """Stonehollow's houses, the gym, the leader."""
        self.player.travel("STONEHOLLOW")
        for number, cell in enumerate(((9, 8), (14, 6), (6, 14), (5, 6)), 1):
            self.player.walk_to(cell)
            self.shot(f"stonehollow_{number}")
        self.player.travel("SHOP")
        self.shot("shop_room")
        self.player.walk_to((3, 3))
        self.player.face("left")
        self.until("CB2_BuyMenu")
        self.shot("shop")
        self.player.settle()
        self.player.travel("MASON HOUSE")
        self.shot("masons_house")
        self.player.travel("CENTER")
        self.player.walk_to((4, 4))
        self.shot("rest_house")
        self.player.heal()
        self.player.travel("GYM")
        self.shot("gym")
        self.player.walk_to((4, 10))
        self.game.act("up", frames=40)
        self.shot("seen", 20)
        self.until("HandleInputChooseAction")
        self.shot("trainer_battle")
        self.until("HandleInputChooseTarget")
        self.shot("target")
        while self.game.mode != "CB2_EvolutionSceneUpdate":
            self.player.battle_action()
        self.shot("evolution", 150)
        self.player.win_badge()

    def gatehouse(self) -> None:
        """Before its door, under the gallery and over it, to the keeper."""
        self.player.travel("STONEHOLLOW")
        self.player.walk_to((10, 2))
        self.shot("gate")
        self.player.travel("GATEHOUSE")
        for number, cell in enumerate(((4, 6), (4, 5), (4, 3), (9, 4), (4, 5)), 1):
            self.player.walk_to(cell)
            self.shot(f"gatehouse_{number}")
        self.player.talk_at((4, 5), "left")
        self.shot("keeper", 150)


def take(folder: Path, scale: int = 2) -> None:
    """Play from power-on to the gatehouse and write a picture of every kind of screen."""
    album = Album(folder, scale)
    album.beginning()
    album.home_town()
    album.wild_battle()
    album.menus()
    album.second_town()
    album.gatehouse()
    album.game.close()


def main() -> None:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description="Take pictures of MOSSLIGHT ADVANCE.")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("--scale", type=int, default=2, help="enlargement")
    options = parser.parse_args()
    take(options.folder, options.scale)


if __name__ == "__main__":
    main()
