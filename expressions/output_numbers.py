"""An operation with several outputs: what the number beside each next function is for.

split cuts one vector into two, and both pieces come from one node. An edge back to it has to say
which piece it means, so it carries the number of the output.
"""

import torch

x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
low, high = torch.split(x, 2)
y = low * torch.exp(-high)
total = y.sum()

print("low is output ", low.output_nr, "of", low.grad_fn.name())
print("high is output", high.output_nr, "of", high.grad_fn.name())
print("the same node:", low.grad_fn is high.grad_fn)

product = y.grad_fn
for fn, number in product.next_functions:
    print(f"{product.name()} <- output {number} of {fn.name()}")
exp = product.next_functions[1][0]
neg, _ = exp.next_functions[0]
for fn, number in neg.next_functions:
    print(f"{neg.name()} <- output {number} of {fn.name()}")

total.backward()
print(x.grad)
