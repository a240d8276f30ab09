"""Know the practice game: it keeps its state as Crystal does, and its world is known."""
