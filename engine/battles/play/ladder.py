"""Play against the users of a battle server on this machine, whoever started it."""

import asyncio
import ipaddress
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from engine.battles.play.sets import choose_selection, shown_selection
from engine.battles.policy import Policy
from engine.battles.sim.setup import NodeCommand
from engine.battles.sim.simulator import NOBODY, POLICY, Lane, Simulator
from engine.battles.sim.teams import Format, validate
from engine.battles.sim.websocket import (
    Acting,
    ServerBattle,
    ServerPlayer,
    ServerSet,
    deciding,
)
from engine.errors import BattleError, ConfigurationError
from engine.ground.numerals import parse_whole


@dataclass(frozen=True, slots=True)
class Game:
    """A battle or a set that ended, or a set that continues.

    Attributes:
        opponent: The other user.
        result: 1 won, 0 tie, -1 lost; None: the set continues.
        turns: Of all games.
        games: The results of a set's games so far; of a single battle, none.
    """

    opponent: str
    result: int | None
    turns: int
    games: tuple[int, ...] = ()

    @property
    def score(self) -> str:
        """Return how a set stands, "2-1"."""
        return f"{self.games.count(1)}-{self.games.count(-1)}"


@dataclass(frozen=True, slots=True)
class Seat:
    """Where our agent plays, and as whom.

    Attributes:
        address: host:port; the host must be this machine.
        name: The user's name.
        format: A best of three is played as the server's sets.
        team: Packed.
    """

    address: str
    name: str
    format: Format
    team: str


def play_on_server(
    policy: Acting,
    seat: Seat,
    games: int,
    node: NodeCommand,
    *,
    challenge: str = "",
    is_searching: bool = False,
    greedy: bool = False,
    report: Callable[[Game], None] = lambda game: None,
) -> None:
    """Play a number of battles, or of sets, against the server's users.

    Args:
        policy: Plays.
        seat: Where, and as whom.
        games: How many.
        node: Where Node and the simulator are.
        challenge: User to challenge; "": wait for challenges.
        is_searching: Let the server find opponents (its ladder) instead.
        greedy: Take the likeliest choice instead of drawing one.
        report: Called when a battle, a set or a game of one has ended.

    Raises:
        ConfigurationError: The address is not of this machine.
        BattleError: The team or the challenge is refused.
        WorkerError: The connection or the simulator is lost.
    """
    check_address(seat.address)
    with Simulator((), node) as eyes:
        validate(eyes, seat.format, seat.team)
        rng = np.random.default_rng()
        act = deciding(policy, rng, greedy=greedy)

        def select(battle: ServerBattle, games: Sequence[ServerBattle]) -> int | None:
            if not isinstance(policy, Policy):
                return None
            return _select(eyes, policy, seat, battle, games, rng)

        async def play() -> None:
            player = ServerPlayer(
                seat.name,
                seat.address,
                seat.format,
                seat.team,
                eyes,
                act,
                lambda battle: report(Game(battle.opponent, battle.result, battle.turns)),
                on_set=lambda found: report(_game_of_set(found)),
                select=select,
                has_timer=True,
            )
            await player.run(partial(_play, player, games, challenge, is_searching))

        asyncio.run(play())


def _select(
    eyes: Simulator,
    policy: Policy,
    seat: Seat,
    battle: ServerBattle,
    games: Sequence[ServerBattle],
    rng: np.random.Generator,
) -> int | None:
    """Return the answer to the foe's earlier selections, by its open team sheet; None without."""
    side = int(battle.side == "p2")
    of_foe = f"|showteam|p{2 - side}|"
    sheets = [line.removeprefix(of_foe) for line in battle.shown if line.startswith(of_foe)]
    shown = [one for game in games if (one := shown_selection(game.shown, 1 - side))]
    if not sheets or not shown:
        return None
    teams = (sheets[0], seat.team) if side else (seat.team, sheets[0])
    eyes.configure([Lane(seat.format.id, teams, (POLICY, POLICY), int(rng.integers(1 << 31)))])
    waiting = eyes.step(NOBODY, NOBODY)
    row = int(np.flatnonzero(waiting.seats == side)[0])
    seen = waiting.observations[row], waiting.legal[row]
    return choose_selection(eyes, policy, side, *seen, shown, rng)


def _game_of_set(found: ServerSet) -> Game:
    turns = sum(game.turns for game in found.games)
    games = tuple(game.result or 0 for game in found.games)
    return Game(found.opponent, found.result, turns, games)


def check_address(address: str) -> None:
    """Refuse a server that is not on this machine.

    Raises:
        ConfigurationError: It is on another machine, or the address is invalid.
    """
    host, _, port = address.rpartition(":")
    try:
        parse_whole(port, 1, (1 << 16) - 1)
    except ValueError:
        raise ConfigurationError(
            f"{address!r:.80} is no address.", "Write 127.0.0.1:PORT."
        ) from None
    if host != "localhost":
        try:
            is_here = ipaddress.ip_address(host.strip("[]")).is_loopback
        except ValueError:
            is_here = False
        if not is_here:
            raise ConfigurationError(
                f"{host} is not this machine: agents play on local servers only.",
                "Start one: poketui vgc server.",
            )


async def _play(player: ServerPlayer, games: int, challenge: str, is_searching: bool) -> None:
    """Play `games` battles or sets, one after the other if we start them."""
    if not challenge and not is_searching:
        player.accepts = lambda opponent: player.started < games
        await player.until(lambda: player.started >= games and not player.is_playing)
        return
    for number in range(games):

        def is_answered(number: int = number) -> bool:
            return player.started > number or bool(player.popups)

        player.popups.clear()
        await (player.challenge(challenge) if challenge else player.search())
        await player.until(is_answered)
        if player.started == number:
            raise BattleError(f"The battle server refused: {player.popups[0]}")
        await player.until(lambda: not player.is_playing)
