"""Pools: windows over the last axes, and what is made of each."""
