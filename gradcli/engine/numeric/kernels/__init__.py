"""Single precision step by step as PyTorch's kernels, and the libraries that they leave work to, compute it: each
rounding in its place."""
