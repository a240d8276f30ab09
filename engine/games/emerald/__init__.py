"""Know Pokémon Emerald: where it keeps its state, how it is played, and its names."""
