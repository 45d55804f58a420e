# finally restores a mode although an error passed through.
import torch

x = torch.ones(2, requires_grad=True)


def broken_eval(model_input):
    torch.set_grad_enabled(False)
    try:
        return model_input @ torch.ones(3)
    finally:
        torch.set_grad_enabled(True)
        print("restored")


try:
    broken_eval(x)
except RuntimeError as e:
    print("failed:", e)
print((x * 2).requires_grad)
try:
    with torch.no_grad():
        y = x * 2
        raise ValueError("inside no_grad")
except ValueError as e:
    print(e, y.requires_grad)
print(torch.is_grad_enabled())
