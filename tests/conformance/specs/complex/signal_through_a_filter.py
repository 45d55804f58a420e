"""A complex response, its phase and its length: gradients by real and by complex leaves."""
import torch

phase = torch.tensor([0.3, -1.2, 2.0], requires_grad=True)
gain = torch.tensor([1.0 + 0.5j, -0.75 + 2j, 0.25 - 1j], requires_grad=True)
signal = torch.polar(torch.ones(3), phase)
response = signal * gain + 0.5j
power = (response * response.conj()).real
error = (response.abs() - 1).square().sum() + power.mean() + response.angle().sin().sum()
error.backward()

print(response)
print(response.conj().is_conj(), response.real, response.imag)
print(phase.grad)
print(gain.grad)
print(torch.view_as_real(gain.grad))
print(response.dtype, response.is_complex(), 2j * 1j)
