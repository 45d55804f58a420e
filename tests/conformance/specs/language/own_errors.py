# Exception classes of one's own.
class TrainingError(Exception):
    """Something went wrong while training."""


class Diverged(TrainingError):
    def __init__(self, step, loss):
        super().__init__(f"loss {loss} at step {step}")
        self.step = step
        self.loss = loss


class ConfigError(ValueError):
    pass


def train(lr):
    if lr <= 0:
        raise ConfigError("lr must be positive, got %s" % lr)
    loss = 1.0
    for step in range(5):
        loss *= 10 * lr
        if loss > 50:
            raise Diverged(step, loss)
    return loss


for lr in (0.05, 1.0, -1):
    try:
        print("final loss", train(lr))
    except Diverged as e:
        print("diverged:", e, e.step, e.loss, isinstance(e, TrainingError))
    except ValueError as e:
        print(type(e).__name__, e, e.args)
try:
    raise ConfigError
except ConfigError as e:
    print(repr(e), e.args)
print(repr(ConfigError("x")))
