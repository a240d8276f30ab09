"""All faults, in the order in which they happen."""

from tests.benchmarks.faults import damage, foreign, inputs, machine, processes, terminals, viewers

FAULTS = (
    *inputs.FAULTS,
    *damage.FAULTS,
    *foreign.FAULTS,
    *viewers.FAULTS,
    *machine.FAULTS,
    *processes.FAULTS,
    *terminals.FAULTS,
)
SOAK = terminals.SOAK
