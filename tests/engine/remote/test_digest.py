from engine import events
from engine.remote.server import RunDigest
from engine.types import EpisodeSummary, GoalKind, GoalTally
from pokeTUI.dashboard.state import DashboardState, fold
from tests.pokeTUI.fake_session import make_curriculum, make_run, make_status, one_of_everything


def replayed(*told: events.Event) -> list[events.Event]:
    digest = RunDigest()
    for event in told:
        digest.take(event)
    return digest.replay()


def without_marks(told: list[events.Event]) -> list[events.Event]:
    return [event for event in told if not isinstance(event, events.PastReplayed)]


def test_digest_keeps_the_latest_event_of_most_kinds() -> None:
    told = replayed(make_status(episode=1), make_run(), make_curriculum(), make_status(episode=2))
    assert without_marks(told) == [make_run(), make_curriculum(), make_status(episode=2)]


def test_late_viewer_logs_each_event_at_the_time_at_which_it_happened() -> None:
    told = replayed(
        make_run(),
        make_status(uptime_s=61.5),
        events.WarningRaised("The disk is nearly full."),
        make_status(uptime_s=3600.0),
        events.ProgressReported("saving"),
        make_status(uptime_s=7200.0),
    )
    state = DashboardState()
    for event in [*told, events.WarningRaised("The disk is full.")]:
        state = fold(state, event)
    lines = {line.text: line.uptime_s for line in state.event_log.lines()[1:]}
    assert lines == {
        "The disk is nearly full.": 61.0,
        "saving": 3600.0,
        "The disk is full.": 7200.0,
    }


def test_episodes_are_kept_without_what_no_viewer_shows() -> None:
    tally = GoalTally("rules", GoalKind.HEAL, 1, 0)
    ended = [
        events.EpisodeEnded(number, 10, EpisodeSummary(0, 1.0, 9, (), goals=(tally,)))
        for number in range(5000)
    ]
    kept = [event for event in replayed(*ended) if isinstance(event, events.EpisodeEnded)]
    assert [event.episode for event in kept] == list(range(3000, 5000))
    assert not any(event.summary.goals for event in kept)


def test_digest_drops_streamed_words_when_the_answer_is_complete() -> None:
    answer = events.PlanAnswered(1, "m", "go", 0.8, "Go.", "", (), 1.0, 0.4, 90, 12, 0.0)
    asked, more = events.PlanRequested(1, 0, "m", "start", "bed"), events.PlanStreamed(2, "Sta")
    told = replayed(asked, events.PlanStreamed(1, "Go"), answer, more)
    assert without_marks(told) == [asked, answer, more]


def test_a_digest_stays_small_however_long_the_run() -> None:
    digest = RunDigest()
    for _ in range(200):
        for event in one_of_everything():
            digest.take(event)
    assert len(digest.replay()) < 3500
