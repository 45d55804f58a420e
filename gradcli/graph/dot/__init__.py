"""A graph as DOT, and the pictures that Graphviz makes of it."""
