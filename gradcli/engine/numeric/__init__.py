"""Numbers, on arrays: functions that NumPy lacks, accurate to a few units in the last place, and those that it computes
in another order than PyTorch, such as sums and products, in PyTorch's digits."""
