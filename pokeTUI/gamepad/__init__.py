"""Gamepads of this machine, as Linux reports them."""
