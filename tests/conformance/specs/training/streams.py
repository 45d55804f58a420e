from typing import Generator, Iterator

import torch
import torch.nn as nn


def data_stream(n: int, seed: int = 0) -> Iterator[torch.Tensor]:
    g = torch.Generator().manual_seed(seed)
    for _ in range(n):
        yield torch.randn(4, 3, generator=g)
def train(model: nn.Module, epochs: int) -> Generator[float, None, None]:
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    for epoch in range(epochs):
        running = 0.0
        for x in data_stream(3, seed=epoch):
            opt.zero_grad()
            loss = (model(x).squeeze() - x.sum(1)).abs().mean()
            loss.backward()
            opt.step()
            running += loss.item()
        yield running / 3
def main() -> None:
    torch.manual_seed(42)
    model = nn.Sequential(nn.Linear(3, 6), nn.GELU(), nn.Dropout(p=0.0), nn.Linear(6, 1))
    for epoch, loss in enumerate(train(model, 4), start=1):
        print(f"[{epoch:>2}/4] loss={loss:.4f}")
    model.eval()
    with torch.no_grad():
        print(model(torch.ones(1, 3)))
if __name__ == "__main__":
    main()
