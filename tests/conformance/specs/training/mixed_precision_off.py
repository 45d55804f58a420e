# Mixed precision, switched off.
import torch

scaler = torch.cuda.amp.GradScaler(enabled=False)
x = torch.ones(2, requires_grad=True)
with torch.autocast(device_type="cpu", enabled=False):
    y = (x * 2).sum()
y.backward()
print(x.grad, scaler.scale(y) is y, scaler.get_scale(), scaler.is_enabled())
