"""The practice game of the Game Boy Advance, MOSSLIGHT ADVANCE."""
