"""Turn roms/practice/creatures.py into tables of Emerald's layout."""

import charset

from .emit import braces, defines, letters, numbers, rows, source
from .sources import act_one, creatures

TYPE_IDS: dict[str, int] = {
    "NORMAL": 0, "FLYING": 2, "GROUND": 4, "ROCK": 5, "BUG": 6, "GHOST": 7, "FIRE": 10,
    "WATER": 11, "GRASS": 12, "ELECTRIC": 13,
}  # fmt: skip
"""Emerald's ids; the names are creatures.Type's."""
TYPE_COUNT = 18

ITEM_IDS: dict[str, int] = {
    "ball": 4, "potion": 13, "antidote": 14, "wake_bell": 17, "loosener": 18,
}  # fmt: skip
"""Emerald's ids of the items that the first act has."""
ITEM_TEXTS: dict[str, str] = {
    "ball": "A glowing ball that\ncatches creatures.",
    "potion": "Restores 20 HP of\none creature.",
    "antidote": "Cures a creature\nof poison.",
    "wake_bell": "Wakes a creature\nfrom its sleep.",
    "loosener": "Frees a creature\nfrom paralysis.",
}
POTION_POINTS = 20
POCKET_ITEMS, POCKET_BALLS = 1, 2

TRAINERS: tuple[str, ...] = ("leader", "gym_1", "gym_2", "route_1", "rival")
"""Of creatures.TRAINERS, in the order of the numbers from 1; the rival comes once a starter."""
PICTURES: dict[str, str] = {
    "leader": "greta", "gym_1": "moe", "gym_2": "ida", "route_1": "po", "rival": "wren",
}  # fmt: skip
"""Trainer -> picture; numbers are positions."""
CLASS_NAMES: dict[int, str] = {1: "LEADER", 2: "PUPIL", 3: "RAMBLER", 9: "RIVAL"}
STARTERS = ("cindle", "rillet", "sprigot")

EVOLUTIONS: dict[str, tuple[str, int]] = {"grubbud": ("mothlet", 7), "pebblit": ("boulderam", 12)}
"""New in this game: species -> what it becomes at which level."""

GROWTH_CUBIC, EGGS_NONE, EVEN_GENDER, FRIENDSHIP = 0, 15, 127, 70
TARGET_FOE, TARGET_USER = 0, 16


def move_number(key: str) -> int:
    """Return a move's number, from 1."""
    return list(creatures.MOVES).index(key) + 1


def species_number(key: str) -> int:
    """Return a species' number, from 1."""
    return list(creatures.SPECIES).index(key) + 1


def trainer_keys() -> list[tuple[str, str]]:
    """Return (name for C, key in creatures.TRAINERS) of every trainer, from number 1."""
    keys = [(key, key) for key in TRAINERS if key != "rival"]
    return keys + [(f"rival_{number}", "rival") for number in (1, 2, 3)]


def trainer_number(key: str) -> int:
    """Return a trainer's number, of the rival the first of three."""
    return [key for _, key in trainer_keys()].index(key) + 1


def ids() -> str:
    """Return creatures.h."""
    effects = [(f"EFFECT_{one.name}", one.value) for one in creatures.Effect]
    counts = (
        ("SPECIES_COUNT", len(creatures.SPECIES)),
        ("MOVE_COUNT", len(creatures.MOVES)),
        ("ITEM_COUNT", max(ITEM_IDS.values()) + 1),
        ("TYPE_COUNT", TYPE_COUNT),
        ("MOVE_LAST_RESORT", move_number(creatures.LAST_RESORT)),
    )
    named = (
        ("SPECIES", list(creatures.SPECIES), species_number),
        ("MOVE", list(creatures.MOVES), move_number),
        ("ITEM", list(ITEM_IDS), ITEM_IDS.__getitem__),
        ("TYPE", list(TYPE_IDS), TYPE_IDS.__getitem__),
    )
    lines = "".join(
        defines((f"{prefix}_{key.upper()}", number(key)) for key in keys)
        for prefix, keys, number in named
    )
    macros = lines + defines(effects) + defines(counts)
    return f"#ifndef CREATURES_H\n#define CREATURES_H\n{macros}#endif\n"


def trainer_ids() -> list[tuple[str, int]]:
    """Return the macros of trainers, pools and shops."""
    pairs = [(f"TRAINER_{name.upper()}", i) for i, (name, _) in enumerate(trainer_keys(), 1)]
    pairs += [("TRAINER_RIVAL", trainer_number("rival")), ("TRAINER_COUNT", len(pairs) + 1)]
    pairs += [(f"POOL_{key.upper()}", i) for i, key in enumerate(pool_keys())]
    pairs += [(f"SHOP_{key.upper()}", i) for i, key in enumerate(creatures.SHOPS)]
    return pairs


def pool_keys() -> list[str]:
    """Return the wild pools of the first act, in the order of their numbers."""
    return list(dict.fromkeys(one.pool for one in act_one.MAPS.values() if one.pool))


def _species_row(kind: creatures.Species) -> str:
    types = [TYPE_IDS[one.name] for one in (kind.types[0], kind.types[-1])]
    stats = (
        kind.hp, kind.attack, kind.defense, kind.speed, kind.special_attack, kind.special_defense,
    )  # fmt: skip
    effort = 1 << 2 * stats.index(max(stats))
    return braces(
        (
            *stats, braces(types), kind.catch_rate, kind.base_exp, f"0x{effort:03X}", 0, 0,
            EVEN_GENDER, 20, FRIENDSHIP, GROWTH_CUBIC, braces((EGGS_NONE, EGGS_NONE)), "{0, 0}",
            0, 0, "{0, 0}",
        )
    )  # fmt: skip


