"""Lay out the world of MOSSLIGHT: maps, ways between them, people, words, events.

Each act says what it adds, and here they are joined: numbers follow the order. pack.py turns all of
this into data for the game, tables.py into the engine's tables.
"""

from . import act_one, act_two, epilogue

MAP_GROUP = 40

# Event flags in the order of their numbers, from FIRST_EVENT.
FIRST_EVENT = 16
EVENTS = act_one.EVENTS + act_two.EVENTS + epilogue.EVENTS

SCRIPTS = act_one.SCRIPTS + act_two.SCRIPTS + epilogue.SCRIPTS

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
    "surfer_boy",
    "surfer_girl",
    "boulder",
)

LANDMARKS = act_one.LANDMARKS + act_two.LANDMARKS + epilogue.LANDMARKS

# Texts of scripts. "|" starts a new page; "<P>" is the player, "<R>" the rival and "<B>" what
# wStringBuffer1 holds.
TEXTS = act_one.TEXTS | act_two.TEXTS | epilogue.TEXTS

SIGHT_TRAINERS = act_one.SIGHT_TRAINERS | act_two.SIGHT_TRAINERS | epilogue.SIGHT_TRAINERS

# In the order of the map numbers, from 1.
MAPS = act_one.MAPS | act_two.MAPS | epilogue.MAPS
HOME_SPAWN = act_one.HOME_SPAWN

# In the order in which they must come.
MILESTONES = act_one.MILESTONES + act_two.MILESTONES + epilogue.MILESTONES
ANSWERS = epilogue.ANSWERS
FERRIES = epilogue.FERRIES
HOLES = epilogue.HOLES

# (kind, map, x, y, the goal in words): who heals, and grass to train in.
PLACES: tuple[tuple[str, str, int | str, int | str, str], ...] = (
    ("heal", "CENTER", 4, 2, "Rest at the rest house"),
    ("heal", "HOME_1F", 2, 4, "Rest at home with mother"),
    ("heal", "REED_CENTER", 4, 2, "Rest at the rest house by the lake"),
    ("train", "MILLBROOK_PATH", "", "", "Train in the tall grass"),
    ("train", "GLIMMER_ROAD", "", "", "Train in the grass of Glimmer Road"),
)
