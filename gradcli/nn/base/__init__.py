"""What every layer is made of: the members it holds, options that are also shown, its state, its hooks."""
