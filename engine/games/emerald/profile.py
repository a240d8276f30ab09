"""Say what is an image's own among the games that keep their state as Pokémon Emerald does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Self

from engine.games.facts import read_rows


@dataclass(frozen=True)
class Profile:
    """An image, and where its code and tables lie.

    The RAM addresses are the same for all (`engine.games.emerald.symbols`); code and tables lie
    elsewhere in every image, so that a reader takes them from here.

    Attributes:
        sha1: Of the whole image, lower-case hexadecimal.
        name: For people.
        title: From the header, at most 12 characters.
        code: From the header, 4 characters: "BPEE".
        rom: Label -> address, of code without the thumb bit, of tables, and of the RAM that this
            image alone uses; an image need not have them all.
        sizes: Label -> length in bytes, of those whose length is known.
        words: Menu -> its entries in order, of menus whose entries RAM does not tell.
    """

    sha1: str
    name: str
    title: str
    code: str
    rom: Mapping[str, int] = field(hash=False)
    sizes: Mapping[str, int] = field(default_factory=dict, hash=False)
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @classmethod
    @cache
    def read(cls, folder: Path) -> Self:
        """Read a folder's tables.

        They are game.csv (name, sha1, title, code), rom_symbols.csv (name, address, size) and
        words.csv (menu, place, text; by menu and place).
        """
        (game,) = read_rows(folder, "game")
        rows = read_rows(folder, "rom_symbols")
        words: dict[str, tuple[str, ...]] = {}
        for row in read_rows(folder, "words"):
            words[row["menu"]] = (*words.get(row["menu"], ()), row["text"])
        return cls(
            sha1=game["sha1"],
            name=game["name"],
            title=game["title"],
            code=game["code"],
            rom=MappingProxyType({row["name"]: int(row["address"], 16) for row in rows}),
            words=MappingProxyType(words),
            sizes=MappingProxyType(
                {row["name"]: int(row["size"]) for row in rows if row.get("size")}
            ),
        )

    def function(self, name: str) -> int:
        """Return a function's address as pointers to it hold it, with the thumb bit.

        It is 1, which no pointer holds, where the image has no such function.
        """
        return self.rom.get(name, 0) | 1
