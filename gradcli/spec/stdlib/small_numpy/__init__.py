"""A small NumPy: what programs make their data with, and look at numbers by, before and after PyTorch has them."""
