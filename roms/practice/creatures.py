"""Define the practice game's types, moves, species, items, trainers and wild pools.

Everything here is original except three kinds of documented facts that keep the game's work RAM
readable with Pokémon Crystal's meanings: type ids, the ids of the items that exist in both games,
and the generation II formulas these numbers feed (stats from base and DV, n^3 experience).
`c_header` and `c_tables` turn the tables into the C sources that the build compiles.
"""

from dataclasses import dataclass
from enum import IntEnum

NAME_LENGTH = 10
"""Letters of a species, move or trainer name; C rows add the 0x50 terminator."""

ITEM_NAME_LENGTH = 12

TYPE_NAME_LENGTH = 6

MOVE_NAME_LENGTH = 9
"""The battle menu's list has room for nine letters beside the cursor."""


class Type(IntEnum):
    """Element ids as in Crystal; ids from 20 on use the special stats."""

    NORMAL = 0
    FLYING = 2
    GROUND = 4
    ROCK = 5
    BUG = 7
    GHOST = 8
    FIRE = 20
    WATER = 21
    GRASS = 22
    ELECTRIC = 23


TYPE_NAMES: dict[Type, str] = {kind: kind.name for kind in Type} | {Type.ELECTRIC: "SPARK"}


TYPE_CHART: dict[tuple[Type, Type], int] = {
    # (attack, target): tenths; pairs that are absent deal 10 tenths.
    (Type.NORMAL, Type.ROCK): 5,
    (Type.NORMAL, Type.GHOST): 0,
    (Type.FLYING, Type.ROCK): 5,
    (Type.FLYING, Type.BUG): 20,
    (Type.FLYING, Type.GRASS): 20,
    (Type.FLYING, Type.ELECTRIC): 5,
    (Type.GROUND, Type.FLYING): 0,
    (Type.GROUND, Type.ROCK): 20,
    (Type.GROUND, Type.BUG): 5,
    (Type.GROUND, Type.FIRE): 20,
    (Type.GROUND, Type.GRASS): 5,
    (Type.GROUND, Type.ELECTRIC): 20,
    (Type.ROCK, Type.FLYING): 20,
    (Type.ROCK, Type.GROUND): 5,
    (Type.ROCK, Type.BUG): 20,
    (Type.ROCK, Type.FIRE): 20,
    (Type.BUG, Type.FLYING): 5,
    (Type.BUG, Type.GHOST): 5,
    (Type.BUG, Type.FIRE): 5,
    (Type.BUG, Type.GRASS): 20,
    (Type.GHOST, Type.NORMAL): 0,
    (Type.GHOST, Type.GHOST): 20,
    (Type.FIRE, Type.ROCK): 5,
    (Type.FIRE, Type.BUG): 20,
    (Type.FIRE, Type.FIRE): 5,
    (Type.FIRE, Type.WATER): 5,
    (Type.FIRE, Type.GRASS): 20,
    (Type.WATER, Type.GROUND): 20,
    (Type.WATER, Type.ROCK): 20,
    (Type.WATER, Type.FIRE): 20,
    (Type.WATER, Type.WATER): 5,
    (Type.WATER, Type.GRASS): 5,
    (Type.GRASS, Type.FLYING): 5,
    (Type.GRASS, Type.GROUND): 20,
    (Type.GRASS, Type.ROCK): 20,
    (Type.GRASS, Type.BUG): 5,
    (Type.GRASS, Type.FIRE): 5,
    (Type.GRASS, Type.WATER): 20,
    (Type.GRASS, Type.GRASS): 5,
    (Type.ELECTRIC, Type.FLYING): 20,
    (Type.ELECTRIC, Type.GROUND): 0,
    (Type.ELECTRIC, Type.WATER): 20,
    (Type.ELECTRIC, Type.GRASS): 5,
    (Type.ELECTRIC, Type.ELECTRIC): 5,
}


