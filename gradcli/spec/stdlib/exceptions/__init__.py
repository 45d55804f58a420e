"""Exceptions and warnings as Python tells of them: in groups, with their trails, and at a program's end."""
