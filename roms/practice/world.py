"""Lay out the world of MOSSLIGHT: maps, ways between them, people, words, events.

Maps are text, one sign a walk cell (the player's step); `OUTDOOR` and `INDOOR` say which cell of
art/tiles.py a sign stands for, and `dress` there picks the edges. Positions are (x, y) in walk
cells from the top left. pack.py turns all of this into data for the game and into the engine's
table of names.
"""

from dataclasses import dataclass

MAP_GROUP = 40

OUTDOOR: dict[str, str] = {
    ".": "grass",
    "f": "flower",
    "y": "flower_yellow",
    "%": "tall_grass",
    "T": "tree",
    "o": "boulder",
    "v": "ledge",
    "=": "fence",
    "s": "sign",
    "l": "lantern",
    ":": "path",
    "~": "water",
    "#": "bridge",
    "R": "roof_red",
    "B": "roof_blue",
    "G": "roof_slate",
    "w": "wall",
    "i": "window",
    "D": "door",
    "+": "wall_heal",
    "$": "wall_shop",
    "W": "gym_wall",
    "C": "gym_crest",
    "E": "gym_door",
}

INDOOR: dict[str, str] = {
    " ": "void",
    ".": "wood_floor",
    ",": "floor",
    "_": "gym_floor",
    "^": "wall_top",
    "-": "wall_in",
    "n": "window_in",
    "c": "clock",
    "m": "mat_exit",
    "<": "stairs_up",
    ">": "stairs_down",
    "b": "bed_top",
    "d": "bed",
    "t": "table",
    "h": "chair",
    "k": "bookshelf",
    "S": "shop_shelf",
    "=": "counter",
    "!": "counter_down",
    "v": "tv",
    "p": "pc",
    "M": "lab_machine",
    "H": "heal_machine",
    "K": "cooker",
    "D": "desk",
    "P": "plant",
    "g": "gym_stone",
    "Y": "statue",
    "r": "rug",
}

# Event flags in the order of their numbers, from FIRST_EVENT.
FIRST_EVENT = 16
EVENTS: tuple[str, ...] = (
    "MET_MOTHER",
    "GOT_STARTER",
    "STARTER_1",
    "STARTER_2",
    "STARTER_3",
    "GOT_BALLS",
    "ROUTE_ENTERED",
    "STONEHOLLOW_REACHED",
    "CENTER_VISITED",
    "NURSE_HEALED",
    "GYM_ENTERED",
    "BEAT_MOE",
    "BEAT_IDA",
    "BEAT_GRETA",
    "COBBLE_BADGE",
    "BEAT_PO",
    "WREN_FOUGHT",
    "GOT_POTION",
)

# C functions script_<name> in src/script.c.
SCRIPTS: tuple[str, ...] = (
    "town_exit",
    "mother",
    "bed",
    "nurse",
    "clerk",
    "alder",
    "ball_1",
    "ball_2",
    "ball_3",
    "wren",
    "gift_potion",
    "badge",
)

# Sprites of art/people.py in the order of their ids, from 1.
SPRITES: tuple[str, ...] = (
    "hero_boy",
    "hero_girl",
    "mother",
    "professor",
    "rival",
    "girl",
    "boy",
    "old_man",
    "nurse",
    "clerk",
    "trainer_a",
    "trainer_b",
    "leader",
    "fisher",
    "ball_item",
    "ball_closed",
)

LANDMARKS: tuple[str, ...] = ("NOWHERE", "FERNWICK", "MILLBROOK PATH", "STONEHOLLOW")

