"""Ops that a program declares, under names of its own, and their schemas."""
