# Records sorted by several keys, with a little table.
runs = [
    {"name": "b", "acc": 0.91, "time": 12},
    {"name": "a", "acc": 0.95, "time": 30},
    {"name": "c", "acc": 0.91, "time": 8},
]
by_acc = sorted(runs, key=lambda r: (-r["acc"], r["time"]))
header = f"{'rank':<6}{'name':<6}{'acc':>6}{'time':>6}"
print(header)
print("=" * len(header))
for rank, run in enumerate(by_acc, 1):
    print(f"{rank:<6}{run['name']:<6}{run['acc']:>6.2f}{run['time']:>6d}")
print([r["name"] for r in by_acc], min(runs, key=lambda r: r["time"])["name"])
mean = sum(r["acc"] for r in runs) / len(runs)
print("mean %.4f" % mean, "spread %.3f" % (max(r["acc"] for r in runs) - min(r["acc"] for r in runs)))
groups = {}
for r in runs:
    key = "good" if r["acc"] > 0.93 else "fair"
    groups.setdefault(key, []).append(r["name"])
for key in sorted(groups):
    print(key, ",".join(groups[key]))
