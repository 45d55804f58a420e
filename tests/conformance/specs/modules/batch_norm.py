# Batch norm: batch statistics in training, running ones in evaluation.
import torch
import torch.nn as nn

bn = nn.BatchNorm1d(2, momentum=0.5)
x = torch.tensor([[1.0, 10.0], [2.0, 30.0], [6.0, 80.0]])
print(bn)
print(bn(x))
print(bn.running_mean, bn.running_var, bn.num_batches_tracked)
bn.eval()
print(bn(x))
print(list(bn.state_dict()))
bn.train()
with torch.no_grad():
    bn.weight.copy_(torch.tensor([2.0, 1.0]))
    bn.bias.fill_(1)
out = bn(x)
print(out.mean(0).tolist()[1] < 2, out.grad_fn.name())
out[0].sum().backward()
print(bn.bias.grad)
