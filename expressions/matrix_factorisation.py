"""A table with holes, completed by two thin matrices.

Four readers have rated five books; a zero says that nobody asked. Each reader and each book gets two
numbers, learned from the known ratings only: the loss looks through a mask, so nothing pulls at the
holes, and the product fills them.
"""

import torch

torch.manual_seed(0)
ratings = torch.tensor(
    [
        [5.0, 4.0, 0.0, 1.0, 1.0],
        [4.0, 0.0, 1.0, 1.0, 0.0],
        [1.0, 1.0, 5.0, 0.0, 4.0],
        [0.0, 1.0, 4.0, 4.0, 3.0],
    ]
)
known = ratings > 0

readers = torch.randn(4, 2, requires_grad=True)
books = torch.randn(5, 2, requires_grad=True)
optimizer = torch.optim.Adam([readers, books], lr=0.05)

for step in range(301):
    errors = (readers @ books.T - ratings)[known]
    loss = (errors**2).mean() + 0.05 * (readers.square().mean() + books.square().mean())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step:3d}  loss {loss.item():.3f}")

filled = (readers @ books.T).detach()
for reader, row in enumerate(filled.tolist()):
    cells = [f"{value:4.1f}" if known[reader, book] else f"[{value:.0f}]" for book, value in enumerate(row)]
    print(f"reader {reader}: " + "  ".join(cells))
