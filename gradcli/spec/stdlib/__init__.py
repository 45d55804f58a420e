"""Python's builtins and the modules of its own that a program may import, as far as it may use them."""
