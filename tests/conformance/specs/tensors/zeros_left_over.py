# A remainder of zero has the sign of what is divided; adjoints of numbers and of matrices; asarray and requires_grad.
import torch

a = torch.tensor([-3.0, -2.0, -0.0, 0.0, 2.0, 3.5])
for b in (2, -2, 1.5, torch.tensor(-1.0), torch.tensor([[2.0], [-2.0]])):
    print(a % b, torch.remainder(a, b))
print(torch.remainder(torch.tensor([1, 2, 3]), -1.5), torch.remainder(torch.tensor([-4, 4]), -2), -4 % a)
z = torch.complex(a[:4], a[2:]).reshape(2, 2)
print(z.adjoint(), (z.adjoint() == z.mH).all(), torch.adjoint(z).is_conj(), a.reshape(2, 3).adjoint())
leaf = torch.tensor([1.0, 2.0], requires_grad=True)
made = leaf * 2
print(torch.asarray(made, requires_grad=False), torch.asarray(made, requires_grad=None), torch.asarray(made, copy=True))
plain = torch.tensor([1.0])
print(torch.asarray(plain, requires_grad=True) is plain, plain.requires_grad)
print(torch.asarray(leaf, requires_grad=False) is leaf, leaf.requires_grad)
