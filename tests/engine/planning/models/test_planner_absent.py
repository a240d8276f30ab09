"""Several models of which one is away: what is decided without it, and that it is told."""

from collections.abc import Iterator

import pytest

from engine.planning.models.backends import make_backend
from engine.planning.models.backends.base import Backend
from tests.engine.planning.models.fake_backends import Listener, answer, listening
from tests.engine.planning.models.queries import TOWN, query
from tests.engine.planning.models.servers import Call
from tests.engine.planning.models.servers.ollama import ScriptedOllama

BELIEVED = {"here": 0.1, "away": 0.9}


class Model(ScriptedOllama):
    """A server whose model always picks the same."""

    def __init__(self, name: str, pick: int) -> None:
        super().__init__(models=[f"{name}:latest"])
        self.name = name
        self.scenario = "answer"
        self._answer = answer(TOWN[pick])

    def play_answer(self, call: Call) -> None:
        self.play_good(call, self._answer)

    def go(self) -> None:
        self.models, self.loaded = (), set()

    def come_back(self) -> None:
        self.models, self.loaded = (f"{self.name}:latest",), {f"{self.name}:latest"}

    @property
    def backend(self) -> Backend:
        return make_backend(self.name, backend="ollama", base_url=self.url)


@pytest.fixture
def here() -> Iterator[Model]:
    with Model("here", 1) as server:
        yield server


@pytest.fixture
def away() -> Iterator[Model]:
    """The same with another model, which it does not have for now."""
    with Model("away", 2) as server:
        server.go()
        yield server


def until_all_are_well(heard: Listener) -> None:
    heard.until(lambda: heard.status.state == "ready" and not heard.status.detail)


def test_plan_made_without_a_model_is_asked_again_once_it_is_back(here, away):
    with listening(here.backend, away.backend) as heard:
        heard.ask(query(), weights=BELIEVED)
        assert [plan.goal_sources for plan in heard.plans] == [("here",)]
        away.come_back()
        until_all_are_well(heard)
        heard.ask(query(), weights=BELIEVED)
        assert heard.plans[-1].goal_sources == ("away",)
        assert (len(here.asked), len(away.asked)) == (2, 1)
        heard.ask(query(), weights=BELIEVED)
        assert heard.plans[-1].goal_sources == ("away",)
    assert (len(here.asked), len(away.asked)) == (2, 1)  # now it is known


def test_while_a_model_is_away_what_was_decided_without_it_is_known(here, away):
    with listening(here.backend, away.backend) as heard:
        for _ in range(3):
            heard.ask(query())
        saved = heard.planner.save()
    assert len(here.asked) == 1
    assert len(heard.plans) == 3
    with listening(here.backend, away.backend, facts=saved) as heard:
        heard.ask(query())  # it waits until both servers were looked at
        assert heard.plans[0].goal_sources == ("here",)
    assert len(here.asked) == 1


def test_plan_of_all_models_stays_known_when_one_goes_away(here, away):
    away.come_back()
    with listening(here.backend, away.backend) as heard:
        heard.ask(query(), weights=BELIEVED)
        away.go()
        heard.ask(query(key="other"), weights=BELIEVED)
        heard.until(lambda: "ollama pull away" in heard.status.detail)
        heard.ask(query(), weights=BELIEVED)
    assert [plan.goal_sources for plan in heard.plans] == [("away",), ("here",), ("away",)]


def test_a_voter_that_cannot_be_read_has_voted(here, away):
    away.come_back()
    away.scenario = "wrong_enum"
    with listening(here.backend, away.backend) as heard:
        for _ in range(3):
            heard.ask(query())
    assert len(away.asked) == 1  # it would say the same again


def test_a_model_that_is_away_is_told_beside_those_that_are_there(here, away):
    with listening(here.backend, away.backend) as heard:
        heard.ask(query())
        assert (heard.status.state, heard.status.model) == ("ready", "here, away")
        assert heard.status.absent == "1 of 2 models ready, away: missing"
        assert "ollama pull away" in heard.status.detail
        away.come_back()
        until_all_are_well(heard)
        assert heard.status.absent == ""
        here.go()
        heard.ask(query(key="other"))
        heard.until(lambda: heard.status.absent == "1 of 2 models ready, here: missing")
        away.go()
        heard.ask(query(key="third"))
        heard.until_state("missing")
        assert heard.status.absent == ""  # its state says all
