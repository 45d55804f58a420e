"""Along axes: sums, extrema, norms, running results, sorting, counting."""
