"""From a tensor or a program to its graph as data: nodes, edges, names, numbers and gradients."""
