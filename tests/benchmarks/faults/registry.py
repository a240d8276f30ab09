"""All faults, in the order in which they happen."""

from tests.benchmarks.faults import (
    children,
    damage,
    inputs,
    machine,
    processes,
    teams,
    terminals,
    viewers,
)

FAULTS = (
    *inputs.FAULTS,
    *teams.FAULTS,
    *damage.FAULTS,
    *viewers.FAULTS,
    *machine.FAULTS,
    *processes.FAULTS,
    *children.FAULTS,
    *terminals.FAULTS,
)
SOAK = terminals.SOAK
