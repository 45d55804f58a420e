"""torch.nn.modules: the layers, a file per family, under the names of PyTorch's own files where it has them."""
