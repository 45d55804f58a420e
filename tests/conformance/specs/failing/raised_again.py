# An error that is caught, looked at, and raised again.
import torch

try:
    torch.tensor([1, 2]).requires_grad_()
except RuntimeError as e:
    print("looking at it:", len(str(e)) > 10)
    raise
finally:
    print("finally runs")
