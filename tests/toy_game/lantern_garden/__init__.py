"""A game of its own: a garden at dusk, whose lanterns are to be lit.

It has nothing in common with the games that come with the project: no Game Boy, five actions, small
frames, a state with facts of its own. A second edition of it has large frames and ten buttons, none
of which waits. Nothing outside this folder knows it; it is announced as any
installed package announces a game, by an entry point.
"""