# Texts of scripts. "|" starts a new page; "<P>" is the player, "<R>" the rival and "<B>" what
# wStringBuffer1 holds.
TEXTS: dict[str, str] = {
    "INTRO_HELLO": "Hello! I am DR. ALDER. Our valley is full of wild creatures."
    "|People travel with them and grow with them.",
    "INTRO_GO": "So you are <P>! Come to my laboratory, there is a present.",
    "TOWN_EXIT": "Stop, <P>! The tall grass is wild. See DR. ALDER first!",
    "MOTHER_FIRST": "Good morning, <P>! DR. ALDER is waiting in his laboratory.",
    "MOTHER_LAB": "The laboratory is the house with the blue roof.",
    "MOTHER_REST": "<P>! You two look tired. Sit down a while.",
    "MOTHER_HEALED": "There, as good as new. Take care!",
    "MOTHER_PROUD": "A real badge! I am so proud of you, <P>!",
    "BED": "Your bed. But the day has just begun!",
    "BED_NAP": "A little nap with your friends...",
    "NURSE_ASK": "Welcome to the REST HOUSE! Shall your creatures rest?",
    "NURSE_DONE": "They are all well again!",
    "NURSE_BYE": "Come back any time!",
    "CLERK_HELLO": "Hello! What would you like?",
    "CLERK_BYE": "Thank you! Good travels!",
    "ALDER_CHOOSE": "There you are, <P>! Three GLOW BALLS lie on the desk. One is yours!",
    "ALDER_BALLS": "A fine choice! And take these to catch others.",
    "GOT_BALLS": "<P> got 5 GLOW BALLS!",
    "ALDER_GO": "MILLBROOK PATH leads north. GRETA's gym in STONEHOLLOW is worth a visit!",
    "ALDER_BADGE": "The COBBLE BADGE! My research could learn from you.",
    "BALL_LEFT": "The others stay with DR. ALDER.",
    "BALL_1": "CINDLE, the ember fox. Take it?",
    "BALL_2": "RILLET, the brook newt. Take it?",
    "BALL_3": "SPRIGOT, the leaf goat. Take it?",
    "GOT_STARTER": "<P> chose <B>!",
    "WREN_WAIT": "<P>! Hurry, I want to see which creature you choose!",
    "WREN_ASK": "Is that your creature? Mine is stronger! Shall we see?",
    "WREN_WON": "Ha! That was fun. I rested your creature for you.",
    "WREN_LOST": "Wow, you are good! I rested your creature for you.",
    "WREN_AFTER": "I will train here until I beat you, <P>.",
    "WREN_BADGE": "You beat GRETA? Now I must hurry!",
    "GIFT": "My mine is closed, but I keep my word: a gift for every guest.",
    "GIFT_GOT": "<P> got 2 POTIONS!",
    "GIFT_AFTER": "Use the POTIONS before the gym, not after!",
    "GRETA_LOST": "Hah! You cracked my stone!",
    "GOT_BADGE": "<P> received the COBBLE BADGE from GRETA!",
    "GRETA_ADVICE": "Carry it with pride. The road goes on, and so will you!",
}

Lines = str | tuple[tuple[str, str], ...]
"""Words: one text, or (event or "", text) pairs of which the first with a set event is said."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody, or something that can be talked to, standing on a map.

    Attributes:
        sprite: Key of SPRITES.
        x, y: Walk cell.
        says: Words; ignored with `script` or `trainer`.
        script: Name in SCRIPTS.
        trainer: Name in SIGHT_TRAINERS.
        move: "stand", "wander" (up to `radius` cells from home) or "spin".
        face: Facing at first.
        hidden_by: Event that takes it off the map.
    """

    sprite: str
    x: int
    y: int
    says: Lines = ""
    script: str = ""
    trainer: str = ""
    move: str = "stand"
    face: str = "down"
    radius: int = 2
    hidden_by: str = ""


@dataclass(frozen=True, slots=True)
class Sign:
    """A cell that is read with A."""

    x: int
    y: int
    says: Lines = ""
    script: str = ""


@dataclass(frozen=True, slots=True)
class Warp:
    """A door, stairs or a mat; `arrival` is the number, from 1, of a warp of the target map."""

    x: int
    y: int
    target: str
    arrival: int


@dataclass(frozen=True, slots=True)
class Trigger:
    """A rectangle of cells that starts a script when stepped on."""

    x0: int
    y0: int
    x1: int
    y1: int
    script: str