class Effect(IntEnum):
    """What a move does beside its damage; the C code switches on these."""

    NONE = 0
    ATTACK_DOWN = 1
    DEFENSE_DOWN = 2
    ATTACK_UP = 3
    DEFENSE_UP = 4
    POISON = 5
    PARALYZE = 6
    SLEEP = 7
    DRAIN = 8
    HIGH_CRIT = 9
    FIRST = 10
    RECOIL = 11


@dataclass(frozen=True, slots=True)
class Move:
    """A move.

    Attributes:
        name: Display name.
        type: Element.
        power: 0 for a move that only has an effect.
        accuracy: Percent.
        points: Uses until rest.
        effect: What it does beside damage.
        chance: Percent that the effect of a damaging move happens.
    """

    name: str
    type: Type
    power: int
    accuracy: int
    points: int
    effect: Effect = Effect.NONE
    chance: int = 100


MOVES: dict[str, Move] = {
    # Ids are positions, from 1.
    "bump": Move("BUMP", Type.NORMAL, 35, 95, 35),
    "rake": Move("RAKE", Type.NORMAL, 40, 100, 35),
    "yowl": Move("YOWL", Type.NORMAL, 0, 100, 40, Effect.ATTACK_DOWN),
    "unnerve": Move("UNNERVE", Type.NORMAL, 0, 100, 30, Effect.DEFENSE_DOWN),
    "brace": Move("BRACE", Type.NORMAL, 0, 100, 30, Effect.DEFENSE_UP),
    "wind_up": Move("WIND UP", Type.NORMAL, 0, 100, 30, Effect.ATTACK_UP),
    "quickstep": Move("QUICKSTEP", Type.NORMAL, 35, 100, 30, Effect.FIRST),
    "headlong": Move("HEADLONG", Type.NORMAL, 60, 85, 20, Effect.RECOIL),
    "kindle": Move("KINDLE", Type.FIRE, 40, 100, 25),
    "flare": Move("FLARE", Type.FIRE, 60, 95, 15),
    "douse": Move("DOUSE", Type.WATER, 40, 100, 25),
    "surge": Move("SURGE", Type.WATER, 60, 95, 15),
    "leafcut": Move("LEAFCUT", Type.GRASS, 40, 100, 25),
    "root_sip": Move("ROOT SIP", Type.GRASS, 25, 100, 20, Effect.DRAIN),
    "thornlash": Move("THORNLASH", Type.GRASS, 50, 95, 15, Effect.HIGH_CRIT),
    "swoop": Move("SWOOP", Type.FLYING, 40, 100, 35),
    "nibble": Move("NIBBLE", Type.BUG, 30, 100, 35),
    "itch_dust": Move("ITCH DUST", Type.BUG, 0, 75, 25, Effect.POISON),
    "drowse": Move("DROWSE", Type.GHOST, 0, 60, 15, Effect.SLEEP),
    "lob_rock": Move("LOB ROCK", Type.ROCK, 30, 90, 20),
    "mud_fling": Move("MUD FLING", Type.GROUND, 55, 95, 20),
    "tingle": Move("TINGLE", Type.ELECTRIC, 0, 75, 20, Effect.PARALYZE),
    "jolt": Move("JOLT", Type.ELECTRIC, 40, 100, 25, Effect.PARALYZE, 10),
    "haunt": Move("HAUNT", Type.GHOST, 35, 100, 20),
    "scramble": Move("SCRAMBLE", Type.NORMAL, 40, 100, 1, Effect.RECOIL),
    "cut": Move("CUT", Type.NORMAL, 50, 95, 30),
    "surf": Move("SURF", Type.WATER, 65, 100, 15),
}

EPILOGUE_MOVES: dict[str, Move] = {
    # Behind the others; MOSSLIGHT ADVANCE does without them.
    "strength": Move("STRENGTH", Type.NORMAL, 70, 95, 15),
}

ALL_MOVES = MOVES | EPILOGUE_MOVES

