"""The names of PyTorch that a program may use, and suggestions for those that are misspelt."""
