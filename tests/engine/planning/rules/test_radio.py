"""Tuning the radio: what the game shows in the order in which it does, by what is known of it."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from engine.env.anti_stuck import AntiStuck
from engine.games.base import Approach, GameTables, Milestone, MilestoneKind, Tune
from engine.games.crystal.game import CrystalGame
from engine.planning.rules.advisor import RuleAdvisor
from engine.types import Action, Facing, GameState, MapObject, Prompt
from tests.engine.games.world_images import Drawn, Person, build
from tests.engine.planning.goals.helpers import FREE, HERE, creature, state, view
from tests.engine.states import make_control
from tests.engine.wayfinding.test_routes import INN

ROOM = ["." * 12] * 6
SLEEPER, BEFORE = (5, 1), (5, 3)
MAP_MUSIC, OTHER, FLUTE = 7, 71, 64
AWAKE, EXPANSION = 5, 3
CLOCK, MAP, PHONE, RADIO = 1, 2, 3, 4
SIGNS = {"GEAR": "  "}
"""Two signs that are read as no letters stand for POKé."""
ENTRIES = ("POKéDEX", "PACK", "GEAR", "SAVE", "EXIT")
TABLES = GameTables(
    MILESTONES=(
        Milestone("expansion_card", "Get the card", MilestoneKind.ENGINE, EXPANSION),
        Milestone(
            "sleeper", "Wake the sleeper", MilestoneKind.EVENT, AWAKE, HERE, SLEEPER,
            ("expansion_card",), Approach.TALK,
        ),
    ),
    TUNES=(Tune(HERE, SLEEPER, FLUTE, 78),),
)  # fmt: skip
IMAGE = build({(1, 1): Drawn(ROOM, people=[Person(*SLEEPER, movement=0x15)]), (1, 2): INN})
GAME = CrystalGame("5" * 40, "PM_CRYSTAL", "radio", IMAGE, tables=TABLES)


@dataclass
class Cartridge:
    """The game before a sleeper of 2 x 2 tiles: what each button does, and what is shown then."""

    cards: tuple[int, ...] = (CLOCK, MAP, PHONE, RADIO)
    has_channel: bool = True
    slips: bool = False
    """The dial goes twice as far the first time that it stands at 76."""
    shuts: bool = False
    """Any button shuts the Pokégear."""
    entries: tuple[str, ...] = ENTRIES
    flags: int = 1 << EXPANSION
    where: str = "map"
    busy: int = 0
    row: int = 0
    card: int = CLOCK
    dial: int = 0
    music: int = MAP_MUSIC
    is_tuned: bool = True
    is_awake: bool = False

    def shown(self) -> GameState:
        things = () if self.is_awake else (MapObject(1, 1, *SLEEPER),)
        now = state(
            replace(view(ROOM), objects=things),
            BEFORE,
            Facing.UP,
            control=FREE if self.where == "map" and not self.busy else self._control(),
            party=[creature(level=50)],
            text=self._text(),
            flags=[AWAKE] if self.is_awake else [],
        )
        return replace(now, music=self.music, engine_flags=bytes((self.flags,)))

    def _control(self):
        if self.busy:
            return make_control(is_scripted=True)
        if self.where == "menu":
            return make_control(in_menu=True, is_scripted=True, cursor=(self.row + 1, 1),
                                menu_size=(len(self.entries), 1), prompt=Prompt.MENU)  # fmt: skip
        if self.where == "text":
            return make_control(in_text=True, is_scripted=True, prompt=Prompt.TEXT)
        return make_control(
            is_scripted=True, prompt=Prompt.SCREEN, pocket=self.card, selection=self.dial
        )

    def _text(self):
        if self.busy or self.where in ("map", "gear"):
            return ["Whom do you want", "to call?"] if self.card == PHONE else []
        if self.where == "text":
            return ["SNORLAX is snoring", "peacefully..."]
        return [
            "▶" + SIGNS.get(entry, "") + entry if i == self.row else entry
            for i, entry in enumerate(self.entries)
        ]

    def press(self, action: Action) -> None:
        if self.busy:
            self.busy -= 1
            assert action is Action.NOOP, "nothing is asked yet"
        else:
            getattr(self, f"_press_on_{self.where}")(action)

    def _press_on_map(self, action: Action) -> None:
        if action is Action.START:
            self.where, self.busy, self.row = "menu", 1, 0
        elif action is Action.A and self.music == FLUTE:
            self.is_awake = True
        elif action is Action.A:
            self.where = "text"

    def _press_on_text(self, action: Action) -> None:
        if action in (Action.A, Action.B):
            self.where = "map"

    def _press_on_menu(self, action: Action) -> None:
        moved = {Action.UP: -1, Action.DOWN: 1}.get(action, 0)
        self.row = (self.row + moved) % len(self.entries)
        if action is Action.A:
            assert self.entries[self.row] == "GEAR"
            self.where, self.card, self.busy = "gear", CLOCK, 1
        elif action is Action.B:
            self.where = "map"

    def _press_on_gear(self, action: Action) -> None:
        turned = 0 if self.shuts else {Action.LEFT: -1, Action.RIGHT: 1}.get(action, 0)
        at = self.cards.index(self.card) + turned
        if turned and 0 <= at < len(self.cards):
            self.card = self.cards[at]
            self._tune()
        elif action in (Action.UP, Action.DOWN) and self.card == RADIO:
            step = 4 if self.slips and self.dial == 76 else 2
            self.slips = self.slips and self.dial != 76
            self.dial = min(80, max(0, self.dial + (step if action is Action.UP else -step)))
            self._tune()
        elif action is Action.B or (action is Action.A and self.card == CLOCK) or self.shuts:
            self.where, self.busy = "menu", 1
            self.music = self.music if self.is_tuned else MAP_MUSIC

    def _tune(self) -> None:
        """Beside a channel nothing plays, but the last number stays until the gear is left."""
        channels = {64: OTHER, 72: OTHER} | ({78: FLUTE} if self.has_channel else {})
        if self.card == RADIO:
            self.is_tuned = self.dial in channels
            self.music = channels.get(self.dial, self.music)


@pytest.fixture
def rules() -> RuleAdvisor:
    found = RuleAdvisor(GAME)
    found.reset(Cartridge().shown())
    return found


def play(rules: RuleAdvisor, game: Cartridge, most: int = 150) -> list[Action]:
    """Play by the rules, within the game's masks, until the sleeper is awake or set aside."""
    pressed: list[Action] = []
    watch = AntiStuck(12, GAME.actions)
    while len(pressed) < most and not game.is_awake:
        if rules.set_aside and game.where == "map":
            break
        now = game.shown()
        blocked = GAME.blocked(now) | watch.blocked(now)
        mask = np.array([action not in blocked for action in Action])
        advice = rules.advise(now, mask)
        assert advice.prior.any(), (advice.reason, now.control, blocked)
        pressed.append(Action(int(advice.prior.argmax())))
        game.press(pressed[-1])
        watch.update(now, game.shown(), pressed[-1], is_progress=False)
    return pressed


