"""Judging: a claimed derivative beside its slopes, and what follows from the two.

Which entries are looked at, the table of verdicts, kinks and jumps, higher orders, hidden paths, and claims by hand.
What less precision takes is another question, and who is to blame: see `precision` and `blaming`.
"""
