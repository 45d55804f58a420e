"""From what the user typed to a syntax tree: sources, named inputs, files of numbers, directives."""
