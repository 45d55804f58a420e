"""How fast gradcli is beside PyTorch, or beside NumPy written by hand."""
