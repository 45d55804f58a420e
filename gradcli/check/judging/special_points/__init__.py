"""Points where a derivative is none, or not one: kinks, jumps and holes."""
