"""Linear algebra: products, inverses, decompositions, functions of matrices."""
