"""Turn the game into an environment: actions, observations, masks, episodes, many at once."""
