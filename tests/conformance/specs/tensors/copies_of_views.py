# What a view shows, copied, and pieces of whose common memory autograd knows nothing.
import torch

x = torch.arange(6.0).reshape(2, 3).requires_grad_()
copies = [
    torch.alias_copy(x),
    torch.expand_copy(x, (2, 2, 3)),
    torch.permute_copy(x, (1, 0)),
    torch.select_copy(x, 0, 1),
    torch.slice_copy(x, 1, 0, 2),
    torch.narrow_copy(x, 1, 1, 2),
    torch.squeeze_copy(x[:1]),
    torch.squeeze_copy(x[:1], 0),
    torch.t_copy(x),
    torch.transpose_copy(x, 0, 1),
    torch.unfold_copy(x, 1, 2, 1),
    torch.unsqueeze_copy(x, 0),
    torch.view_copy(x, (3, 2)),
    torch.diagonal_copy(x),
    torch.as_strided_copy(x, (2, 2), (1, 1)),
    *torch.unbind_copy(x),
    *torch.split_copy(x, 1),
    *torch.split_with_sizes_copy(x, (1, 2), 1),
]
for c in copies:
    print(c, c._is_view(), c.stride())
sum((c * c).sum() for c in copies).backward()
print(x.grad)
first, second = torch.unsafe_split(x.exp(), 1)
first.mul_(2)
print(first.grad_fn, [p.shape for p in torch.unsafe_chunk(x, 2, 1)])
print(torch.conj_physical(x) is x)
print(torch.fill(x, 2.5), torch.fill(x, torch.tensor(1.0, requires_grad=True)))
print(torch.as_strided_scatter(torch.zeros(2, 3), torch.ones(2), (2,), (2,), 1))
halves = torch.arange(6.0).bfloat16()
print(torch.as_strided_scatter(halves, halves[:2] - 2, (2,), (2,), 1))
whole = torch.arange(4.0).view(torch.int32)
print(torch.as_strided_scatter(whole, whole[:2], (2,), (2,), 1))
