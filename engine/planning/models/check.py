"""Find out, step by step, whether a language model can be used, and how fast it is."""

import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from engine.config import PlannerConfig
from engine.errors import LLMConnectionError
from engine.games.base import GAME_BOY_ROLE_PLAYING
from engine.ground.text import one_line
from engine.planning.models.asking import Answer, Transcript, ask
from engine.planning.models.backends.base import Backend, ChatRequest, ModelStatus
from engine.planning.models.backends.tokens import estimate_tokens
from engine.planning.models.prompt import Notes, compose
from engine.planning.models.reply import read_answer
from engine.planning_types import Condition, GoalOption, PlanningQuery, Section
from engine.types import Goal, GoalKind

# A question as long as a run's, for trying out a model without a game.


def _choice(kind: GoalKind, target: str, text: str, condition: Condition) -> GoalOption:
    goal = Goal(kind.value, text, kind=kind)
    return GoalOption(
        kind,
        target,
        f"{target} {text}".strip(),
        goal,
        tuple(dict.fromkeys((condition, Condition.MILESTONE))),
    )


_REACH = (
    ("exit 1", "to LODGE, 9 steps"),
    ("south edge", "to FERNWICK, 14 steps"),
    ("east edge", "to STONEHOLLOW, 26 steps"),
)
_MEET = (
    ("person A", "(15,14), 6 steps"),
    ("sign 1", "(8,21), 7 steps"),
    ("person B", "(9,8), 18 steps"),
    ("person C", "(3,4), 27 steps"),
    ("sign 2", "(17,3), 28 steps"),
)
_FAR = ("HOME", "LAB", "WREN HOUSE", "CENTER", "GYM", "SHOP", "MILL")
EXAMPLE = PlanningQuery(
    key="example",
    env_index=0,
    trigger="battle",
    game=GAME_BOY_ROLE_PLAYING,
    sections=(
        Section(
            "world",
            "Where ways lead:\n"
            "  HOME: FERNWICK\n"
            "  FERNWICK: HOME, LAB, WREN HOUSE, MILLBROOK PATH\n"
            "  LAB: FERNWICK\n"
            "  WREN HOUSE: FERNWICK\n"
            "  MILLBROOK PATH: FERNWICK, LODGE, STONEHOLLOW\n"
            "  LODGE: MILLBROOK PATH\n"
            "  STONEHOLLOW: CENTER, GYM, SHOP, MILL, MILLBROOK PATH\n"
            "  CENTER: STONEHOLLOW\n"
            "  GYM: STONEHOLLOW\n"
            "  SHOP: STONEHOLLOW\n"
            "  MILL: STONEHOLLOW",
            8,
        ),
        Section("progress", "Badges 0 of 16, money 750, species caught 1, seen 6.", 7),
        Section("bag", "Items: SALVE\nBalls: GLOW BALL x5", 6),
        Section("party", "Party:\n  RILLET L7 3/25: BUMP 34, UNNERVE 30, DOUSE 2, BRACE 30", 5),
        Section("goals", "5 of 10 milestones are passed. Next milestone: Reach Stonehollow", 3),
        Section("place", "MILLBROOK PATH (route) at (15,20) facing right, free to walk.", 0),
        Section("screen", 'On screen:\n  "RILLET is badly hurt!"', 1),
        Section(
            "map",
            "    890123456789012\n"
            " 14 ,,,,....A..####\n"
            " 15 ,,,,.......####\n"
            " 16 ,,,,.......####\n"
            " 17 ...........####\n"
            " 18 .....,,,,..####\n"
            " 19 .....,,,,..####\n"
            " 20 .....,,>,..####\n"
            " 21 ?..........####\n"
            " 22 #..############\n"
            " 23 #..############\n"
            " 24 #..############\n"
            " 25 #..############\n"
            " 26 #..........####",
            4,
        ),
    ),
    options=(
        _choice(
            GoalKind.REACH,
            "next milestone",
            "in STONEHOLLOW, about 45 steps: Reach Stonehollow",
            Condition.MILESTONE,
        ),
        *(_choice(GoalKind.REACH, name, text, Condition.ENTERED) for name, text in _REACH),
        *(_choice(GoalKind.MEET, name, text, Condition.ANSWERED) for name, text in _MEET),
        _choice(GoalKind.HEAL, "", "rest at the lodge", Condition.HEALED),
        _choice(GoalKind.TRAIN, "", "train in the tall grass here", Condition.LEVEL_GAINED),
        _choice(GoalKind.CATCH, "", "catch one in the grass here", Condition.CAUGHT),
        _choice(GoalKind.EXPLORE, "", "walk where you have not been", Condition.NEW_TILES),
        *(_choice(GoalKind.REACH, name, "", Condition.ENTERED) for name in _FAR),
    ),
    recent=(
        ("Go to MILLBROOK PATH", "reached"),
        ("Win the battle", "reached"),
        ("Go to STONEHOLLOW", "failed"),
    ),
    rules=(
        "The milestones in their order: Go downstairs; Leave the house; Enter the laboratory; "
        "Choose a creature; Set out on Millbrook Path; Reach Stonehollow; Enter the gym; Beat the "
        "first pupil; Beat the second pupil; Win the first badge\n"
        "The map is drawn with these symbols, you as one of ^ v < >: # wall  . floor  "
        ", tall grass  ~ water  = counter  % shelf, tree, machine: may answer A  ? sign: answers A"
        "  * other way out  _ ledge, hop down  1-9 exits  A-L people and things"
    ),
)
EXAMPLE_NOTES = Notes(
    summary=(
        "4 episodes, 1 of them won.\n"
        "Milestones reached, the latest first: reached route (episode 1), got starter "
        "(episode 1).\n"
        "Win the battle: tried 11, reached 5, led on 3\n"
        "Go to STONEHOLLOW: tried 10, reached 8, led on 8\n"
        "Go to FERNWICK: tried 6, reached 6, led on 6\n"
        "Go to LAB: tried 6, reached 6, led on 6\n"
        "Rest at the lodge: tried 2, reached 2, led on 1"
    )
)


