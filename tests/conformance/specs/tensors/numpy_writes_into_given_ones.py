import numpy as np
import torch

n = np.ones(5)
t = torch.from_numpy(n)
print(np.add(n, 1, out=n) is n, t)
m = np.zeros((2, 2))
np.matmul(np.eye(2), np.ones((2, 2)), out=m)
print(m)
np.exp(m, out=m)
print(np.clip(m, 0, 1, out=m))
