def parameters(m):
    for k in m:
        yield m[k]
    yield m["missing"]
for p in parameters({"a": 1, "b": 2}):
    print(p)
