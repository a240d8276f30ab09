"""Heads of people on the map, and what is on them: hair, caps, hats.

Signs of the drawings: o outline, e eyes, w white; s l S skin, its light and shadow; h i H
hair; t u T clothes above, p q P below; b c shoes, of the hair's colours; a d n what sets one apart
(cap, apron, beard ...).
"""

from __future__ import annotations

from collections.abc import Mapping

DOWN, UP, LEFT = "down", "up", "left"
Rows = Mapping[int, str]

HEADS: dict[str, tuple[str, ...]] = {
    DOWN: (
        ".....oooooo.....",
        "...oohhhhhhoo...",
        "..ohhiiiihhhHo..",
        "..ohiiihhhhhHo..",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhhHHo.",
        ".ohHhsHhhsHhHHo.",
        ".oHHsssssssSHHo.",
        "..ossesssseSSo..",
        "..ossesssseSSo..",
        "..oossssssSSoo..",
        "...oooSSSSooo...",
    ),
    UP: (
        ".....oooooo.....",
        "...oohhhhhhoo...",
        "..ohhiiiihhhHo..",
        "..ohiiihhhhhHo..",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhhHHo.",
        ".ohhhhhhhhhHHHo.",
        "..ohhhhhhhHHHo..",
        "..oHhHhhHhHHHo..",
        "..ooHHhHHHHHoo..",
        "...oooSSSSooo...",
    ),
    LEFT: (
        "....oooooo......",
        "..oohhhhhhoo....",
        ".ohhiiiihhhHo...",
        ".ohiiihhhhhHHo..",
        "ohhhhhhhhhhhHHo.",
        "ohhhhhhhhhhhHHo.",
        ".oshhHhhhhhHHHo.",
        ".ossssHhhhHHHHo.",
        ".osesssshSSHHo..",
        ".osesssssSSHo...",
        ".oossssSSSSoo...",
        "...ooooSSooo....",
    ),
}

