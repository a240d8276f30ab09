"""The engine of PokeTUI: environment, agents and training, complete without the terminal."""
