"""One operation: its names, the text of its rule, its curve, and a program that checks it."""
