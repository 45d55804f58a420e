import numpy as np

a = np.arange(6.0).reshape(2, 3)
b = np.arange(12.0).reshape(3, 4)
print(np.einsum('ij,jk->ik', a, b), np.einsum('ij->', a), np.einsum('ij->ji', a).shape)
print(np.einsum('ii', np.eye(3)), np.einsum('ij,ij->i', a, a))
h, e = np.histogram([1, 2, 1, 4, 5.5, 2], bins=3)
print(h, e)
print(np.histogram([1, 2, 1], bins=[0, 1, 2, 3]))
print(np.histogram(np.arange(10), bins=4, range=(0, 8), density=True))
h, e = np.histogram([1, 2, 1])
print(h, e)
