# Windows, results with names, and the dimensions of a histogram.
import torch
from torch.signal.windows import hann

print(hann(5), torch.signal.windows.kaiser(4, beta=3.0), torch.signal.windows.general_cosine(4, a=[0.4, 0.3, 0.3]))
for name in ("bartlett", "blackman", "cosine", "exponential", "gaussian", "hamming", "nuttall", "general_hamming"):
    window = getattr(torch.signal.windows, name)
    print(name, window(5, sym=False), window(1))
found = torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0]]), bins=[2, 2])
print(found)
print([found])