# What lies over heads: direction -> row of the head -> drawing; "-" leaves what is there.
HATS: dict[str, dict[str, dict[int, str]]] = {
    "short": {DOWN: {}, UP: {}, LEFT: {}},
    "cap": {
        DOWN: {
            1: "---ooaaaaaaoo---",
            2: "--oaaddddaaano--",
            3: "--oadddaaaaano--",
            4: "-oaaaaaaaaaanno-",
            5: "-onnnaaaaaannno-",
            6: "-ohnnnnnnnnnnHo-",
        },
        UP: {
            1: "---ooaaaaaaoo---",
            2: "--oaaddddaaano--",
            3: "--oadddaaaaano--",
            4: "-oaaaaaaaaaanno-",
            5: "-oaaaaaaaaaanno-",
            6: "-onnaaaaaaannno-",
        },
        LEFT: {
            1: "--ooaaaaaaoo----",
            2: "-oaaddddaaano---",
            3: "-oadddaaaaanno--",
            4: "oaaaaaaaaaaanno-",
            5: "onnnnaaaaaannno-",
            6: "oonnnnhhhhhHHHo-",
        },
    },
    "long": {
        DOWN: {
            7: "-oHHsssssssSHHo-",
            8: "-ohhsesssseSHHo-",
            9: "-ohhsesssseSHHo-",
            10: "-ohhossssSSoHHo-",
            11: "-ohHoooSSooohHo-",
        },
        UP: {
            8: "-ohhhhhhhhhHHHo-",
            9: "-ohhHhhhhHhHHHo-",
            10: "-ohhHhhhHHhHHHo-",
            11: "-ohHHhHhHHHHHHo-",
        },
        LEFT: {
            8: "-osesssshhHHHHo-",
            9: "-osessssshHHHHo-",
            10: "-oossssSSHHHHHo-",
            11: "---ooooSSoHHHHo-",
        },
    },
    "spiky": {
        DOWN: {
            0: "---o--oo-oo-oo--",
            1: "--ohoohhohhohHo-",
            2: "--ohhhiihhhhhHo-",
            3: "-ohhiiihhhhhhHHo",
            4: "ohhhhhhhhhhhhHHo",
            5: "-ohhhhhhhhhhHHo-",
        },
        UP: {
            0: "---o--oo-oo-oo--",
            1: "--ohoohhohhohHo-",
            2: "--ohhhiihhhhhHo-",
            3: "-ohhiiihhhhhhHHo",
            4: "ohhhhhhhhhhhhHHo",
            5: "-ohhhhhhhhhhHHo-",
        },
        LEFT: {
            0: "---o--oo-oo-oo--",
            1: "--ohoohhohhohHo-",
            2: "-ohhiihhhhhhhHo-",
            3: "-ohiiihhhhhhhHHo",
            4: "ohhhhhhhhhhhhHHo",
        },
    },
    "pigtails": {
        DOWN: {
            4: "ohohhhhhhhhhHoHo",
            5: "hhohhhhhhhhhHoHH",
            6: "hHaHhsHhhsHhHaHH",
            7: "oHoHsssssssSHoHo",
            8: "..ossesssseSSo..",
        },
        UP: {
            4: "ohohhhhhhhhhHoHo",
            5: "hhohhhhhhhhhHoHH",
            6: "hHahhhhhhhhhHaHH",
            7: "oHohhhhhhhhHHoHo",
            8: "-oohhhhhhhHHHoo-",
        },
        LEFT: {
            5: "ohhhhhhhhhhhHooo",
            6: "-oshhHhhhhHHaoHH",
            7: "-ossssHhhhHHaohH",
            8: "-osesssshSSHooHo",
            9: "-osesssssSSHo-o-",
        },
    },
    "bald": {
        DOWN: {
            1: "---oollssssoo---",
            2: "--olllsssssSSo--",
            3: "--ollssssssSSo--",
            4: "-olsssssssssSSo-",
            5: "-ohsssssssssSHo-",
            6: "-ohssssssssSSHo-",
            7: "-ohhssssssSShHo-",
            9: "--olsesssseSSo--",
            10: "--oiiiiiihhHHo--",
            11: "---oohhhhHHoo---",
        },
        UP: {
            1: "---oollssssoo---",
            2: "--olllsssssSSo--",
            3: "--ollssssssSSo--",
            4: "-olsssssssssSSo-",
            5: "-ohsssssssssSHo-",
            6: "-ohhsssssssSHHo-",
        },
        LEFT: {
            1: "--oollssssoo----",
            2: "-olllsssssSSo---",
            3: "-ollssssssSSSo--",
            4: "olsssssssssSHHo-",
            5: "olssssssssshHHo-",
            6: "-ossssssssshHHo-",
            7: "-ossssssssShHHo-",
            10: "-oiiihhhHSSoo---",
            11: "-ooihhhHHooo----",
        },
    },
    "straw": {
        DOWN: {
            1: "---ooaaaaaaoo---",
            2: "--oaaddddaaano--",
            3: "--oaaaaaaaaano--",
            4: "--onnnnnnnnnno--",
            5: "oodddaaaaaaaanoo",
            6: "oaaaaaaaaannnnno",
            7: "-ooHoooooooooHo-",
        },
        UP: {
            1: "---ooaaaaaaoo---",
            2: "--oaaddddaaano--",
            3: "--oaaaaaaaaano--",
            4: "--onnnnnnnnnno--",
            5: "oodddaaaaaaaanoo",
            6: "oaaaaaaaaannnnno",
            7: "-oooohhhhHoooo--",
        },
        LEFT: {
            1: "---ooaaaaaoo----",
            2: "--oaaddddaano---",
            3: "--oaaaaaaaano---",
            4: "--onnnnnnnnno---",
            5: "oodddaaaaaaaanoo",
            6: "oaaaaaaaaannnnno",
            7: "-oooooohhhoHHo--",
        },
    },
    "nurse": {
        DOWN: {
            0: "----oooooooo----",
            1: "---owwwaawwwo---",
            2: "--owwwaaaawwwo--",
            3: "--owwwwaawwwwo--",
            4: "-ohooooooooooHo-",
        },
        UP: {
            0: "----oooooooo----",
            1: "---owwwwwwwwo---",
            2: "--owwwwwwwwwwo--",
            3: "--oowwwwwwwwoo--",
            4: "-ohhooooooooHHo-",
        },
        LEFT: {
            0: "---ooooooo------",
            1: "--oawwwwwwoo----",
            2: "-oaawwwwwwwwo---",
            3: "-oawwwwwwwooo---",
            4: "ohooooooohhhHHo-",
        },
    },
    "helmet": {
        DOWN: {
            0: "-----oooooo-----",
            1: "---ooaaddaaoo---",
            2: "--oaadddddaano--",
            3: "--oadddaaaaano--",
            4: "-oaaaaaaaaaanno-",
            5: "onnnnnnnnnnnnnno",
            6: "-oohsHhhsHhhHoo-",
        },
        UP: {
            1: "---ooaaddaaoo---",
            2: "--oaadddddaano--",
            3: "--oadddaaaaano--",
            4: "-oaaaaaaaaaanno-",
            5: "onnnnnnnnnnnnnno",
            6: "-oohhhhhhhhhHoo-",
        },
        LEFT: {
            1: "--ooaaddaaoo----",
            2: "-oaadddddaano---",
            3: "-oadddaaaaanno--",
            4: "oaaaaaaaaaaanno-",
            5: "onnnnnnnnnnnnno-",
            6: "-oshhHhhhhHHHo--",
        },
    },
    "band": {
        DOWN: {4: "-oaaadddaaaanno-", 5: "-ohhhhhhhhhhHHo-"},
        UP: {4: "-oaaadddaaaanno-", 5: "-ohhhhaanhhhHHo-", 6: "-ohhhaanohhhHHo-"},
        LEFT: {4: "oaaadddaaaannno-", 5: "ohhhhhhhhhhhonno"},
    },
    "bun": {
        DOWN: {0: "----oohhHHoo----", 1: "---ohhooooHHo---"},
        UP: {0: "----oohhHHoo----", 1: "---ohhiiihHHo---", 2: "--oohhhhhhHHoo--"},
        LEFT: {
            0: "----oooooooo----",
            1: "--oohhhhhoohHo--",
            2: "-ohhiiiihhohHHo-",
            3: "-ohiiihhhhHooo--",
        },
    },
}
HATS["kerchief"] = {
    DOWN: HATS["long"][DOWN]
    | {
        1: "---oouuttttoo---",
        2: "--otuuuutttTTo--",
        3: "--otuuuttttTTo--",
        4: "-otttttttttTTTo-",
        5: "-oTTTtttttTTTTo-",
    },
    UP: HATS["long"][UP]
    | {
        1: "---oouuttttoo---",
        2: "--otuuuutttTTo--",
        3: "--otuuuttttTTo--",
        4: "-otttttttttTTTo-",
        5: "-otttttttttTTTo-",
        6: "-oTTtttttttTTTo-",
        7: "-ohTTtttttTTTHo-",
        8: "-ohhhTTtTTTHHHo-",
    },
    LEFT: HATS["long"][LEFT]
    | {
        1: "--oouuttttoo----",
        2: "-otuuuutttTTo---",
        3: "-otuuuttttTTTo--",
        4: "otttttttttTTTTo-",
        5: "oTTTttttttTTTTo-",
    },
}
