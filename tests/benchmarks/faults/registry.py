"""All faults, in the order in which they happen."""

from tests.benchmarks.faults import damage, inputs, machine, numbers, processes, terminals, viewers

FAULTS = (
    *inputs.FAULTS,
    *numbers.FAULTS,
    *damage.FAULTS,
    *viewers.FAULTS,
    *machine.FAULTS,
    *processes.FAULTS,
    *terminals.FAULTS,
)
SOAK = terminals.SOAK
