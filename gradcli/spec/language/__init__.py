"""The interpreter: a syntax tree becomes closures, each of which does what its node says.

Each file has functions for some kinds of nodes, declared by ``@compiles``; `interpreter` has read all of them.
"""
