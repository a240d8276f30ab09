"""Check the art and write a contact sheet of it: `python roms/practice/art/preview.py OUT.png`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from art import creatures, font, palettes, people, tiles, title
from art.check import check
from art.sheet import Sheet


def font_sheet() -> Sheet:
    """Draw all letters by code, 16 a row, and a sample text box."""
    sheet = Sheet(160, 150, palettes.PAPER)
    for code, tile in sorted({**font.FONT, **font.BATTLE_TILES}.items()):
        palette = palettes.UI if code >= 0x6E else palettes.BATTLE[palettes.HP_HIGH]
        sheet.draw(code % 16 * 9, (code // 16 - 5) * 9, tile, palette)
    text_box(sheet, 0, 102, ("Mum: Good morning,", "Café O×3 it's 7/9"))
    return sheet


def text_box(sheet: Sheet, x: int, y: int, lines: tuple[str, str]) -> None:
    """Draw the 20x6 text box with two lines of text and its waiting arrow."""
    codes = [[0x79] + [0x7A] * 18 + [0x7B]]
    codes += [[0x7C] + [0x7F] * 18 + [0x7C] for _ in range(4)]
    codes += [[0x7D] + [0x7A] * 17 + [0xEE, 0x7E]]
    for line, row in zip(lines, (2, 4), strict=True):
        codes[row][1 : 1 + len(line)] = [encode(char) for char in line][:18]
    for ty, row_codes in enumerate(codes):
        for tx, code in enumerate(row_codes):
            sheet.draw(x + tx * 8, y + ty * 8, font.FONT[code], palettes.UI)


def encode(char: str) -> int:
    """Turn a character into its code (charmap.csv)."""
    runs = (("A", "Z", 0x80), ("a", "z", 0xA0), ("0", "9", 0xF6))
    for first, last, code in runs:
        if first <= char <= last:
            return code + ord(char) - ord(first)
    marks = "' -?!.&é→▷▶▼♂¥×·/,♀:"
    codes: tuple[int, ...] = (
        0xE0,
        0x7F,
        0xE3,
        0xE6,
        0xE7,
        0xE8,
        0xE9,
        0xEA,
        0xEB,
        0xEC,
        0xED,
        0xEE,
        0xEF,
    )
    codes += (0xF0, 0xF1, 0x74, 0xF3, 0xF4, 0xF5, 0x9C)
    return dict(zip(marks, codes, strict=True))[char]


TOWN = (
    "TTTTTTTTTT",
    "TGRRRRGBBB",
    "TGRRRRGBBB",
    "T.UOXUfUOS",
    "T.rppppppp",
    "f.ppH~~~pY",
    "gggpy~~~~.",
    "gggLLLK~~b",
    "OYFFpFF.sT",
)
LEGEND = {
    "T": "tree", "G": "grass", ".": "grass", "R": "roof_red", "B": "roof_blue", "U": "window",
    "O": "door", "X": "wall_heal", "S": "wall_shop", "f": "flower", "p": "path", "~": "water",
    "g": "tall_grass", "L": "ledge", "b": "boulder", "F": "fence", "Y": "lantern", "s": "sign",
    "y": "flower_yellow", "H": "hedge", "K": "boulder", "r": "fence_down",
}  # fmt: skip

ROOM = (
    "wiwcwwawww",
    "BBCSWWTWUW",
    "..........",
    ".P.rrr..b.",
    ".hoRrr..e.",
    "..h.......",
    "ffffMMfffp",
    "wwwwwwwwww",
    "LHZnWDEFxx",
    "ttttttt!tt",
    "ttkkkkk!tp",
    "ttt#ttt#tt",
    "ggOgSgggO.",
)
ROOM_LEGEND = {
    "w": "wall_top", "W": "wall_in", "i": "window_in", "c": "clock", "a": "clock",
    "B": "bookshelf", "C": "cooker", "S": "wall_in", "T": "tv", "U": "stairs_up", "r": "rug",
    ".": "wood_floor", "P": "plant", "b": "bed_top", "e": "bed", "h": "chair", "o": "table",
    "M": "mat_exit", "f": "wood_floor", "p": "plant", "R": "rug", "L": "pc", "H": "heal_machine",
    "Z": "heal_machine", "n": "lab_machine", "D": "desk", "E": "desk_orb",
    "F": "desk_orb_open", "x": "shop_shelf", "t": "floor", "!": "counter_down", "k": "counter",
    "#": "stairs_down", "g": "gym_floor", "O": "gym_stone",
}  # fmt: skip


def scene(rows: tuple[str, ...], legend: dict[str, str], palette_set: str) -> Sheet:
    """Draw a map of cells."""
    names = tiles.dress([[legend[char] for char in row] for row in rows])
    sheet = Sheet(16 * len(names[0]), 16 * len(names))
    for y, row in enumerate(names):
        for x, name in enumerate(row):
            cell = tiles.CELLS[name]
            sheet.draw(x * 16, y * 16, cell.pixels, palettes.SETS[palette_set][cell.palette])
    return sheet


def people_sheet() -> Sheet:
    """Draw every sprite: standing and stepping, down, up, left."""
    sheet = Sheet(216, 17 * 8, palettes.GRASS)
    for number, sprite in enumerate(people.SPRITES.values()):
        x, y = number // 8 * 108, number % 8 * 17
        frames = [frame for view in people.VIEWS for frame in sprite.frames[view]]
        for step, frame in enumerate(frames):
            sheet.draw(x + step * 17, y, frame, palettes.OBJECTS[sprite.palette], True)
    return sheet


def pictures_sheet() -> Sheet:
    """Draw every battle picture, front above back."""
    pics = list(creatures.PICS.values())
    sheet = Sheet(5 * 58, -(-len(pics) // 5) * 106, palettes.PAPER)
    for number, pic in enumerate(pics):
        x, y = number % 5 * 58, number // 5 * 106
        sheet.draw(x, y, pic.front, shades(pic))
        sheet.draw(x + 4, y + 57, pic.back, shades(pic))
    return sheet


def shades(pic: creatures.Pic) -> palettes.Palette:
    """Turn a picture's palette into RGB888."""
    a, b, c, d = ((red * 8, green * 8, blue * 8) for red, green, blue in pic.palette)
    return a, b, c, d


