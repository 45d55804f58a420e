"""Slopes: the derivative of a function of one number at a point, as a number with its error bar.

Differences on a ladder of steps, complex step, circles in the complex plane, and one-sided limits. Nothing here knows
of graphs or programs: what is measured is a function from numbers to numbers.
"""
