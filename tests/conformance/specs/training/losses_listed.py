import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
p = torch.randn(4, 3, requires_grad=True)
t = torch.tensor([0, 2, 1, 1])
soft = torch.softmax(torch.randn(4, 3), 1)
q = torch.randn(4, 3)
for name, loss in {
    "ce": F.cross_entropy(p, t),
    "ce_w": F.cross_entropy(p, t, weight=torch.tensor([1.0, 2.0, 0.5])),
    "ce_ls": F.cross_entropy(p, t, label_smoothing=0.1),
    "ce_soft": F.cross_entropy(p, soft),
    "ce_ign": F.cross_entropy(p, t, ignore_index=1),
    "nll": F.nll_loss(F.log_softmax(p, 1), t),
    "mse": F.mse_loss(p, q),
    "l1": F.l1_loss(p, q),
    "sl1": F.smooth_l1_loss(p, q, beta=0.5),
    "huber": F.huber_loss(p, q, delta=0.7),
    "bcel": F.binary_cross_entropy_with_logits(p, soft, pos_weight=torch.tensor([1.0, 2.0, 3.0])),
    "kl": F.kl_div(F.log_softmax(p, 1), soft, reduction="batchmean"),
    "hinge": F.hinge_embedding_loss(p, torch.sign(q)),
    "margin": F.margin_ranking_loss(p[:, 0], p[:, 1], torch.sign(q[:, 0]), margin=0.1),
    "cos": F.cosine_embedding_loss(p, q, torch.tensor([1, -1, 1, -1])),
    "trip": F.triplet_margin_loss(p, q, soft),
    "poisson": F.poisson_nll_loss(p, soft),
    "gnll": F.gaussian_nll_loss(p, q, torch.ones(4, 3)),
    "mm": F.multi_margin_loss(p, t),
    "sm": F.soft_margin_loss(p, torch.sign(q)),
    "mlsm": F.multilabel_soft_margin_loss(p, (q > 0).float()),
}.items():
    (g,) = torch.autograd.grad(loss, p)
    print(f"{name:8s} {loss.item(): .5f} {g.norm().item():.5f} {loss.grad_fn.name()}")
print(
    nn.CrossEntropyLoss(reduction="none")(p, t),
    nn.BCELoss(),
    nn.CrossEntropyLoss(label_smoothing=0.1),
    nn.KLDivLoss(log_target=True),
)
