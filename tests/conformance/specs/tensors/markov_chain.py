# A stationary distribution by powers of a matrix.
import torch

P = torch.tensor([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
assert torch.allclose(P.sum(1), torch.ones(3)), "rows must sum to one"
state = torch.tensor([1.0, 0.0, 0.0])
for step in range(1, 101):
    new = state @ P
    if torch.max(torch.abs(new - state)) < 1e-5:
        print("settled after", step, "steps")
        break
    state = new
print(state)
print((P.matrix_power(200)[0] - state).abs().max() < 1e-3)
states = ["sunny", "cloudy", "rainy"]
for name, p in sorted(zip(states, state.tolist()), key=lambda pair: -pair[1]):
    print(f"{name:>8}: {'*' * round(p * 20)} {p:.2%}")
