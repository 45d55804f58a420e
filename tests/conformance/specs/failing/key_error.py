# A missing key.
settings = {"lr": 0.1}
names = ["lr", "momentum"]
for name in names:
    print(name, settings[name])
