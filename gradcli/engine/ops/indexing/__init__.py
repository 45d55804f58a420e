"""Elements read and written at places: subscripts, tensors of indices, masks."""
