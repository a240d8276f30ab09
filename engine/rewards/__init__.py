"""Pay for progress: named components, each with a weight, summed in a fixed order."""
