"""Writes to memory that tensors share, and what they make of the graph."""
