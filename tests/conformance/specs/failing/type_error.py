# A function called with too little.
def step(w, g, lr):
    return w - lr * g


print(step(1.0, 0.5, lr=0.1))
print(step(1.0, 0.5))
