import numpy as np
import pytest

from engine.config import RunConfig
from engine.env.choices import BY_HAND, UNKNOWN, ChoiceLog, Choices, code_of
from engine.env.input_recording import Recording, Segment
from engine.env.stepping import SteppedEnv, make_game_env
from engine.planning.goals.planned import PlannedAdvisor
from engine.types import Source


def test_choices_come_back_as_they_were_packed():
    log = ChoiceLog()
    log.add(code_of(Source.PLANNER, 0.8), "to the door")
    log.add(code_of(Source.POLICY, 1.0), "")
    log.add(UNKNOWN, "")
    log.add(BY_HAND, "")
    found = Choices.unpack(log.choices.pack(), 4)
    assert found == log.choices
    first, second, third, last = (found.decision(step, 2, "UP") for step in range(4))
    assert (first.source, first.reason) == (Source.PLANNER, "UP: to the door")
    assert first.confidence == pytest.approx(0.8)
    assert second.reason == "UP, confidence 100%"
    assert third is None
    assert last.source is Source.HUMAN
    assert found.decision(4, 2, "UP") is None


def test_reasons_beyond_the_table_and_long_ones_are_bounded():
    log = ChoiceLog()
    for number in range(400):
        log.add(code_of(Source.RULES, 0.5), f"{number} {'x' * 500}")
    texts = log.choices.texts
    assert len(texts) == 255
    assert max(map(len, texts)) <= 200


@pytest.mark.parametrize(
    "packed",
    [[], ["!"], ["", 3], [None], [1, 2], "text", ["eJwDAAAAAAE="], ["eJxjYGBgAAAABAAB"]],
)
def test_damaged_choices_cost_nothing_but_themselves(packed):
    assert not Choices.unpack(packed, 3).codes
    whole = Segment((1, 2), b"\0\1\2").pack()
    assert Segment.unpack([*whole, [], packed]).actions == b"\0\1\2"


def test_what_an_environment_records_is_what_was_shown(tmp_path):
    env = make_game_env(RunConfig(save_dir=str(tmp_path)), 0)
    stepped = SteppedEnv(env, PlannedAdvisor(env.game, 0, 1))
    shown = []
    try:
        stepped.begin(1)
        for number in range(40):
            action = int(np.where(stepped.mask, stepped.prior, -1.0).argmax())
            source = Source.PLANNER if number % 3 else Source.POLICY
            reason = stepped.reason.partition(": ")[0] if number % 3 else ""
            shown.append((action, source, reason))
            stepped.chosen_by(code_of(source, 0.4))
            stepped.step(action)
            if number == 20:
                stepped.restore(stepped.save())
        recording = Recording.decode(env.recording().encode())
    finally:
        stepped.close()
    choices = recording.segments[-1].choices
    assert bytes(action for action, *_ in shown) == recording.actions
    for step, (action, source, reason) in enumerate(shown):
        decision = choices.decision(step, action, "X")
        assert decision.source is source
        assert reason in decision.reason