def test_the_radio_is_tuned_before_the_sleeper_is_spoken_to(rules) -> None:
    game = Cartridge()
    pressed = play(rules, game)
    ups = 39 * [Action.UP]
    assert pressed == [
        Action.START, Action.NOOP, Action.DOWN, Action.DOWN, Action.A, Action.NOOP,
        *3 * [Action.RIGHT], *ups, Action.B, Action.NOOP, Action.B, Action.A,
    ]  # fmt: skip
    assert game.is_awake


def test_a_dial_that_went_too_far_is_turned_back(rules) -> None:
    game = Cartridge(slips=True)
    pressed = play(rules, game)
    assert game.is_awake
    assert (pressed.count(Action.UP), pressed.count(Action.DOWN) - 2) == (39, 1)


def test_a_dial_that_stands_right_already_is_left_there(rules) -> None:
    game = Cartridge(dial=78)
    pressed = play(rules, game)
    assert game.is_awake
    assert Action.UP not in pressed


def test_music_that_plays_already_needs_no_radio(rules) -> None:
    game = Cartridge(music=FLUTE)
    assert play(rules, game) == [Action.A]


@pytest.mark.parametrize(
    "game",
    [Cartridge((CLOCK, MAP, PHONE)), Cartridge((CLOCK,)), Cartridge(has_channel=False)],
    ids=["no radio card", "clock alone", "no expansion card"],
)
def test_a_missing_card_sets_the_goal_aside(rules, game: Cartridge) -> None:
    play(rules, game)
    assert rules.set_aside == ("sleeper",)
    assert (game.where, game.music) == ("map", MAP_MUSIC)


def test_a_menu_without_the_gear_sets_the_goal_aside(rules) -> None:
    game = Cartridge(entries=("PACK", "SAVE", "EXIT"))
    assert play(rules, game) == [Action.START, Action.NOOP, Action.B]
    assert rules.set_aside == ("sleeper",)


def test_a_gear_that_shuts_again_and_again_sets_the_goal_aside(rules) -> None:
    game = Cartridge(shuts=True)
    play(rules, game, most=400)
    assert rules.set_aside == ("sleeper",)


def test_a_goal_set_aside_is_tried_again_with_its_card(rules) -> None:
    game = Cartridge((CLOCK, MAP, PHONE), flags=0)
    rules.reset(game.shown())
    rules.prioritise_milestone("sleeper")
    play(rules, game)
    assert rules.set_aside == ("sleeper",)
    other = Cartridge()
    rules.notice(other.shown())
    assert rules.set_aside == ()
    play(rules, other)
    assert other.is_awake


@pytest.mark.parametrize("steps", [1, 5, 8, 30, 48, 50])
def test_a_restored_advisor_goes_on_tuning(rules, steps: int) -> None:
    game, whole = Cartridge(), RuleAdvisor(GAME)
    whole.reset(game.shown())
    begun = play(rules, game, most=steps)
    rules.notice(game.shown())
    saved = json.loads(json.dumps(rules.save()))
    other = RuleAdvisor(GAME)
    other.reset(game.shown())
    other.restore(saved)
    rest = play(other, game)
    assert begun + rest == play(whole, Cartridge())
    assert game.is_awake


def test_an_older_save_without_the_radio_is_restored(rules) -> None:
    game = Cartridge()
    play(rules, game, most=10)
    rules.notice(game.shown())
    saved = rules.save()
    del saved["radio"]
    rules.restore(saved)
    play(rules, game)
    assert game.is_awake


def test_an_open_gear_that_nobody_wants_is_left(rules) -> None:
    game = Cartridge(where="gear", card=PHONE, music=FLUTE)
    assert play(rules, game)[:3] == [Action.B, Action.NOOP, Action.B]
