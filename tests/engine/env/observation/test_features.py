from typing import get_args

import numpy as np
import pytest

from engine.config import FeatureKind
from engine.env.observation.compass import Bearing
from engine.env.observation.features import FeatureEncoder, Recent
from engine.env.observation.layout import CHANNELS, COLUMNS, ROWS, code_of, kind_of, layout_of
from engine.games.base import Approach, MenuKind, Milestone, MilestoneKind
from engine.games.catalog import load_game
from engine.games.crystal.game import CrystalGame
from engine.games.crystal.memory import FACTS
from engine.games.facts import read_tables
from engine.types import Action, Bag, Facing, GameState, MapId, Move, Prompt, Warp
from tests.engine.games.images import PRACTICE
from tests.engine.states import make_battle, make_control, make_creature, make_state, make_view

KINDS: tuple[FeatureKind, ...] = get_args(FeatureKind)
KEYS = tuple(one.key for one in PRACTICE.MILESTONES)
LAYOUT = layout_of(load_game("")).slices
CENTRE = (ROWS // 2, COLUMNS // 2)


@pytest.fixture
def encoder() -> FeatureEncoder:
    return FeatureEncoder(load_game(""))


def encode(
    encoder: FeatureEncoder,
    state: GameState,
    visited: np.ndarray | None = None,
    milestones: dict[str, int] | None = None,
    last_action: int = -1,
    bearing: Bearing | None = None,
) -> np.ndarray:
    out = np.full(encoder.layout.size, 99.0, np.float32)
    recent = Recent(10, 0.25, last_action, 5, Prompt.YES_NO)
    encoder.encode(out, state, visited, milestones or {}, recent, bearing)
    assert not (out == 99.0).any(), "every feature is written"
    return out


def window(features: np.ndarray, channel: str) -> np.ndarray:
    shaped = features[LAYOUT["window"]].reshape(len(CHANNELS), ROWS, COLUMNS)
    return shaped[CHANNELS.index(channel)]


@pytest.mark.parametrize("kind", KINDS)
def test_layout_covers_the_vector_without_gaps(kind: FeatureKind) -> None:
    layout = layout_of(load_game(""), kind)
    ends = [0] + [part.stop for part in layout.slices.values()]
    assert [part.start for part in layout.slices.values()] == ends[:-1]
    assert (ends[-1], layout.size_of("last_action")) == (layout.size, len(Action))


def test_a_layout_is_known_by_its_size() -> None:
    game = load_game("")
    sizes = {kind: layout_of(game, kind).size for kind in KINDS}
    assert {kind: kind_of(game, size) for kind, size in sizes.items()} == {k: k for k in KINDS}
    assert sizes["first"] == 903, "policies of older runs have it"
    assert kind_of(game, 902) is None


@pytest.mark.parametrize("title", ["crystal", "emerald", "practice", "mosslight_advance"])
def test_no_two_maps_or_milestones_of_a_game_share_a_code(title: str) -> None:
    tables = read_tables(FACTS.parents[1] / title / "facts")
    places = [MapId(*key) for key in tables.MAPS]
    keys = [one.key for one in tables.MILESTONES]
    assert len({code_of(name) for name in [*places, *keys]}) == len(places) + len(keys)


def test_no_two_tiles_of_a_map_share_their_features(encoder: FeatureEncoder) -> None:
    tiles = {(x, y) for x in range(0, 256, 17) for y in range(0, 256, 31)}
    seen = [
        encode(encoder, make_state(*tile))[LAYOUT["x"].start : LAYOUT["y"].stop] for tile in tiles
    ]
    assert len({row.tobytes() for row in seen}) == len(tiles)


def test_every_milestone_of_a_long_story_has_a_place() -> None:
    game = CrystalGame("0" * 40, "TEST", "test")
    bits = layout_of(game).slices["milestones"]
    encoder, last = FeatureEncoder(game), game.tables.MILESTONES[-1].key
    assert len(game.tables.MILESTONES) > 24
    assert np.flatnonzero(encode(encoder, make_state(), milestones={last: 1})[bits]).tolist() == [
        len(game.tables.MILESTONES) - 1
    ]


def test_the_goal_is_seen_as_milestone_place_and_way(encoder: FeatureEncoder) -> None:
    goal = Milestone("a", "A", MilestoneKind.EVENT, place=MapId(40, 9), how=Approach.TALK, level=9)
    bearing = Bearing(goal, (5, 1), Facing.UP, 8, 100)
    features = encode(encoder, make_state(3, 8), bearing=bearing)
    assert features[LAYOUT["goal"]].tolist() == pytest.approx([1.0, 0.0, 0.9, 0.0, 1.0, 0.0])
    assert tuple(features[LAYOUT["goal_milestone"]]) == code_of("a")
    assert tuple(features[LAYOUT["goal_map"]]) == code_of(MapId(40, 9))
    across, along = features[LAYOUT["near"]].reshape(2, -1)
    assert (across.argmax() - 5, along.argmax() - 5) == (2, -5), "farther ones count as 5"
    assert features[LAYOUT["offset"]].tolist() == [2 / 32, -7 / 32]
    assert features[LAYOUT["way"]].tolist() == [0.5, 0.5, 0.0, 1.0, 0.0, 0.0]


def test_without_a_bearing_no_goal_is_seen(encoder: FeatureEncoder) -> None:
    features = encode(encoder, make_state())
    assert not features[LAYOUT["goal"].start : LAYOUT["way"].stop].any()


def test_the_screen_is_seen_by_its_words_and_what_it_waits_for(encoder: FeatureEncoder) -> None:
    def seen(*lines: str) -> np.ndarray:
        control = make_control(prompt=Prompt.TEXT)
        return encode(encoder, make_state(control=control, screen_text=lines))

    features = seen("SAVE THE", "GAME?")
    assert features[LAYOUT["prompt"]].argmax() == list(Prompt).index(Prompt.TEXT)
    assert features[LAYOUT["last_prompt"]].argmax() == list(Prompt).index(Prompt.YES_NO)
    assert features[LAYOUT["unchanged"]].tolist() == [5 / 8, 0.0, 1.0, 0.0, 0.0]
    words = LAYOUT["words"]
    assert np.array_equal(features[words], seen("game? the save")[words])
    assert not np.array_equal(features[words], seen("Hello")[words])


@pytest.mark.parametrize("kind", ["plain", "first"])
def test_other_layouts_know_no_goal(kind: FeatureKind) -> None:
    assert not {"goal", "goal_map", "way"} & {*layout_of(load_game(""), kind).slices}


def test_window_is_centred_on_the_player(encoder: FeatureEncoder) -> None:
    view = make_view(("......", "..#...", '.."...', "......"), tiles={'"': 0x18})
    features = encode(encoder, make_state(2, 2, map=view))
    row, column = CENTRE
    assert window(features, "grass")[row, column] == 1.0
    assert window(features, "walkable")[row - 1, column] == 0.0
    assert window(features, "walkable")[row, column + 1] == 1.0


def test_window_shows_warps_objects_signs_and_visits(encoder: FeatureEncoder) -> None:
    view = make_view(warps=(Warp(3, 2, MapId(40, 2), 1),), objects=((2, 1),), signs=((1, 2),))
    visited = np.zeros((4 + 12, 6 + 12), np.float32)
    visited[6 + 3, 6 + 2] = 1.0
    features = encode(encoder, make_state(2, 2, map=view), visited)
    row, column = CENTRE
    assert window(features, "warp")[row, column + 1] == 1.0
    assert window(features, "object")[row - 1, column] == 1.0
    assert window(features, "talking")[row, column - 1] == 1.0
    assert window(features, "visited")[row + 1, column] == 1.0
    assert window(features, "visited").sum() == 1.0


def test_neighbours_tiles_beyond_the_edge_are_seen(encoder: FeatureEncoder) -> None:
    features = encode(encoder, make_state(0, 0, map=make_view(border=0)))
    assert window(features, "walkable").all()


def test_map_position_facing_and_last_action(encoder: FeatureEncoder) -> None:
    state = make_state(3, 1, Facing.LEFT, map_number=2)
    features = encode(encoder, state, last_action=5)
    assert tuple(features[LAYOUT["map"]]) == code_of(MapId(40, 2))
    assert (features[LAYOUT["x"]].argmax(), features[LAYOUT["y"]].argmax()) == (3, 1)
    assert features[LAYOUT["facing"]].tolist() == [0.0, 0.0, 1.0, 0.0]
    assert features[LAYOUT["last_action"]].argmax() == 5
    assert features[LAYOUT["time"]].tolist() == pytest.approx([0.1, 0.25])


def test_milestone_bits_are_in_table_order(encoder: FeatureEncoder) -> None:
    bits = encode(encoder, make_state(), milestones={KEYS[2]: 40})[LAYOUT["milestones"]]
    assert np.flatnonzero(bits).tolist() == [2]


def test_menu_kind_and_cursor(encoder: FeatureEncoder) -> None:
    control = make_control(in_menu=True, cursor=(2, 1), menu_size=(2, 1))
    features = encode(encoder, make_state(control=control, screen_text=("YES", "▶NO")))
    assert features[LAYOUT["menu_kind"]].argmax() == MenuKind.YES_NO
    assert features[LAYOUT["cursor_row"]].argmax() == 1
    assert features[LAYOUT["cursor_column"]].argmax() == 0


def test_battle_hides_the_map_and_shows_both_sides(encoder: FeatureEncoder) -> None:
    battle = make_battle(own=make_creature(hp=5), enemy=make_creature(hp=10, max_hp=40, level=8))
    features = encode(encoder, make_state(battle=battle, control=make_control()))
    assert not features[LAYOUT["window"]].any()
    own_hp, own_level, _, enemy_hp, enemy_level = features[LAYOUT["battle"]][2:7]
    assert (own_hp, own_level, enemy_hp, enemy_level) == pytest.approx((0.25, 0.25, 0.25, 0.4))


def test_effective_move_stands_out(encoder: FeatureEncoder) -> None:
    numbers = {facts[0]: number for number, facts in PRACTICE.MOVES.items()}
    moves = tuple(Move(numbers[name], name, 20) for name in ("KINDLE", "DOUSE"))
    own = make_creature(types=(20,), moves=moves)
    enemy = make_creature(types=(5,))
    features = encode(encoder, make_state(battle=make_battle(own=own, enemy=enemy)))
    fire, water, third, _ = features[LAYOUT["moves"]].reshape(4, 5)
    assert (fire[2], water[2]) == (0.25, 1.0)
    assert water[4] > fire[4] > 0.0
    assert not third.any()


def test_move_without_points_has_no_strength(encoder: FeatureEncoder) -> None:
    own = make_creature(moves=(Move(1, "BUMP", 0),))
    features = encode(encoder, make_state(battle=make_battle(own=own)))
    assert features[LAYOUT["moves"]][4] == 0.0


def test_bag_counts_potions_and_balls(encoder: FeatureEncoder) -> None:
    state = make_state(bag=Bag(items=((18, 2), (9, 5)), balls=((5, 1),)), money=2500)
    assert encode(encoder, state)[LAYOUT["bag"]].tolist() == pytest.approx([0.4, 0.2, 0.5])
