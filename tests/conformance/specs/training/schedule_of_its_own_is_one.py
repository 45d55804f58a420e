import torch
from torch.optim.lr_scheduler import LambdaLR, LRScheduler, StepLR


class W(LRScheduler):

    def get_lr(self):
        return [g['lr'] * 0.5 for g in self.optimizer.param_groups]
o = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
w = W(o)
print(isinstance(w, LRScheduler), isinstance(StepLR(o, 1), LRScheduler), isinstance(w, StepLR))
print(isinstance(3, LRScheduler), issubclass(W, LRScheduler))
