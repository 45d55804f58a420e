"""Replay: a recorded graph, or the program that recorded it, evaluated again at other numbers.

It says what is checked (the subject), how its ops are called for many points at once, how far rounding may move what
comes out, and on which side of its kinks it went. It judges nothing.
"""
