"""Blaming: which op, which argument and which line make a gradient wrong, and in which way it is wrong."""
