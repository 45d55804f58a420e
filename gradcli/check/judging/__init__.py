"""Judging: a claimed derivative beside its slopes, and what follows from the two.

Which entries are looked at, the table of verdicts, kinks and jumps, higher orders, hidden paths, float32, and claims by
hand. Who is to blame is another question: see `blaming`.
"""