STEPS = ("server", "model", "load", "answer", "schema", "speed")
_SHOWN_MODELS = 8


@dataclass(frozen=True, slots=True)
class CheckStep:
    """What a step of the check showed.

    Attributes:
        name: One of STEPS.
        is_ok: None: not tried, as an earlier step failed.
        text: What was found.
        remedy: What to do about it, "" where there is nothing to do.
    """

    name: str
    is_ok: bool | None
    text: str
    remedy: str = ""


async def check_model(
    backend: Backend,
    settings: PlannerConfig,
    *,
    max_context_length: int = 8000,
    clock: Callable[[], float] = time.monotonic,
) -> tuple[CheckStep, ...]:
    """Return the steps of STEPS in order, those after a failure as not tried; none raises.

    Args:
        backend: The model; it is asked one question, as long as those of a run.
        settings: As in a run, with its deadlines: a model that is too slow fails here, too.
        max_context_length: Most tokens of the question and its answer.
        clock: Measures.
    """
    steps = [step async for step in _steps(backend, settings, max_context_length, clock)]
    return (*steps, *(CheckStep(name, None, "not tried") for name in STEPS[len(steps) :]))


async def _steps(
    backend: Backend, settings: PlannerConfig, max_context_length: int, clock: Callable[[], float]
) -> AsyncGenerator[CheckStep]:
    for step in _reach(backend, await backend.probe()):
        yield step
        if not step.is_ok:
            return
    began = clock()
    try:
        await backend.load()
    except LLMConnectionError as error:
        yield CheckStep("load", False, error.message, error.hint)
        return
    yield CheckStep("load", True, f"loaded after {clock() - began:.1f} s")
    request = compose(EXAMPLE, EXAMPLE_NOTES, max_tokens=max_context_length, settings=settings)
    try:
        answer = await ask(
            backend,
            request,
            first_token_timeout_s=settings.first_token_timeout_s,
            answer_timeout_s=settings.answer_timeout_s,
            transcript=Transcript(request, clock=clock),
        )
    except LLMConnectionError as error:
        yield CheckStep("answer", False, error.message, error.hint)
        return
    text = one_line(answer.text, 160)
    silent = (
        f"It was {answer.cut}." if answer.cut else "Choose another model: this one returns nothing."
    )
    yield CheckStep("answer", bool(text), text or "nothing", "" if text else silent)
    yield _schema(answer)
    yield _speed(request, answer)


def _reach(backend: Backend, status: ModelStatus) -> tuple[CheckStep, ...]:
    if status.state in ("unreachable", "refused"):
        return (CheckStep("server", False, status.state, status.detail),)
    text = "not needed" if backend.name == "local" else f"{backend.name} responds"
    server = CheckStep("server", True, text)
    had = ", ".join(one_line(model, 60) for model in status.models[:_SHOWN_MODELS])
    more = ", ..." if len(status.models) > _SHOWN_MODELS else ""
    listed = f"; available: {had}{more}" if had else ""
    if status.state == "missing":
        return server, CheckStep("model", False, f"no {backend.model}{listed}", status.detail)
    if not status.detail:
        return server, CheckStep("model", True, f"{backend.model} is available")
    found = status.detail.rstrip(".") + (listed if status.state == "ready" else "")
    return server, CheckStep("model", True, found)


def _schema(answer: Answer) -> CheckStep:
    """Return whether a run could follow the answer, and whether it would have to mend it."""
    reading = read_answer(answer, EXAMPLE, "")
    if reading.plan is None:
        remedy = "" if answer.cut else "A larger model follows the format better."
        return CheckStep("schema", False, reading.error, remedy)
    if reading.repairs:
        return CheckStep("schema", True, f"readable after repair: {', '.join(reading.repairs)}")
    return CheckStep("schema", True, "followed exactly")


def _speed(request: ChatRequest, answer: Answer) -> CheckStep:
    read = answer.prompt_tokens or estimate_tokens(request.system + request.user)
    written = answer.answer_tokens or estimate_tokens(answer.text + answer.thinking)
    first_s, writing_s = answer.first_token_s, answer.latency_s - answer.first_token_s
    return CheckStep(
        "speed",
        True,
        f"read {read} tokens in {first_s:.2f} s{_rate(read, first_s)}, "
        f"wrote {written} in {writing_s:.2f} s{_rate(written, writing_s)}",
    )


def _rate(tokens: int, seconds: float) -> str:
    return f" ({tokens / seconds:.0f}/s)" if seconds > 0.05 else ""
