"""Functions that were not written for gradcli: of NumPy's arrays, of PyTorch's tensors, of JAX's.

Nothing here runs anything of its own accord: who calls the function has it already. The judge is that of programs, and
only values and claims come from elsewhere.
"""
