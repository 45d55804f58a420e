"""Between the engine and a stranger's program: its calls, the classes that are trusted, the addresses it is told."""
