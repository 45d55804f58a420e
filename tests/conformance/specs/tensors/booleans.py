# Masks: logic, counting, choosing.
import torch

scores = torch.tensor([55, 90, 72, 38, 88])
passed = scores >= 60
print(passed, passed.dtype)
print(passed.sum().item(), "passed", f"{passed.float().mean():.0%}")
print(scores[passed], scores[~passed])
print((scores > 50) & (scores < 80), (scores < 40) | (scores > 85))
print(torch.where(passed, scores, torch.tensor(0)))
print(torch.nonzero(passed).flatten(), torch.where(passed))
print(torch.logical_xor(passed, scores > 80), passed.logical_not())
print(bool(passed.any()), bool(passed.all()))
try:
    if scores > 50:
        print("never")
except RuntimeError as e:
    print(e)
print(torch.equal(passed, scores.ge(60)), (scores == 38) | (scores == 90))
