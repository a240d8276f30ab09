"""Read the parts of a protocol line, and name what it names as players do."""

from types import MappingProxyType

SIDES = ("p1", "p2")
STATS = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")
_WEATHERS = MappingProxyType(
    {
        "RainDance": "Rain",
        "SunnyDay": "Sun",
        "Snowscape": "Snow",
        "PrimordialSea": "Heavy rain",
        "DesolateLand": "Harsh sunshine",
        "DeltaStream": "Strong winds",
    }
)


def side_number(ident: str) -> int | None:
    """Return 0 or 1 for what begins with p1 or p2, None for all else."""
    return SIDES.index(ident[:2]) if ident[:2] in SIDES else None


def effect_name(text: str) -> str:
    """Return an effect without its kind: "move: Tailwind" is "Tailwind"."""
    return text.partition(": ")[2] if text.startswith(("move: ", "ability: ", "item: ")) else text


def split_line(line: str) -> tuple[str, list[str], dict[str, str]]:
    """Return a line's kind, its arguments, and those in brackets by name."""
    _, kind, *parts = line.split("|") if line.startswith("|") else ["", "", line]
    arguments, named = [], {}
    for part in parts:
        if part.startswith("[") and "]" in part:
            name, _, value = part[1:].partition("]")
            named[name] = value.strip()
        else:
            arguments.append(part)
    return kind, arguments, named


def weather_name(name: str) -> str:
    """Return a weather in players' words."""
    return _WEATHERS.get(name, name)


def spoken_effect(what: str) -> str:
    """Return an effect as players call it: "quarkdriveatk" is "Quark Drive (Atk)"."""
    for start, name in (("quarkdrive", "Quark Drive"), ("protosynthesis", "Protosynthesis")):
        stat = what.removeprefix(start)
        if stat in STATS and what != stat:
            return f"{name} ({stat.capitalize()})"
    if what.startswith("perish"):
        return f"Perish ({what.removeprefix('perish')})"
    return what[:1].upper() + what[1:]


def spaced(name: str) -> str:
    """Put the spaces back that packing takes out: "FakeOut" is "Fake Out"."""
    text = "".join(
        f" {char}" if at and char.isupper() and name[at - 1].isalnum() else char
        for at, char in enumerate(name)
    )
    return text[:1].upper() + text[1:]
