# Handling errors as part of the work: retries, fallbacks, collecting.
import torch


def stable_cholesky(a, jitter=0.0, tries=6):
    for attempt in range(tries):
        try:
            return torch.linalg.cholesky(a + jitter * torch.eye(len(a))), attempt
        except RuntimeError:
            jitter = max(10 * jitter, 1e-3)
    raise ValueError(f"not positive definite even with jitter {jitter:g}")


good = torch.tensor([[2.0, 1.0], [1.0, 2.0]])
nearly = torch.tensor([[1.0, 1.0], [1.0, 1.0 - 1e-3]])
print(stable_cholesky(good)[1], stable_cholesky(nearly)[1])
try:
    stable_cholesky(-good, tries=3)
except ValueError as e:
    print("ValueError:", e)

rows, bad = [], []
for text in ["1.5", "two", "3", "", "nan"]:
    try:
        rows.append(float(text))
    except ValueError as e:
        bad.append(str(e))
print(rows, *bad, sep="\n")
