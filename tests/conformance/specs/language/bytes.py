"""Bytes: what they are made of, what is done with them, and their texts."""

b = b"hello \x00\xff'"
print(b, repr(b), str(b), len(b), b[0], b[1:3], b[-1], list(b)[:3], type(b))
print(
    "héllo".encode(),
    "héllo".encode("latin-1"),
    b"h\xc3\xa9".decode(),
    b"\xff\xfeabc".decode("utf-8", errors="replace"),
    str(b"abc", "utf-8"),
)
try:
    b"\xff".decode()
except UnicodeDecodeError as e:
    print(type(e).__name__, e)
try:
    "é".encode("ascii")
except UnicodeEncodeError as e:
    print(type(e).__name__, e)
try:
    b"a" + "b"
except TypeError as e:
    print(e)
try:
    "b" + b"a"
except TypeError as e:
    print(e)
try:
    bytes([256])
except ValueError as e:
    print(e)
try:
    bytes("abc")
except TypeError as e:
    print(e)
print(bytes(3), bytes([1, 2, 3]), bytes("abc", "utf-8"), bytes(range(4)), bytes())
print(
    b"abc" + b"d",
    b"ab" * 2,
    b"b" in b"abc",
    98 in b"abc",
    b"a" < b"b",
    b"a" == "a",
    b"abc".hex(),
    bytes.fromhex("616263"),
)
print(
    b" ".join([b"a", b"b"]),
    b"a,b".split(b","),
    b"abc".replace(b"b", b"xx"),
    b"abc".upper(),
    b"abc".find(b"c"),
    b"  x ".strip(),
    b"x".center(5, b"*"),
)
print(
    (1024).to_bytes(2, "big"),
    int.from_bytes(b"\x04\x00", "big"),
    (5).to_bytes(),
    int.from_bytes(b"\xff", "little", signed=True),
)
print(
    {b"a": 1}, hash(b"a") == hash(b"a"), isinstance(b"", bytes), sorted(b"cab"), max(b"abc"), sum(b"abc"), set(b"aab")
)
print(f"{b'x'} {b'y'!r}", "%s" % b"x", "{}".format(b"q"))
for c in b"ab":
    print(c)
print(ord(b"a"), int(b"12"), float(b"1.5"))
x, *r = b"abc"
print(x, r)
print([chr(c) for c in b"ab"], dict(zip(b"ab", b"cd")), list(reversed(b"abc")), list(enumerate(b"ab")))
import json

try:
    json.dumps(b"a")
except TypeError as e:
    print(e)
import torch

print(torch.tensor(list(b"abc")))
import copy

print(copy.deepcopy([b"a"]), bool(b""), b"a".isalpha())
match b"ab":
    case b"ab":
        print("matched")
