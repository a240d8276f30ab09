import numpy as np
import pytest

from engine.env.features import (
    CHANNELS,
    COLUMNS,
    LAYOUT,
    ROWS,
    FeatureEncoder,
    feature_size,
)
from engine.games.catalog import load_game
from engine.games.menus import MenuKind
from engine.types import Action, Bag, Facing, GameState, MapId, Move, Warp
from tests.engine.games.images import PRACTICE
from tests.engine.states import make_battle, make_control, make_creature, make_state, make_view

KEYS = tuple(one.key for one in PRACTICE.MILESTONES)
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
) -> np.ndarray:
    out = np.full(feature_size(len(Action)), 99.0, np.float32)
    encoder.encode(
        out,
        state,
        visited,
        milestones or {},
        idle_steps=10,
        episode_share=0.25,
        last_action=last_action,
    )
    assert not (out == 99.0).any(), "every feature is written"
    return out


def window(features: np.ndarray, channel: str) -> np.ndarray:
    shaped = features[LAYOUT["window"]].reshape(len(CHANNELS), ROWS, COLUMNS)
    return shaped[CHANNELS.index(channel)]


def test_layout_covers_the_vector_without_gaps() -> None:
    ends = [0] + [part.stop for part in LAYOUT.values()]
    assert [part.start for part in LAYOUT.values()] == ends[:-1]
    assert ends[-1] is None, "the last slice has a place for each action"
    assert feature_size(len(Action)) == ends[-2] + len(Action)


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
    assert features[LAYOUT["map"]].argmax() == list(PRACTICE.MAPS).index((40, 2))
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
