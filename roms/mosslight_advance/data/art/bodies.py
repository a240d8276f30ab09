"""Bodies and legs of people on the map, standing and walking, and what they wear over them.

The signs are those of heads.py.
"""

from __future__ import annotations

from .heads import DOWN, LEFT, UP, Rows

BODIES: dict[str, tuple[str, ...]] = {
    DOWN: (
        "...ouuttttTTo...",
        "..oututtttTTto..",
        ".ottouttttTotTo.",
        ".otTouttttTotTo.",
        ".ossouttttToSSo.",
    ),
    UP: (
        "...ouuttttTTo...",
        "..oututtttTTto..",
        ".ottouttttTotTo.",
        ".otTouttttTotTo.",
        ".ossouttttToSSo.",
    ),
    LEFT: (
        "....ouuttTTo....",
        "....outttTTo....",
        "...outtottTTo...",
        "...outtotTTTo...",
        "...oossoTTTo....",
    ),
}

STEP_BODIES: dict[str, tuple[str, ...]] = {
    DOWN: (
        "...ouuttttTTo...",
        "..oututtttTTto..",
        ".ottouttttTotTo.",
        ".ossouttttTotTo.",
        "..ooouttttToSSo.",
    ),
    LEFT: (
        "....ouuttTTo....",
        "....outttTTo....",
        "...outtottTTo...",
        "..outtotTTTTo...",
        "..ossooTTTTo....",
    ),
}

LEGS: dict[str, tuple[str, ...]] = {
    DOWN: (
        "..oo.oqpppPo.oo.",
        "....oqppppPo....",
        "....oqpoopPo....",
        "....obcoobco....",
        "....ooo..ooo....",
    ),
    LEFT: (
        ".....oqppPo.....",
        ".....oqppPo.....",
        ".....oqpPPo.....",
        "....obbbcco.....",
        "....ooooooo.....",
    ),
}

STEP_LEGS: dict[str, tuple[str, ...]] = {
    DOWN: (
        ".....oqpppPo.oo.",
        "....oqpppPPo....",
        "....oqpooPPo....",
        "....obcobco.....",
        "....ooo.oo......",
    ),
    LEFT: (
        ".....oqppPo.....",
        "....oqppPPo.....",
        "...oqpoooPPo....",
        "...obco..obco...",
        "...ooo....oo....",
    ),
    "left_2": (
        ".....oqppPo.....",
        "....oPPqppo.....",
        "...oPPoooqpo....",
        "...obco..obbo...",
        "....oo...oooo...",
    ),
}

SKIRTS: dict[str, tuple[str, ...]] = {
    DOWN: (
        "..ooqppppppPoo..",
        "...oqppppppPo...",
        "....oosooSoo....",
        "....obcoobco....",
        "....ooo..ooo....",
    ),
    LEFT: (
        "....oqpppPPo....",
        "....oqpppPPo....",
        "....ooosSooo....",
        "....obbbcco.....",
        "....ooooooo.....",
    ),
}

SKIRT_STEPS: dict[str, tuple[str, ...]] = {
    DOWN: (
        "..ooqppppppPo...",
        "...oqppppppPo...",
        "....oosoobco....",
        "....obcoooo.....",
        "....ooo.........",
    ),
    LEFT: (
        "....oqpppPPo....",
        "....oqpppPPo....",
        "...ossoooSSo....",
        "...obco..obco...",
        "...ooo....oo....",
    ),
}

# What lies over bodies, by row of body and legs together.
EXTRAS: dict[str, dict[str, Rows]] = {
    "plain": {DOWN: {}, UP: {}, LEFT: {}},
    "apron": {
        DOWN: {
            1: "-----awwwna-----",
            2: "-----wwwwww-----",
            3: "-----wwwwww-----",
            4: "-----wwwwww-----",
            5: "-----wwwwwd-----",
            6: "-----wwwwwd-----",
        },
        UP: {2: "-----ww--ww-----", 3: "------wwww------"},
        LEFT: {
            2: "----ww----------",
            3: "----ww----------",
            5: "-----wwd--------",
            6: "-----wwd--------",
        },
    },
    "coat": {
        DOWN: {
            0: "---owwaaaawdo---",
            1: "--owwwaanwwddo--",
            2: "-owwowaanwdowdo-",
            3: "-owdowanwwdowdo-",
            4: "-ossowanwwdoSSo-",
            5: "--oo-owwwwdo-oo-",
            6: "----owwwwwdo----",
        },
        UP: {
            0: "---owwwwwwddo---",
            1: "--owwwwwwwdwdo--",
            2: "-owwowwwwddowdo-",
            3: "-owdowwwwddowdo-",
            4: "-ossowwwwddoSSo-",
            5: "--oo-owwwddo-oo-",
            6: "----owwwwddo----",
        },
        LEFT: {
            0: "----owwwwddo----",
            1: "----owwwwddo----",
            2: "---owwwowwddo---",
            3: "---owwwowdddo---",
            4: "---oossowddo----",
            5: "-----owwddo-----",
            6: "-----owwddo-----",
        },
    },
    "pack": {
        DOWN: {0: "---oantttTnao---", 1: "----a------n----", 2: "----a------n----"},
        UP: {
            0: "---oaaaaaanno---",
            1: "--otaddddaanno--",
            2: "-ottoaaaaanotTo-",
            3: "-otToannnnnotTo-",
            4: "-ossooooooooSSo-",
        },
        LEFT: {
            0: "--------oaano---",
            1: "--------oadano--",
            2: "-------uoaaano--",
            3: "---------onnno--",
            4: "---------oooo---",
        },
    },
    "vest": {
        DOWN: {
            0: "---oaaottoano---",
            1: "--otaadttannto--",
            2: "----aadttann----",
            3: "----aaattann----",
            4: "----aanttnnn----",
        },
        UP: {
            0: "---oaaaaaanno---",
            1: "--otaaaaaannto--",
            2: "----aaaaaann----",
            3: "----aaaaannn----",
            4: "----annnnnnn----",
        },
        LEFT: {
            0: "----oaaaanno----",
            1: "----oaaaanno----",
            2: "-------oanno----",
            3: "-------oannn----",
        },
    },
    "cloak": {
        DOWN: {
            0: "--oaddaaaannno--",
            1: "-oadaaaaaaannno-",
            2: "-oaaouttttTonno-",
            3: "-oaaouttttTonno-",
            4: "-oanouttttTonno-",
            5: "-onnoqpppPonnno-",
            6: "--oooqpppPooo---",
        },
        UP: {
            0: "--oaddaaaannno--",
            1: "-oadaaaaaannnno-",
            2: "-oaaaaaaaannnno-",
            3: "-oaaaaaaaannnno-",
            4: "-oanaaanaannnno-",
            5: "-onnannnannnnno-",
            6: "--oooooooooooo--",
        },
        LEFT: {
            0: "---oaddaannno---",
            1: "---oadaaaannno--",
            2: "---oaaoaaannno--",
            3: "---oaaoaaannno--",
            4: "---oossaaannno--",
            5: "----oqpaannno---",
            6: "-----oqpoooo----",
        },
    },
}
