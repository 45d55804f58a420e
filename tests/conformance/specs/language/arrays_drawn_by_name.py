import numpy as np

np.random.seed(3)
print(np.random.normal(loc=1.0, scale=0.1, size=(3,)), np.random.uniform(low=-1, high=1, size=2))
print(np.random.normal(0, scale=2), np.random.uniform(5, 6), np.random.random(2))
print(np.random.beta(0.4, 0.4), np.random.beta(2, 3, size=3), np.random.exponential(scale=2.0, size=2))
print(np.random.gamma(2.0, 1.5, 3), np.random.poisson(lam=3.0, size=5), np.random.poisson(40, 2))
rng = np.random.default_rng(0)
print(rng.normal(loc=2, size=2), rng.beta(1, 2), rng.poisson(4, size=3), rng.exponential())
