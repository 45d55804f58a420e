"""Text on its way to people: what is safe to show, and how wide it is."""
