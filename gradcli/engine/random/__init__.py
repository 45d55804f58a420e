"""Random numbers: PyTorch's generator, and normal numbers made of its uniform ones, draw for draw."""
