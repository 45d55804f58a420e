"""Calling ops: one closure for each kind of op, all of which compute, and record what the rules ask for."""
