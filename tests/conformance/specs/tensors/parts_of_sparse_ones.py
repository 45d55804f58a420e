# The indices and the values of sparse tensors, by their older names.
import torch

s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3), check_invariants=True)
print(s._nnz(), s._indices(), s._values())
