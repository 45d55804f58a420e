"""The values that a program holds: its own classes and functions, and which attributes each type of value has."""
