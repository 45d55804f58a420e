"""Forward mode: levels of dual numbers, the tangents that tensors have in them, and how ops pass tangents on."""
