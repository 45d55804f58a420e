# Several losses on the same prediction, and their gradients.
import torch
import torch.nn as nn

pred = torch.tensor([0.5, -1.0, 2.5], requires_grad=True)
target = torch.tensor([1.0, -1.0, 0.0])
losses = {
    "mse": nn.MSELoss(),
    "mse sum": nn.MSELoss(reduction="sum"),
    "l1": nn.L1Loss(),
    "huber": nn.HuberLoss(delta=1.0),
    "smooth l1": nn.SmoothL1Loss(),
    "bce logits": nn.BCEWithLogitsLoss(),
}
for name, criterion in losses.items():
    pred.grad = None
    t = (target > 0).float() if name.startswith("bce") else target
    loss = criterion(pred, t)
    loss.backward()
    print(f"{name:<11}{loss.item():8.4f}  {[round(g, 4) for g in pred.grad.tolist()]}")
print(nn.MSELoss(reduction="none")(pred.detach(), target))
