# From a node back to the tensor whose gradient it fills.
import torch

weight = torch.tensor([1.0, 2.0], requires_grad=True)
bias = torch.tensor([0.0, 1.0], requires_grad=True)
out = weight * 3 + bias
for node, slot in out.grad_fn.next_functions:
    print(node.name(), slot, len(node.next_functions))
mul, acc = [node for node, _ in out.grad_fn.next_functions]
print(acc.variable is bias)
print(mul.next_functions[0][0].variable is weight)
print(mul.next_functions[1])
print(acc.variable)