@dataclass(frozen=True, slots=True)
class SightTrainer:
    """A trainer who challenges on sight, until `event` is set.

    Attributes:
        key: In creatures.TRAINERS.
        sight: How many cells far.
        before, lost, after: Words before the battle, when beaten, later.
        script: Runs instead of saying `lost`.
        rests_party: The player's creatures are healed before the battle.
    """

    key: str
    event: str
    sight: int
    before: str
    lost: str
    after: str
    script: str = ""
    rests_party: bool = False


SIGHT_TRAINERS: dict[str, SightTrainer] = {
    "moe": SightTrainer(
        "gym_1", "BEAT_MOE", 6, "Halt! First me!", "Ouch!", "Stone is patient. I am not."
    ),
    "ida": SightTrainer(
        "gym_2", "BEAT_IDA", 6, "Nobody passes by IDA!", "You passed.", "GRETA is tougher still."
    ),
    "greta": SightTrainer(
        "leader",
        "BEAT_GRETA",
        3,
        "I am GRETA. I only fight rested guests. There. Now come!",
        "",
        "Back again? Water and leaves wear down any stone.",
        script="badge",
        rests_party=True,
    ),
    "po": SightTrainer(
        "route_1", "BEAT_PO", 3, "The fish are asleep. Fight me!", "Splash...", "Hush. The fish."
    ),
}


