"""All faults, in the order in which they happen."""

from tests.benchmarks.faults import (
    children,
    damage,
    foreign,
    inputs,
    machine,
    numbers,
    processes,
    servers,
    teams,
    terminals,
    viewers,
)

FAULTS = (
    *inputs.FAULTS,
    *numbers.FAULTS,
    *teams.FAULTS,
    *damage.FAULTS,
    *foreign.FAULTS,
    *viewers.FAULTS,
    *machine.FAULTS,
    *processes.FAULTS,
    *children.FAULTS,
    *servers.FAULTS,
    *terminals.FAULTS,
)
SOAK = terminals.SOAK
