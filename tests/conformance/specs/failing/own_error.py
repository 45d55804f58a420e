# An exception class of the program's own, raised in a method.
class NotFitted(ValueError):
    pass


class Model:
    weights = None

    def predict(self, x):
        if self.weights is None:
            raise NotFitted("call fit() before predict()")
        return x * self.weights


m = Model()
try:
    m.fit()
except AttributeError as e:
    print(e)
m.predict(3)
