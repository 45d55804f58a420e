# A name that was never given.
import torch

learning_rate = 0.1
w = torch.ones(1)
print(w)
w = w - learning_rat * w
