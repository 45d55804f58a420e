"""The files that a program saves and loads."""
