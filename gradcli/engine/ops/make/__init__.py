"""New tensors: filled, in steps, from data, at random; and changes of element type."""
