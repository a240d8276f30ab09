"""List the battle formats that are known, and find one by its name."""

from dataclasses import dataclass
from typing import Literal

from engine.errors import ConfigurationError
from engine.quoting import one_line


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the simulator.

    Attributes:
        id: Its name there.
        gimmick: What a Pokémon may do once in a battle: change its type, or evolve.
    """

    id: str
    gimmick: Literal["tera", "mega"] = "tera"


FORMATS = (
    Format("gen9vgc2023regc"),
    Format("gen9vgc2023regd"),
    Format("gen9vgc2024regg"),
    Format("gen9vgc2025regi"),
    Format("gen9championsvgc2026regma", "mega"),
    Format("gen9championsvgc2026regmb", "mega"),
)
DEFAULT_FORMAT = FORMATS[0]


def find_format(name: str) -> Format:
    """Return the format of a name as the simulator or its server writes it.

    "gen9vgc2023regc", "gen9vgc2023regulationc" and "[Gen 9] VGC 2023 Reg C" are one.

    Raises:
        ConfigurationError: There is none.
    """
    wanted = "".join(sign for sign in name.lower() if sign.isalnum()).replace("regulation", "reg")
    for known in FORMATS:
        if known.id == wanted:
            return known
    names = ", ".join(known.id for known in FORMATS)
    raise ConfigurationError(
        f"There is no battle format {one_line(name, 60)!r}.", f"Use one of {names}."
    )