LAST_RESORT = "scramble"
"""Used, without points and without a type, by a creature whose moves have no points left."""


@dataclass(frozen=True, slots=True)
class Species:
    """A kind of creature.

    Attributes:
        name: Display name.
        types: One element or two.
        hp, attack, defense, speed, special_attack, special_defense: Base stats.
        catch_rate: 0-255, higher is easier.
        base_exp: Experience yield; a win gives base_exp * level / 7.
        learnset: (level, move key), by rising level.
    """

    name: str
    types: tuple[Type, ...]
    hp: int
    attack: int
    defense: int
    speed: int
    special_attack: int
    special_defense: int
    catch_rate: int
    base_exp: int
    learnset: tuple[tuple[int, str], ...]


SPECIES: dict[str, Species] = {
    # Ids are positions, from 1. The three starters come first and form a triangle.
    "cindle": Species(
        "CINDLE", (Type.FIRE,), 50, 50, 50, 64, 60, 50, 45, 120,
        ((1, "rake"), (1, "yowl"), (4, "kindle"), (5, "mud_fling"), (9, "quickstep"),
         (12, "flare")),
    ),
    "rillet": Species(
        "RILLET", (Type.WATER,), 52, 50, 60, 44, 54, 58, 45, 120,
        ((1, "bump"), (1, "unnerve"), (4, "douse"), (6, "brace"), (9, "mud_fling"),
         (12, "surge")),
    ),
    "sprigot": Species(
        "SPRIGOT", (Type.GRASS,), 50, 54, 56, 50, 52, 58, 45, 120,
        ((1, "bump"), (1, "yowl"), (4, "leafcut"), (6, "root_sip"), (9, "wind_up"),
         (12, "thornlash")),
    ),
    "mothlet": Species(
        "MOTHLET", (Type.BUG, Type.FLYING), 44, 36, 38, 50, 44, 40, 190, 110,
        ((1, "nibble"), (3, "itch_dust"), (6, "swoop"), (9, "drowse")),
    ),
    "pebblit": Species(
        "PEBBLIT", (Type.ROCK, Type.BUG), 40, 46, 66, 26, 30, 40, 150, 115,
        ((1, "bump"), (3, "brace"), (8, "lob_rock"), (9, "nibble")),
    ),
    "whiskit": Species(
        "WHISKIT", (Type.NORMAL,), 40, 46, 36, 62, 30, 36, 255, 105,
        ((1, "bump"), (3, "unnerve"), (5, "quickstep"), (10, "headlong")),
    ),
    "flitjay": Species(
        "FLITJAY", (Type.NORMAL, Type.FLYING), 42, 46, 38, 58, 34, 38, 220, 110,
        ((1, "rake"), (4, "swoop"), (7, "yowl"), (10, "quickstep")),
    ),
    "grubbud": Species(
        "GRUBBUD", (Type.BUG, Type.GRASS), 48, 34, 48, 28, 36, 42, 220, 105,
        ((1, "nibble"), (3, "itch_dust"), (5, "root_sip"), (9, "leafcut")),
    ),
    "sparkit": Species(
        "SPARKIT", (Type.ELECTRIC,), 38, 44, 36, 68, 48, 42, 150, 125,
        ((1, "rake"), (3, "tingle"), (5, "jolt"), (9, "quickstep")),
    ),
    "ghoulamp": Species(
        "GHOULAMP", (Type.GHOST, Type.FIRE), 36, 34, 40, 52, 56, 52, 120, 130,
        ((1, "haunt"), (4, "drowse"), (7, "kindle")),
    ),
    "boulderam": Species(
        "BOULDERAM", (Type.ROCK,), 52, 56, 68, 34, 30, 46, 60, 140,
        ((1, "bump"), (1, "brace"), (7, "lob_rock"), (11, "headlong")),
    ),
    "tidalynx": Species(
        "TIDALYNX", (Type.WATER,), 48, 54, 44, 66, 50, 46, 75, 130,
        ((1, "rake"), (3, "yowl"), (5, "douse"), (9, "quickstep")),
    ),
}  # fmt: skip


