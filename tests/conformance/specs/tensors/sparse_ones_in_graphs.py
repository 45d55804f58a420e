# Sparse tensors that take part in a graph: made of values, of a dense tensor, as leaves; and what reads them.
import torch

places = torch.tensor([[0, 0, 1], [2, 2, 0]])
v = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
x = torch.arange(6.0).view(3, 2).requires_grad_()
s = torch.sparse_coo_tensor(places, v, (2, 3), check_invariants=True)
print(s)
print(s.coalesce(), s.t())
print(s.to_dense(), torch.sparse.sum(s), s.coalesce().values())
for read in (
    lambda: torch.sparse.mm(s, x).pow(2).sum(),
    lambda: (s @ x).pow(2).sum(),
    lambda: torch.sparse.addmm(torch.ones(2, 2), s, x, beta=2, alpha=3).sum(),
):
    print(torch.autograd.grad(read(), (v, x), retain_graph=True))
for read in (
    lambda: s.to_dense().pow(2).sum(),
    lambda: s.coalesce().values().pow(2).sum(),
    lambda: (s * 3).to_dense().pow(2).sum(),
    lambda: s.t().to_dense().pow(2).sum(),
):
    print(torch.autograd.grad(read(), v, retain_graph=True))

a = torch.tensor([[0.0, 2.0], [1.0, 0.0]], requires_grad=True)
(torch.sparse.mm(a.to_sparse(), torch.ones(2, 2)).sum() + a.to_sparse().values().pow(2).sum()).backward()
print(a.to_sparse(), a.grad)

leaf = torch.eye(3).to_sparse().requires_grad_()
torch.sparse.mm(leaf, torch.ones(3, 2)).sum().backward()
print(leaf, leaf.grad)
plain = leaf.detach()
print(plain + plain, plain - plain, (plain + plain).is_coalesced())
