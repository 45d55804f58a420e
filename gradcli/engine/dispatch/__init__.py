"""Whoever is asked in the place of an op: classes and modes of a program's own, and tensors without numbers."""