class Pocket(IntEnum):
    """Bag pockets, numbered as wCurPocket."""

    ITEM = 0
    BALL = 1
    KEY = 2


@dataclass(frozen=True, slots=True)
class Item:
    """Something the bag can hold; `id` is Crystal's id of its counterpart."""

    id: int
    name: str
    pocket: Pocket
    price: int


ITEMS: dict[str, Item] = {
    "ball": Item(5, "GLOW BALL", Pocket.BALL, 200),
    "trail_map": Item(6, "TRAIL MAP", Pocket.KEY, 0),
    "antidote": Item(9, "ANTIDOTE", Pocket.ITEM, 100),
    "wake_bell": Item(12, "WAKE BELL", Pocket.ITEM, 250),
    "loosener": Item(13, "LOOSENER", Pocket.ITEM, 200),
    "potion": Item(18, "POTION", Pocket.ITEM, 300),
    "lamp": Item(67, "BRASS LAMP", Pocket.KEY, 0),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """A tablet that teaches a move; `id` is the item id of its counterpart.

    Attributes:
        learners: Species that can learn the move.
    """

    id: int
    learners: tuple[str, ...]


FIRST_MACHINE = 243
"""Item id of the machine at place 50 of wTMsHMs."""

MACHINES: dict[str, Machine] = {
    # By the key of the move.
    "cut": Machine(243, ("cindle", "rillet", "sprigot", "tidalynx")),
    "surf": Machine(245, ("cindle", "rillet", "sprigot", "tidalynx")),
    "strength": Machine(246, ("pebblit", "boulderam")),
}

SHOPS: dict[str, tuple[str, ...]] = {
    "stonehollow": ("ball", "potion", "antidote", "loosener", "wake_bell"),
}


RIVAL_STARTER = "rival_starter"
"""In a team: the starter that is strong against the player's."""


@dataclass(frozen=True, slots=True)
class Trainer:
    """An opponent with a team.

    Attributes:
        name: Shown as "NAME wants to battle!".
        trainer_class: Goes to wOtherTrainerClass, never 0.
        trainer_id: Number within the class, for wOtherTrainerID.
        picture: Key of the 56x56 picture in art/creatures.py.
        reward: Prize money per level of the last creature.
        team: (species key, level) in the order they are sent out.
        can_lose: Losing costs nothing (battle type 1), as in the first fight with the rival.
    """

    name: str
    trainer_class: int
    trainer_id: int
    picture: str
    reward: int
    team: tuple[tuple[str, int], ...]
    can_lose: bool = False


TRAINERS: dict[str, Trainer] = {
    # Numbers are positions, from 0. Classes: 1 gym leader, 2 her pupils, 3 ramblers,
    # 4 and 5 the second gym, 9 rival.
    "leader": Trainer("GRETA", 1, 1, "leader", 100, (("pebblit", 6), ("boulderam", 7))),
    "gym_1": Trainer("PUPIL MOE", 2, 1, "trainer_a", 24, (("pebblit", 3),)),
    "gym_2": Trainer("PUPIL IDA", 2, 2, "trainer_b", 24, (("whiskit", 4), ("pebblit", 4))),
    "route_1": Trainer("RAMBLER PO", 3, 1, "trainer_b", 16, (("tidalynx", 4),)),
    "rival": Trainer("WREN", 9, 1, "trainer_a", 40, ((RIVAL_STARTER, 5),), can_lose=True),
    "wren_1": Trainer("WREN", 9, 2, "trainer_a", 40, (("whiskit", 6), (RIVAL_STARTER, 7))),
    "wren_2": Trainer("WREN", 9, 3, "trainer_a", 40, (("flitjay", 9), (RIVAL_STARTER, 10))),
    "gym_3": Trainer("PUPIL LUN", 5, 1, "trainer_b", 24, (("mothlet", 7),)),
    "leader_2": Trainer("OSSA", 4, 1, "leader", 100, (("mothlet", 8), ("ghoulamp", 9))),
}

PICTURES: tuple[str, ...] = (*SPECIES, "trainer_a", "trainer_b", "leader", "professor", "hero")
"""Keys of art/creatures.py in the order of the picture numbers in game.h, from 1."""


@dataclass(frozen=True, slots=True)
class WildSlot:
    """One line of a wild pool; `weight` is a share of 256."""

    species: str
    low: int
    high: int
    weight: int


POOLS: dict[str, tuple[WildSlot, ...]] = {
    "millbrook": (
        WildSlot("whiskit", 2, 3, 84),
        WildSlot("grubbud", 2, 3, 52),
        WildSlot("flitjay", 2, 4, 48),
        WildSlot("mothlet", 2, 4, 40),
        WildSlot("sparkit", 3, 4, 24),
        WildSlot("ghoulamp", 3, 4, 8),
    ),
    "glimmer": (
        WildSlot("mothlet", 5, 7, 84),
        WildSlot("flitjay", 5, 7, 72),
        WildSlot("sparkit", 6, 7, 60),
        WildSlot("tidalynx", 6, 8, 40),
    ),
    "hollow": (
        WildSlot("pebblit", 7, 9, 120),
        WildSlot("ghoulamp", 7, 8, 72),
        WildSlot("boulderam", 8, 9, 64),
    ),
}


_RIVAL_STARTER_ID = 0xFE


def species_id(key: str) -> int:
    """Return the id, 1-12, that wPartySpecies and wEnemyMonSpecies hold for a species key."""
    return list(SPECIES).index(key) + 1


def move_id(key: str) -> int:
    """Return the id, from 1, that the move slots in RAM hold for a move key."""
    return list(ALL_MOVES).index(key) + 1


def _name_bytes(name: str, length: int) -> list[int]:
    """Encode a name of capitals and spaces in the game's charmap, 0x50-terminated and padded."""
    if len(name) > length:
        raise ValueError(f"{name!r} is longer than {length} letters")
    codes = [0x7F if letter == " " else 0x80 + ord(letter) - ord("A") for letter in name]
    if any(not (code == 0x7F or 0x80 <= code <= 0x99) for code in codes):
        raise ValueError(f"{name!r} may only have capitals and spaces")
    return codes + [0x50] * (length + 1 - len(codes))


def _per_255(percent: int) -> int:
    return percent * 255 // 100


def _rows(declaration: str, rows: list[list[int]]) -> str:
    lines = ["{" + ",".join(str(value) for value in row) + "}," for row in rows]
    return f"const u8 {declaration} = {{\n" + "\n".join(lines) + "\n};\n"


def _flat(declaration: str, values: list[int]) -> str:
    return f"const u8 {declaration} = {{" + ",".join(str(value) for value in values) + "};\n"


def _numbers(prefix: str, keys: list[str], first: int) -> str:
    return "".join(
        f"#define {prefix}_{key.upper()} {number}\n" for number, key in enumerate(keys, first)
    )


def c_header() -> str:
    """Return the header `creatures.h`: ids as macros and the tables' declarations."""
    item_ids = "".join(f"#define ITEM_{key.upper()} {item.id}\n" for key, item in ITEMS.items())
    types = "".join(f"#define TYPE_{kind.name} {kind.value}\n" for kind in Type)
    effects = "".join(f"#define EFFECT_{effect.name} {effect.value}\n" for effect in Effect)
    return (
        "/* Generated from creatures.py. */\n#ifndef CREATURES_H\n#define CREATURES_H\n"
        + types
        + effects
        + _numbers("MOVE", list(ALL_MOVES), 1)
        + _numbers("SPECIES", list(SPECIES), 1)
        + item_ids
        + _machines()
        + _numbers("TRAINER", list(TRAINERS), 0)
        + _numbers("POOL", list(POOLS), 0)
        + _numbers("SHOP", list(SHOPS), 0)
        + f"""#define SPECIES_COUNT {len(SPECIES)}
#define MOVE_COUNT {len(ALL_MOVES)}
#define ITEM_COUNT {len(ITEMS)}
#define TRAINER_COUNT {len(TRAINERS)}
#define NAME_SIZE {NAME_LENGTH + 1}
#define MOVE_NAME_SIZE {MOVE_NAME_LENGTH + 1}
#define ITEM_NAME_SIZE {ITEM_NAME_LENGTH + 1}
#define TYPE_NAME_SIZE {TYPE_NAME_LENGTH + 1}
#define TYPE_COUNT {len(Type)}
#define MOVE_LAST_RESORT {move_id(LAST_RESORT)}
#define RIVAL_STARTER {_RIVAL_STARTER_ID}
/* Columns of the tables. */
enum {{ SP_HP, SP_ATTACK, SP_DEFENSE, SP_SPEED, SP_SPECIAL_ATTACK, SP_SPECIAL_DEFENSE,
       SP_TYPE1, SP_TYPE2, SP_CATCH_RATE, SP_BASE_EXP, SP_SIZE }};
enum {{ MV_POWER, MV_TYPE, MV_ACCURACY, MV_POINTS, MV_EFFECT, MV_CHANCE, MV_SIZE }};
enum {{ IT_ID, IT_POCKET, IT_PRICE_HIGH, IT_PRICE_LOW, IT_SIZE }};
enum {{ TR_CLASS, TR_ID, TR_PICTURE, TR_REWARD, TR_CAN_LOSE, TR_SIZE }};
#define TEAM_SIZE {_team_size()}
/* Species and moves are 1-based: row 0 is empty. */
extern const u8 species_table[][SP_SIZE];
extern const u8 species_names[][NAME_SIZE];
extern const u8 *const learnsets[];    /* level, move, ..., 0 */
extern const u8 move_table[][MV_SIZE];
extern const u8 move_names[][MOVE_NAME_SIZE];
extern const u8 type_ids[];
extern const u8 type_names[][TYPE_NAME_SIZE];
extern const u8 type_chart[];          /* attack, target, tenths, ..., 0xFF */
extern const u8 item_table[][IT_SIZE];
extern const u8 item_names[][ITEM_NAME_SIZE];
extern const u8 trainer_table[][TR_SIZE];
extern const u8 trainer_names[][NAME_SIZE];
extern const u8 trainer_teams[][TEAM_SIZE];  /* species, level, ..., 0 */
extern const u8 *const wild_pools[];   /* species, low, high, weight; weights add up to 256 */
extern const u8 *const shop_lists[];   /* item ids, 0xFF */
#endif
"""
    )


def _machines() -> str:
    """Return each machine's place behind the first and its learners, a bit for each species id."""
    return "".join(
        f"#define MACHINE_{key.upper()} {one.id - FIRST_MACHINE}\n"
        f"#define LEARNERS_{key.upper()} {sum(1 << species_id(name) for name in one.learners)}U\n"
        for key, one in MACHINES.items()
    )


def _team_size() -> int:
    return 2 * max(len(trainer.team) for trainer in TRAINERS.values()) + 1


def _species_row(kind: Species) -> list[int]:
    return [
        kind.hp,
        kind.attack,
        kind.defense,
        kind.speed,
        kind.special_attack,
        kind.special_defense,
        kind.types[0],
        kind.types[-1],
        kind.catch_rate,
        kind.base_exp,
    ]


def _move_row(move: Move) -> list[int]:
    return [
        move.power,
        int(move.type),
        _per_255(move.accuracy),
        move.points,
        int(move.effect),
        _per_255(move.chance),
    ]


def _trainer_row(trainer: Trainer) -> list[int]:
    return [
        trainer.trainer_class,
        trainer.trainer_id,
        PICTURES.index(trainer.picture) + 1,
        trainer.reward,
        int(trainer.can_lose),
    ]


def _team_row(trainer: Trainer) -> list[int]:
    ids = {key: species_id(key) for key in SPECIES} | {RIVAL_STARTER: _RIVAL_STARTER_ID}
    row = [value for key, level in trainer.team for value in (ids[key], level)]
    return row + [0] * (_team_size() - len(row))


def _pointed(name: str, first: list[str], lists: dict[str, list[int]]) -> str:
    """Return one array per key and a table of pointers to them, `first` before them."""
    arrays = "".join(_flat(f"{name}_{key}[]", values) for key, values in lists.items())
    pointers = ", ".join(first + [f"{name}_{key}" for key in lists])
    return arrays.replace("const u8", "static const u8") + (
        f"const u8 *const {name}s[] = {{{pointers}}};\n"
    )


def c_tables() -> str:
    """Return the C source of every table declared by `c_header`."""
    blank = [0x50] * (NAME_LENGTH + 1)
    for key, pool in POOLS.items():
        if sum(slot.weight for slot in pool) != 256:
            raise ValueError(f"the weights of pool {key!r} do not add up to 256")
    learnset = {
        key: [n for level, move in kind.learnset for n in (level, move_id(move))] + [0]
        for key, kind in SPECIES.items()
    }
    pools = {
        key: [n for s in pool for n in (species_id(s.species), s.low, s.high, s.weight)]
        for key, pool in POOLS.items()
    }
    shops = {key: [ITEMS[item].id for item in items] + [0xFF] for key, items in SHOPS.items()}
    chart = [n for (attack, target), tenths in TYPE_CHART.items() for n in (attack, target, tenths)]
    return "".join(
        [
            '/* Generated from creatures.py. */\n#include "game.h"\n',
            _rows("species_table[][SP_SIZE]", [[0] * 10, *map(_species_row, SPECIES.values())]),
            _rows(
                "species_names[][NAME_SIZE]",
                [blank, *(_name_bytes(kind.name, NAME_LENGTH) for kind in SPECIES.values())],
            ),
            _pointed("learnset", ["0"], learnset),
            _rows("move_table[][MV_SIZE]", [[0] * 6, *map(_move_row, ALL_MOVES.values())]),
            _rows(
                "move_names[][MOVE_NAME_SIZE]",
                [
                    [0x50] * 10,
                    *(_name_bytes(move.name, MOVE_NAME_LENGTH) for move in ALL_MOVES.values()),
                ],
            ),
            _flat("type_ids[]", [kind.value for kind in Type]),
            _rows(
                "type_names[][TYPE_NAME_SIZE]",
                [_name_bytes(TYPE_NAMES[kind], TYPE_NAME_LENGTH) for kind in Type],
            ),
            _flat("type_chart[]", [*map(int, chart), 0xFF]),
            _rows(
                "item_table[][IT_SIZE]",
                [[i.id, i.pocket, i.price >> 8, i.price & 255] for i in ITEMS.values()],
            ),
            _rows(
                "item_names[][ITEM_NAME_SIZE]",
                [_name_bytes(item.name, ITEM_NAME_LENGTH) for item in ITEMS.values()],
            ),
            _rows(
                "trainer_table[][TR_SIZE]", [_trainer_row(trainer) for trainer in TRAINERS.values()]
            ),
            _rows(
                "trainer_names[][NAME_SIZE]",
                [_name_bytes(trainer.name, NAME_LENGTH) for trainer in TRAINERS.values()],
            ),
            _rows(
                "trainer_teams[][TEAM_SIZE]",
                [_team_row(trainer) for trainer in TRAINERS.values()],
            ),
            _pointed("wild_pool", [], pools),
            _pointed("shop_list", [], shops),
        ]
    )
