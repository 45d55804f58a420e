"""Claims: what a backward says that gradients are, of one op alone or of a whole program, at many points at once.

A claim is computed here and judged elsewhere; only what differences confirm at a glance is told to be well.
"""