def title_sheet() -> Sheet:
    """Draw the title screen."""
    sheet = Sheet(title.WIDTH, title.HEIGHT)
    for y in range(0, title.HEIGHT, 8):
        for x in range(0, title.WIDTH, 8):
            tile = tuple(row[x : x + 8] for row in title.TITLE.pixels[y : y + 8])
            sheet.draw(x, y, tile, title.TITLE.palettes[title.TITLE.attributes[y // 8][x // 8]])
    return sheet


def battle_sheet() -> Sheet:
    """Draw a mock battle screen."""
    sheet = Sheet(160, 144, palettes.PAPER)
    foe, ally = creatures.PICS["ghoulamp"], creatures.PICS["cindle"]
    sheet.draw(96, 0, foe.front, shades(foe))
    sheet.draw(8, 48, ally.back, shades(ally))
    text_at(sheet, 1, 0, "GHOULAMP")
    text_at(sheet, 10, 7, "CINDLE")
    text_at(sheet, 11, 9, " 21/ 24")
    for x, y, filled, palette in ((1, 2, 20, palettes.HP_MIDDLE), (10, 8, 42, palettes.HP_HIGH)):
        codes = [0x60, 0x61, *(0x62 + min(8, max(0, filled - 8 * i)) for i in range(6)), 0x6B]
        for i, code in enumerate(codes):
            sheet.draw((x + i) * 8, y * 8, font.FONT[code], palettes.BATTLE[palette])
    codes = [0x6C, 0x6D, *(0x55 + min(8, max(0, 27 - 8 * i)) for i in range(6))]
    for i, code in enumerate(codes):
        tile = {**font.FONT, **font.BATTLE_TILES}[code]
        sheet.draw((10 + i) * 8, 88, tile, palettes.BATTLE[palettes.EXPERIENCE])
    text_box(sheet, 0, 96, ("A wild GHOULAMP", "glows at you!"))
    return sheet


def text_at(sheet: Sheet, column: int, row: int, text: str) -> None:
    """Print text at a tile position."""
    for number, char in enumerate(text):
        sheet.draw((column + number) * 8, row * 8, font.FONT[encode(char)], palettes.UI)


def contact_sheet(panels: list[Sheet], height: int = 560) -> Sheet:
    """Arrange panels in columns no higher than a number of pixels."""
    places: list[tuple[int, int, Sheet]] = []
    x = y = widest = bottom = 0
    for panel in panels:
        if y and y + panel.height > height:
            x, y, widest = x + widest + 4, 0, 0
        places.append((x, y, panel))
        y += panel.height + 4
        widest, bottom = max(widest, panel.width), max(bottom, y)
    whole = Sheet(x + widest, bottom)
    for left, top, panel in places:
        whole.place(left, top, panel)
    return whole


def main() -> None:
    """Write the contact sheet; with a folder as second argument also every panel, enlarged."""
    print("\n".join(check()))
    panels = {
        "title": title_sheet(),
        "town": scene(TOWN, LEGEND, "outdoor"),
        "battle": battle_sheet(),
        "room": scene(ROOM, ROOM_LEGEND, "indoor"),
        "people": people_sheet(),
        "font": font_sheet(),
        "pictures": pictures_sheet(),
    }
    contact_sheet(list(panels.values())).write(Path(sys.argv[1]), 2)
    for name, panel in panels.items():
        if len(sys.argv) > 2:
            panel.write(Path(sys.argv[2]) / f"{name}.png")


if __name__ == "__main__":
    main()
