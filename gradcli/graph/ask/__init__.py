"""Questions to a graph: why a gradient is what it is, which paths lead somewhere, which part is wanted."""
