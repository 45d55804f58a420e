# Programs that would use a device if there were one.
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device, repr(device), torch.cuda.is_available(), torch.cuda.device_count())
device2 = "cuda:0" if torch.cuda.is_available() else "cpu"
x = torch.ones(3, device=device, requires_grad=True)
print(x.to(device).device, x.cpu() is x, x.is_cuda, x.get_device())
m = torch.nn.Linear(2, 2).to(device)
print(next(m.parameters()).device, next(m.parameters()).is_cuda)
print(torch.backends.mps.is_available(), torch.backends.cudnn.is_available())
if torch.cuda.is_available():
    torch.cuda.manual_seed_all(0)
torch.cuda.manual_seed(3)
torch.cuda.manual_seed_all(3)
print(torch.__version__.split("+")[0], torch.get_num_threads() > 0)
torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)
print(torch.are_deterministic_algorithms_enabled())
torch.use_deterministic_algorithms(False)
print(torch.typename(x), torch.typename(1), torch.typename(m), torch.is_tensor(x))
print(torch.FloatTensor([1, 2]), torch.LongTensor([3]), torch.FloatTensor(2, 3).shape)
print(torch.get_default_device(), torch.accelerator.is_available())
