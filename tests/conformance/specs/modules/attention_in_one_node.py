"""Attention: when it is one node, what that keeps, and how the gradients lie in memory."""

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

torch.manual_seed(0)
q = torch.randn(2, 4, 3, 8, requires_grad=True)
k, v = torch.randn(2, 4, 5, 8, requires_grad=True), torch.randn(2, 4, 5, 8, requires_grad=True)
masked = torch.rand(3, 5) > 0.4
masked[0] = False
for given, options in [
    ((q, k, v), {}), ((q, k, v), {"is_causal": True}), ((q, k, v), {"attn_mask": masked, "scale": 0.3}),
    ((q, k, v), {"attn_mask": torch.zeros(2, 1, 3, 5), "is_causal": True}),
    ((q, k[:, :2], v[:, :2]), {"enable_gqa": True}), ((q.transpose(1, 2).contiguous().transpose(1, 2), k, v), {}),
    ((q.double(), k.double(), v.double()), {}), ((q, k, v), {"dropout_p": 0.1}), ((q[0], k[0], v[0]), {}),
    ((q, k, v[..., :4]), {}), ((q, k, v), {"attn_mask": torch.zeros(3, 5, requires_grad=True)}),
    ((q, k, v), {"attn_mask": torch.zeros(4, 3, 5)}),
]:  # fmt: skip
    torch.manual_seed(1)
    out = F.scaled_dot_product_attention(*given, **options)
    gradients = torch.autograd.grad(out.pow(2).sum(), (q, k, v))
    print(out.grad_fn.name(), out.stride(), [g.stride() for g in gradients])
    print(*(f"{x.double().abs().sum().item():.3f}" for x in (out, *gradients)))

node = F.scaled_dot_product_attention(q, k, v, is_causal=True).grad_fn
print(node._saved_dropout_p, node._saved_is_causal, node._saved_scale, node._saved_attn_mask)
print(node._saved_logsumexp.shape, node._saved_logsumexp.stride(), [n and n.name() for n, _ in node.next_functions])
(gradient,) = torch.autograd.grad(F.scaled_dot_product_attention(q, k, v).sum(), q, create_graph=True)
for derivative in (
    lambda: torch.autograd.grad(gradient.sum(), q),
    lambda: torch.func.jvp(lambda x: F.scaled_dot_product_attention(x, x, x), (q,), (q,)),
):
    try:
        derivative()
    except RuntimeError as e:
        print(type(e).__name__, str(e)[:120])
with sdpa_kernel(SDPBackend.MATH):
    print(F.scaled_dot_product_attention(q, k, v).grad_fn.name(), torch.backends.cuda.flash_sdp_enabled())
with sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
    print(F.scaled_dot_product_attention(q, k, v).grad_fn.name(), torch.backends.cuda.math_sdp_enabled())
    try:
        F.scaled_dot_product_attention(q[0], k[0], v[0])
    except RuntimeError as e:
        print(e)
print(F.scaled_dot_product_attention(q, k, v).grad_fn.name())
