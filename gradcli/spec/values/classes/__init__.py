"""The classes that a program writes, and the kinds of them that Python has."""
