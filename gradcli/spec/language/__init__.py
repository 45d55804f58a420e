"""The interpreter: a syntax tree becomes closures, each of which does what its node says."""
