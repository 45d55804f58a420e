"""Stubs, for editors and type checkers: the names that are found when they are first asked for, with their signatures.

`python -m tests.write_stubs` writes them; nothing is imported from here when a program runs.
"""