@dataclass(frozen=True, slots=True)
class Map:
    """One map.

    Attributes:
        rows: Walk cells as text; width and height even, as blocks are two by two cells.
        kind: "town", "route" or "indoor".
        landmark: In LANDMARKS.
        connections: Side -> (map, offset in blocks of its left or top edge from ours).
        pool: Key of creatures.POOLS for the tall grass.
        spawn: Where a whiteout returns to, with the bit in wVisitedSpawns.
    """

    rows: tuple[str, ...]
    kind: str
    landmark: str
    warps: tuple[Warp, ...] = ()
    people: tuple[Person, ...] = ()
    signs: tuple[Sign, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    connections: tuple[tuple[str, str, int], ...] = ()
    pool: str = ""
    spawn: tuple[int, int, int] | None = None


HOME_SPAWN = (4, 5)
"""In the bedroom: the beginning, and where a whiteout leads before a rest house is known."""

_BADGE = "BEAT_GRETA"

# In the order of the map numbers, from 1.
MAPS: dict[str, Map] = {
    "HOME_2F": Map(
        (
            "^^n^^^c^",
            "--------",
            "pkv.P..>",
            "........",
            "b..rrr..",
            "d..rrr..",
            "...rrr..",
            "t......P",
        ),
        "indoor",
        "FERNWICK",
        warps=(Warp(7, 2, "HOME_1F", 1),),
        signs=(
            Sign(0, 2, "A drawing program. Creatures everywhere!"),
            Sign(1, 2, "CREATURES OF THE VALLEY, volume one."),
            Sign(2, 2, "A show about far countries."),
            Sign(0, 4, script="bed"),
            Sign(0, 5, script="bed"),
        ),
    ),
    "HOME_1F": Map(
        (
            "^^n^^n^^",
            "--------",
            "KKv..P.<",
            "........",
            "........",
            "..tth...",
            "........",
            "P..mm..P",
        ),
        "indoor",
        "FERNWICK",
        warps=(
            Warp(7, 2, "HOME_2F", 1),
            Warp(3, 7, "FERNWICK", 1),
            Warp(4, 7, "FERNWICK", 1),
        ),
        people=(Person("mother", 2, 4, script="mother", face="right"),),
        signs=(
            Sign(0, 2, "Something smells of cinnamon."),
            Sign(1, 2, "Something smells of cinnamon."),
            Sign(2, 2, "The weather: mild, with moths."),
        ),
    ),
    "FERNWICK": Map(
        (
            "TTTTTTTTT::TTTTTTTTT",
            "TTTTTTTTT::TTTTTTTTT",
            "T.......s::........T",
            "T.RRRR...::..BBBBB.T",
            "T.RRRR...::..BBBBB.T",
            "T.iDwi...::..iwDwi.T",
            "T..::::::::::::::..T",
            "T.f:f..l.::.l..:.f.T",
            "T.......:::........T",
            "T..GGGG..::..~~~~..T",
            "T..GGGG..::..~~~~y.T",
            "T..iDwi..::..~~~~..T",
            "Tf..:::::::......y.T",
            "T..........f.....f.T",
            "TTTTTTTTTTTTTTTTTTTT",
            "TTTTTTTTTTTTTTTTTTTT",
        ),
        "town",
        "FERNWICK",
        warps=(
            Warp(3, 5, "HOME_1F", 2),
            Warp(15, 5, "LAB", 1),
            Warp(4, 11, "WREN_HOUSE", 1),
        ),
        people=(
            Person(
                "boy",
                11,
                2,
                (
                    (_BADGE, "Is that a badge? Pass, champion!"),
                    ("GOT_STARTER", "With a creature at your side you may pass."),
                    ("", "I watch the road to the north."),
                ),
                face="left",
            ),
            Person("rival", 12, 8, script="wren", move="spin"),
            Person(
                "girl",
                6,
                9,
                (
                    ("GOT_STARTER", "What a lovely creature!"),
                    ("", "DR. ALDER's house has the blue roof."),
                ),
                move="wander",
            ),
            Person(
                "old_man",
                12,
                12,
                "At night the moss by this pond glows. That is why we call it MOSSLIGHT.",
                face="up",
            ),
        ),
        signs=(Sign(8, 2, "FERNWICK, where the moss glows. North: MILLBROOK PATH."),),
        triggers=(Trigger(9, 1, 10, 1, "town_exit"),),
        connections=(("north", "MILLBROOK_PATH", 0),),
        spawn=(3, 6, 14),
    ),
    "LAB": Map(
        (
            "^^n^^^^n^^",
            "----------",
            "MM,,,,pkkk",
            ",,,,,,,,,,",
            ",,,,,,DDD,",
            ",,,,,,,,,,",
            "kkk,,,,kkk",
            "MMM,,,,kkk",
            ",,,,,,,,,,",
            "P,,,mm,,,P",
        ),
        "indoor",
        "FERNWICK",
        warps=(Warp(4, 9, "FERNWICK", 2), Warp(5, 9, "FERNWICK", 2)),
        people=(
            Person("professor", 5, 3, script="alder"),
            Person("ball_closed", 6, 4, script="ball_1", hidden_by="STARTER_1"),
            Person("ball_closed", 7, 4, script="ball_2", hidden_by="STARTER_2"),
            Person("ball_closed", 8, 4, script="ball_3", hidden_by="STARTER_3"),
            Person(
                "girl",
                1,
                8,
                "Press START to see your party and your bag.",
                move="spin",
            ),
        ),
        signs=(
            Sign(0, 2, "It hums and counts moths."),
            Sign(1, 2, "It hums and counts moths."),
            Sign(6, 2, "Type notes: fire eats leaf, leaf drinks water, water drowns fire."),
            Sign(7, 2, "HOW ROCK WEATHERS, with many leaves pressed in it."),
        ),
    ),
    "WREN_HOUSE": Map(
        (
            "^^n^^^c^",
            "--------",
            "kkv.P..K",
            "........",
            "...rrr..",
            ".t.rrr..",
            ".h.rrr..",
            "P..mm...",
        ),
        "indoor",
        "FERNWICK",
        warps=(Warp(3, 7, "FERNWICK", 3), Warp(4, 7, "FERNWICK", 3)),
        people=(
            Person(
                "mother",
                5,
                3,
                (
                    ("WREN_FOUGHT", "WREN talks of nothing but your battle."),
                    ("", "WREN is out by the pond, boasting as always."),
                ),
                move="wander",
            ),
        ),
        signs=(Sign(0, 2, "Maps of places far away."), Sign(1, 2, "Maps of places far away.")),
    ),
    "MILLBROOK_PATH": Map(
        (
            "TTTTTTTTTTTTTTTTTTTT",
            "TTTTTTTTTTTTTTTTTTTT",
            "T...~~~~~....f.....T",
            "T...~~~~~........s.T",
            "T.f.~~~~~.::::::::::",
            "T........:::::::::::",
            "T........::.....f..T",
            "T%%%%%%..::..%%%%%%T",
            "T%%%%%%..::..%%%%%%T",
            "T%%%%%%..::..%%%%%%T",
            "T........::........T",
            "T..f.....::.....y..T",
            "T........::........T",
            "TTTvvvvvv::vvvvvvTTT",
            "T.....%%%%%%.......T",
            "T.....%%%%%%.......T",
            "T.y...%%%%%%.....f.T",
            "T.~~~~...::........T",
            "T.~~~~...::..%%%%..T",
            "T.~~~~...::..%%%%..T",
            "T........::..%%%%..T",
            "T.f.....s::......y.T",
            "TTTTTTTTT::TTTTTTTTT",
            "TTTTTTTTT::TTTTTTTTT",
        ),
        "route",
        "MILLBROOK PATH",
        people=(
            Person("fisher", 3, 4, trainer="po", face="right", move="stand"),
            Person(
                "boy",
                14,
                16,
                "Creatures hide in the tall grass. Weaken them, then throw a GLOW BALL!",
                move="wander",
            ),
            Person(
                "girl",
                7,
                11,
                "You can hop down a ledge, but never up.",
                move="wander",
                radius=1,
            ),
        ),
        signs=(
            Sign(8, 21, "MILLBROOK PATH. South: FERNWICK."),
            Sign(17, 3, "East: STONEHOLLOW, town of quarries."),
        ),
        connections=(("south", "FERNWICK", 0), ("east", "STONEHOLLOW", -2)),
        pool="millbrook",
    ),
    "STONEHOLLOW": Map(
        (
            "TTTTTTTTTTTTTTTTTTTT",
            "TTo.oTTTTTTTTTToo.TT",
            "T..RRRR..o.GGGGGG..T",
            "T..RRRR....GGGGGG..T",
            "To.+iDi....WCWEWC.oT",
            "T..:::::::::::::::.T",
            "T.l..:...l..::..l..T",
            "T.f..:...s..::.f..oT",
            "::::::::::::::...oTT",
            "::::::::::::::....oT",
            "T....y...::...f....T",
            "T.BBBB...::..RRRR..T",
            "T.BBBB...::..RRRR..T",
            "T.$iDw...::..iDwi.oT",
            "T...::::::::::::...T",
            "T.o....f......o.y..T",
            "ToooTTTTTTTTTTToo.TT",
            "TTTTTTTTTTTTTTTTTTTT",
        ),
        "town",
        "STONEHOLLOW",
        warps=(
            Warp(5, 4, "CENTER", 1),
            Warp(14, 4, "GYM", 1),
            Warp(4, 13, "SHOP", 1),
            Warp(14, 13, "MASON_HOUSE", 1),
        ),
        people=(
            Person(
                "girl",
                7,
                11,
                "The REST HOUSE with the red roof heals creatures for nothing.",
                move="wander",
            ),
            Person(
                "old_man",
                16,
                6,
                (
                    (_BADGE, "You beat GRETA! I saw it through the window."),
                    ("", "GRETA's creatures are hard as stone, but afraid of rain."),
                ),
                move="spin",
            ),
            Person("boy", 12, 15, "The shop sells balls and potions.", move="wander"),
        ),
        signs=(Sign(9, 7, "STONEHOLLOW. Gym leader: GRETA, the patient rock."),),
        connections=(("west", "MILLBROOK_PATH", 2),),
        spawn=(5, 5, 15),
    ),
    "CENTER": Map(
        (
            "^^^^^^^^n^",
            "----------",
            "P,,,,H,,,P",
            "==========",
            ",,,,,,,,,,",
            ",,,,,,,,ht",
            "P,,,,,,,ht",
            ",,,,mm,,,P",
        ),
        "indoor",
        "STONEHOLLOW",
        warps=(Warp(4, 7, "STONEHOLLOW", 1), Warp(5, 7, "STONEHOLLOW", 1)),
        people=(
            Person("nurse", 4, 2, script="nurse"),
            Person(
                "old_man",
                7,
                5,
                "If all your creatures faint, you wake up in front of this door.",
                move="spin",
            ),
        ),
    ),
    "SHOP": Map(
        (
            "^^^^^^^^",
            "--------",
            ",,!,SSSS",
            ",,!,,,,,",
            "==!,SS,S",
            ",,,,SS,S",
            ",,,,,,,,",
            "P,,mm,,P",
        ),
        "indoor",
        "STONEHOLLOW",
        warps=(Warp(3, 7, "STONEHOLLOW", 3), Warp(4, 7, "STONEHOLLOW", 3)),
        people=(
            Person("clerk", 1, 3, script="clerk", face="right"),
            Person("fisher", 5, 3, "Bait, bait... they only sell balls!", move="wander", radius=1),
        ),
        signs=tuple(Sign(x, 2, "Neat rows of bottles.") for x in (4, 5, 6, 7)),
    ),
    "GYM": Map(
        (
            "^^^^^^^^^^",
            "----------",
            "gg______gg",
            "ggYg_gYggg",
            "gggg_ggggg",
            "g________g",
            "g________g",
            "gggg_ggggg",
            "g________g",
            "g________g",
            "gggg_ggggg",
            "g________g",
            "Y________Y",
            "gg__mm__gg",
        ),
        "indoor",
        "STONEHOLLOW",
        warps=(Warp(4, 13, "STONEHOLLOW", 2), Warp(5, 13, "STONEHOLLOW", 2)),
        people=(
            Person("trainer_a", 2, 9, trainer="moe", face="right"),
            Person("trainer_b", 7, 6, trainer="ida", face="left"),
            Person("leader", 4, 2, trainer="greta"),
            Person(
                "old_man",
                2,
                12,
                (
                    (_BADGE, "A new name for the statue: <P>!"),
                    ("", "Trainers here see far. Rest before you go in!"),
                ),
                face="right",
            ),
        ),
        signs=(
            Sign(0, 12, ((_BADGE, "GRETA's gym. Winners: <P>"), ("", "GRETA's gym. Winners: ..."))),
            Sign(9, 12, ((_BADGE, "GRETA's gym. Winners: <P>"), ("", "GRETA's gym. Winners: ..."))),
        ),
    ),
    "MASON_HOUSE": Map(
        (
            "^^n^^^^^",
            "--------",
            "KK..kkv.",
            "........",
            "..tt....",
            "..th....",
            "........",
            "P..mm..P",
        ),
        "indoor",
        "STONEHOLLOW",
        warps=(Warp(3, 7, "STONEHOLLOW", 4), Warp(4, 7, "STONEHOLLOW", 4)),
        people=(Person("old_man", 5, 4, script="gift_potion", face="left"),),
    ),
}

# (key, kind, value, the goal in words), in the order in which they must come: all lie on the only
# way to the badge. Kind "event": the event is set; "map": the map is entered; "party": as many
# creatures; "badge": the bit of wJohtoBadges.
MILESTONES: tuple[tuple[str, str, str | int, str], ...] = (
    ("left_bedroom", "map", "HOME_1F", "Go downstairs"),
    ("left_house", "map", "FERNWICK", "Leave the house"),
    ("entered_lab", "map", "LAB", "Enter Dr. Alder's laboratory"),
    ("got_starter", "party", 1, "Choose a creature"),
    ("reached_route", "map", "MILLBROOK_PATH", "Set out on Millbrook Path"),
    ("reached_stonehollow", "map", "STONEHOLLOW", "Reach Stonehollow"),
    ("entered_gym", "map", "GYM", "Enter the gym"),
    ("beat_moe", "event", "BEAT_MOE", "Beat Moe, the first pupil"),
    ("beat_ida", "event", "BEAT_IDA", "Beat Ida, the second pupil"),
    ("first_badge", "badge", 0, "Win the Cobble Badge"),
)
