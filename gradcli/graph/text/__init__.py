"""A graph as lines of text: the drawing that `gradcli trace` shows."""
