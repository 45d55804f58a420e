# A frozen body and a new head.
import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
for param in backbone.parameters():
    param.requires_grad = False


class Model(nn.Module):
    def __init__(self, backbone, n):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(8, n)

    def forward(self, x):
        with torch.no_grad():
            f = self.backbone(x)
        return self.head(f)


m = Model(backbone, 3)
opt = torch.optim.AdamW(filter(lambda p: p.requires_grad, m.parameters()), lr=1e-2, weight_decay=0.01)
crit = nn.CrossEntropyLoss(label_smoothing=0.1)
for e in range(3):
    out = m(torch.randn(5, 4))
    loss = crit(out, torch.tensor([0, 1, 2, 0, 1]))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(m.parameters(), 1.0)
    opt.step()
    print(f"{e}: {loss.item():.4f}")
print([n for n, p in m.named_parameters() if p.grad is None], sum(p.numel() for p in m.parameters() if p.requires_grad))
acc = (out.argmax(1) == torch.tensor([0, 1, 2, 0, 1])).float().mean()
print(f"acc {acc:.2%}", acc.item())
probs = torch.softmax(out, dim=-1)
top = torch.topk(probs, 2)
print(top.values.shape, top.indices.tolist(), top._fields if hasattr(top, "_fields") else "")