def _move_row(move: creatures.Move) -> str:
    on_user = move.effect in (creatures.Effect.ATTACK_UP, creatures.Effect.DEFENSE_UP)
    chance = move.chance if move.power and move.effect is not creatures.Effect.NONE else 0
    first = int(move.effect is creatures.Effect.FIRST)
    row = (int(move.effect), move.power, TYPE_IDS[move.type.name], move.accuracy, move.points)
    return braces((*row, chance, TARGET_USER if on_user else TARGET_FOE, first, 0, "{0, 0, 0}"))


def _items() -> str:
    by_id = {number: key for key, number in ITEM_IDS.items()}
    texts, table = [], []
    for number in range(max(by_id) + 1):
        key = by_id.get(number)
        item = creatures.ITEMS[key] if key else None
        text = charset.encode(ITEM_TEXTS[key] if key else "?")
        texts.append(f"static const u8 item_text_{number}[] = {braces(text)};\n")
        name = letters(charset.encode(item.name if item else "????????"), 14)
        is_ball = item is not None and item.pocket is creatures.Pocket.BALL
        table.append(
            braces(
                (
                    name, number, item.price if item else 0, 0,
                    POTION_POINTS if key == "potion" else 0, f"item_text_{number}", 0, 0,
                    POCKET_BALLS if is_ball else POCKET_ITEMS, 0, 0, 2 if is_ball else 1,
                    "{0, 0, 0}", 0, number - 1 if is_ball else 0, "{0, 0, 0}",
                )
            )
        )  # fmt: skip
    return "".join(texts) + rows("const struct ItemInfo gItems[]", table)


def _team(trainer: creatures.Trainer, starter: int) -> list[tuple[str, int]]:
    """Return a team; the rival's starter is strong against the player's."""
    answer = STARTERS[starter % 3]
    return [(answer if key == creatures.RIVAL_STARTER else key, lv) for key, lv in trainer.team]


def _trainers() -> str:
    teams, table, rewards = [], ["{0}"], [0]
    for number, (name, key) in enumerate(trainer_keys(), 1):
        trainer = creatures.TRAINERS[key]
        team = _team(trainer, int(name[-1]) if key == "rival" else 0)
        iv = 50 if key == "leader" else 0
        mons = (braces((iv, level, 0, species_number(kind), 0)) for kind, level in team)
        teams.append(rows(f"static const struct TrainerMon team_{number}[]", mons))
        own_name = trainer.name.removeprefix(CLASS_NAMES[trainer.trainer_class] + " ")
        table.append(
            braces(
                (
                    0, trainer.trainer_class, 0, list(PICTURES).index(key),
                    letters(charset.encode(own_name), 12), "{0, 0, 0, 0}", 0, "{0, 0, 0}", 0,
                    len(team), "{0, 0, 0}", f"team_{number}",
                )
            )
        )  # fmt: skip
        rewards.append(trainer.reward * team[-1][1])
    classes = [CLASS_NAMES.get(number, "") for number in range(max(CLASS_NAMES) + 1)]
    return "".join(
        (
            *teams,
            rows("const struct TrainerInfo gTrainers[]", table),
            numbers("const u16 trainer_rewards[]", rewards),
            rows(
                "const u8 gTrainerClassNames[][13]",
                (letters(charset.encode(name), 13) for name in classes),
            ),
        )
    )


def _lists() -> str:
    """Return learnsets, evolutions and shops."""
    parts = []
    for key, kind in creatures.SPECIES.items():
        moves = [braces((level, move_number(move))) for level, move in kind.learnset] + ["{0, 0}"]
        parts.append(rows(f"static const struct LevelMove learnset_{key}[]", moves))
    pointers = ["0", *(f"learnset_{key}" for key in creatures.SPECIES)]
    parts.append(rows("const struct LevelMove *const learnsets[]", pointers))
    becomes = [EVOLUTIONS.get(key) for key in creatures.SPECIES]
    evolutions = (braces((species_number(e[0]), e[1]) if e else (0, 0)) for e in (None, *becomes))
    parts.append(rows("const struct Evolution evolutions[]", evolutions))
    for key, goods in creatures.SHOPS.items():
        stock = [*(ITEM_IDS[item] for item in goods), 0]
        parts.append(numbers(f"static const u16 shop_{key}[]", stock))
    parts.append(rows("const u16 *const shops[]", (f"shop_{key}" for key in creatures.SHOPS)))
    return "".join(parts)


def c_source() -> str:
    """Return creatures.c."""
    names = ["??????????", *(kind.name for kind in creatures.SPECIES.values())]
    moves = ["-", *(move.name for move in creatures.MOVES.values())]
    types = {TYPE_IDS[kind.name]: name for kind, name in creatures.TYPE_NAMES.items()}
    chart = [
        value
        for (attack, target), tenths in creatures.TYPE_CHART.items()
        for value in (TYPE_IDS[attack.name], TYPE_IDS[target.name], tenths)
    ]
    return source(
        rows("const u8 gSpeciesNames[][11]", (letters(charset.encode(n), 11) for n in names)),
        rows("const u8 gMoveNames[][13]", (letters(charset.encode(n), 13) for n in moves)),
        rows(
            "const struct SpeciesInfo gSpeciesInfo[]",
            ["{0}", *map(_species_row, creatures.SPECIES.values())],
        ),
        rows(
            "const struct MoveInfo gBattleMoves[]",
            ["{0}", *map(_move_row, creatures.MOVES.values())],
        ),
        _items(),
        _trainers(),
        numbers("const u8 gTypeEffectiveness[]", [*chart, 0xFF, 0xFF, 0]),
        rows(
            "const u8 gTypeNames[][7]",
            (letters(charset.encode(types.get(n, "???")), 7) for n in range(TYPE_COUNT)),
        ),
        _lists(),
    )
