"""Guards: what a program may use up, what it may hand to the library, and what it leaves behind."""
