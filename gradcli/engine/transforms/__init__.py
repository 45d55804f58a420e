"""Functions made of functions: torch.func, vmap, Jacobians and Hessians, and the trees of tensors that they take."""
