"""Functions that NumPy lacks, on arrays of float64: accurate to a few units in the last place."""
