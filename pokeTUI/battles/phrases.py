"""The sentences of a battle's log, by what happened."""

from types import MappingProxyType

STATS = MappingProxyType(
    {
        "atk": "Attack",
        "def": "Defense",
        "spa": "Sp. Atk",
        "spd": "Sp. Def",
        "spe": "Speed",
        "accuracy": "accuracy",
        "evasion": "evasiveness",
    }
)
STATUSES = MappingProxyType(
    {
        "brn": ("was burned", "burn was healed"),
        "par": ("is paralyzed! It may be unable to move", "paralysis was cured"),
        "psn": ("was poisoned", "poisoning was cured"),
        "tox": ("was badly poisoned", "poisoning was cured"),
        "slp": ("fell asleep", ""),
        "frz": ("was frozen solid", ""),
    }
)
CURED = MappingProxyType({"slp": "woke up!", "frz": "thawed out!"})
CANNOT = MappingProxyType(
    {
        "slp": "is fast asleep.",
        "frz": "is frozen solid!",
        "par": "couldn't move because it's paralyzed!",
        "flinch": "flinched and couldn't move!",
        "recharge": "must recharge!",
        "nopp": "has no PP left for the move!",
        "Focus Punch": "lost its focus and couldn't move!",
        "Truant": "is loafing around!",
    }
)
WEATHERS = MappingProxyType(
    {
        "Sun": ("The sunlight turned harsh!", "The harsh sunlight faded."),
        "Rain": ("It started to rain!", "The rain stopped."),
        "Sandstorm": ("A sandstorm kicked up!", "The sandstorm subsided."),
        "Snow": ("It started to snow!", "The snow stopped."),
    }
)
FIELDS = MappingProxyType(
    {
        "Trick Room": (
            "The dimensions were twisted!",
            "The twisted dimensions returned to normal!",
        ),
        "Electric Terrain": ("Electricity runs across the battlefield!", "The electricity faded."),
        "Grassy Terrain": ("Grass grew to cover the battlefield!", "The grass disappeared."),
        "Misty Terrain": ("Mist swirled around the battlefield!", "The mist disappeared."),
        "Psychic Terrain": ("The battlefield got weird!", "The weirdness disappeared."),
        "Gravity": ("Gravity intensified!", "Gravity returned to normal!"),
    }
)
SIDES = MappingProxyType(
    {
        "Tailwind": ("A Tailwind blows behind {team}!", "{Team}'s Tailwind petered out."),
        "Reflect": ("Reflect shields {team} from physical moves!", "{Team}'s Reflect wore off."),
        "Light Screen": (
            "Light Screen shields {team} from special moves!",
            "{Team}'s Light Screen wore off.",
        ),
        "Aurora Veil": ("Aurora Veil shields {team}!", "{Team}'s Aurora Veil wore off."),
        "Safeguard": ("Safeguard protects {team}!", "{Team}'s Safeguard wore off."),
        "Stealth Rock": (
            "Pointed stones float around {team}!",
            "The stones around {team} are gone.",
        ),
        "Spikes": ("Spikes lie around {team}!", "The spikes around {team} are gone."),
        "Toxic Spikes": (
            "Poison spikes lie around {team}!",
            "The poison spikes around {team} are gone.",
        ),
        "Sticky Web": ("A sticky web lies around {team}!", "The sticky web around {team} is gone."),
    }
)
STARTS = MappingProxyType(
    {
        "Substitute": ("put up a substitute!", "'s substitute faded!"),
        "confusion": ("became confused!", " snapped out of its confusion!"),
        "Taunt": ("fell for the taunt!", " shook off the taunt!"),
        "Encore": ("must do an encore!", "'s encore ended!"),
        "Leech Seed": ("was seeded!", " was freed from Leech Seed!"),
        "Yawn": ("grew drowsy!", ""),
        "Disable": ("had a move disabled!", "'s move is no longer disabled!"),
        "Imprison": ("sealed the opponent's moves!", ""),
        "Throat Chop": ("can't use sound moves!", " can use sound moves again!"),
        "Heal Block": ("was prevented from healing!", "'s Heal Block wore off!"),
        "Flash Fire": ("powered up its Fire moves!", ""),
    }
)
SINGLE = MappingProxyType(
    {
        "Protect": "protected itself!",
        "Follow Me": "became the center of attention!",
        "Rage Powder": "became the center of attention!",
        "Helping Hand": "is ready to be helped!",
        "Wide Guard": "protects its side with Wide Guard!",
        "Quick Guard": "protects its side with Quick Guard!",
        "Endure": "braced itself!",
        "Focus Punch": "is tightening its focus!",
        "Destiny Bond": "hopes to take its attacker down with it!",
    }
)
PROTECTS = frozenset(
    {
        "Protect",
        "Detect",
        "Wide Guard",
        "Quick Guard",
        "Spiky Shield",
        "King's Shield",
        "Baneful Bunker",
        "Silk Trap",
        "Burning Bulwark",
    }
)
CAUSES = MappingProxyType(
    {"brn": "burn", "psn": "poison", "tox": "poison", "confusion": "confusion", "drain": "drained"}
)
