# Dictionaries: building, reading, changing, walking.
config = {"lr": 0.01, "layers": [4, 8], "act": "relu"}
config["epochs"] = 5
print(config, len(config), "lr" in config, config.get("momentum"), config.get("momentum", 0.9))
for key, value in config.items():
    print(f"{key:>8} = {value}")
print(list(config), list(config.keys())[0], list(config.values())[-1])
config.update({"lr": 0.1}, act="tanh")
print(config.pop("epochs"), config.pop("nothing", None), config)
config.setdefault("seed", 1)
config.setdefault("lr", 99)
print(config, dict(a=1, b=2), dict([("x", 1), ("y", 2)]), {**config, "lr": 0} == config)
counts = {}
for ch in "mississippi":
    counts[ch] = counts.get(ch, 0) + 1
print(counts, sorted(counts, key=counts.get, reverse=True), max(counts.items(), key=lambda kv: kv[1]))
print({v: k for k, v in counts.items()}, sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))[:2])
del counts["m"]
groups = {}
for word in ["sgd", "adam", "lbfgs", "nag"]:
    groups.setdefault(len(word), []).append(word)
print(groups, counts, {(0, 1): "tuple key", 2.5: None}[(0, 1)])
print({1: "a", "n": {"deep": [1, {"er": 2}]}}["n"]["deep"][1]["er"])
try:
    config["missing"]
except KeyError as e:
    print("KeyError:", e)
try:
    {[1]: 2}
except TypeError as e:
    print(str(e)[-25:])
