"""Gradients of bags that are scaled by frequency, and the words where there is no second one."""

import torch
import torch.nn.functional as F

w = torch.ones(8, 2, requires_grad=True)
for indices in ([1, 2, 2, 5, 0, 1], [5, 5, 5, 1, 2, 2], [3, 3, 3, 0, 7, 7]):
    for mode in ("sum", "mean"):
        for samples in (None, torch.arange(1.0, 7.0)) if mode == "sum" else (None,):
            bags = F.embedding_bag(
                torch.tensor(indices), w, torch.tensor([0, 2, 2]), mode=mode, scale_grad_by_freq=True,
                per_sample_weights=samples, padding_idx=7,
            )
            print(torch.autograd.grad(bags.sum(), w)[0])
samples = torch.rand(6, requires_grad=True)
bags = F.embedding_bag(torch.tensor(indices), w, torch.tensor([0, 2]), mode="sum", per_sample_weights=samples)
for gradient in torch.autograd.grad(bags.pow(2).sum(), (w, samples), create_graph=True):
    print(type(gradient.grad_fn).__name__)
    try:
        torch.autograd.grad(gradient.sum(), w, retain_graph=True)
    except RuntimeError as e:
        print(type(e).__name__, e)
