"""A standing attack on the interpreter: programs that nobody would write, and a look at what came of each."""
