"""A signal in frames and back, the eigenvalues of a real matrix, and a complex linear system: with gradients."""
import torch

torch.set_default_dtype(torch.float64)
n = torch.arange(48.0)
signal = (torch.sin(0.4 * n) + 0.5 * torch.cos(1.1 * n)).requires_grad_()
window = torch.hann_window(16)
spectrum = torch.stft(signal, 16, hop_length=4, window=window, return_complex=True)
print(spectrum.shape, spectrum.dtype, spectrum.grad_fn.name())
power = spectrum.abs().square().mean()
back = torch.istft(spectrum * 2, 16, hop_length=4, window=window)
print(power, (back - 2 * signal).abs().max() < 1e-10)
(power + back.square().sum()).backward()
print(signal.grad[:4])

turn = torch.tensor([[0.5, -1.0], [1.0, 0.25]], requires_grad=True)
values = torch.linalg.eigvals(turn)
radius = values.abs().sum()
radius.backward()
print(values.imag.abs(), turn.grad)

A = torch.tensor([[2 + 1j, 0.5], [-1j, 1.5 - 0.5j]], requires_grad=True)
b = torch.tensor([1.0 + 0j, 2j])
x = torch.linalg.solve(A, b)
sign, size = torch.linalg.slogdet(A)
print(x, size)
(x.abs().square().sum() + size).backward()
print(A.grad)
