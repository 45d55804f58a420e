# A method that was left to subclasses.
class Layer:
    def __call__(self, x):
        return self.forward(x)

    def forward(self, x):
        raise NotImplementedError


class Linear(Layer):
    def backward(self, g):
        return g


Linear()(1.0)
