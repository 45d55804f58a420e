"""Views of a graph, which need only what every graph node tells: PyTorch's own nodes will do."""
