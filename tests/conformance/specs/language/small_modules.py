"""Hashes, letters of bytes, identifiers, settings, days and queues."""

import base64
import configparser
import hashlib
import queue
import uuid
from datetime import date, datetime, timedelta

print(hashlib.md5(b"abc").hexdigest(), hashlib.sha256("x".encode()).hexdigest(), hashlib.new("sha1", b"a").digest())
h = hashlib.sha512()
h.update(b"a")
h.update(b"b")
print(h.hexdigest()[:20], h.name, h.digest_size, h.block_size)
for n in ("md5", "sha1", "sha224", "sha384", "sha3_256", "blake2b", "blake2s"):
    print(n, getattr(hashlib, n)(b"q").hexdigest(), getattr(hashlib, n)().block_size)
try:
    hashlib.md5("abc")
except TypeError as e:
    print(e)
print(base64.b64encode(b"hello"), base64.b64decode("aGVsbG8="), base64.urlsafe_b64encode(b"\xff\xfe"))
print(
    uuid.uuid5(uuid.NAMESPACE_DNS, "python.org"),
    repr(uuid.uuid3(uuid.NAMESPACE_DNS, "python.org")),
    len(str(uuid.uuid4())),
    uuid.uuid4().version,
    uuid.uuid4() == uuid.uuid4(),
)
u = uuid.UUID("{12345678-1234-5678-1234-567812345678}")
print(u, u.hex, u.bytes, u.urn)
c = configparser.ConfigParser()
c.read_string("""
[DEFAULT]
lr = 0.1
[model]
hidden: 32
name = net-%(lr)s
flag = yes
long = a
   b
[train]
lr = 0.5
epochs=3
""")
print(
    c.sections(),
    c["model"]["lr"],
    c["train"].getfloat("lr"),
    c.getint("train", "epochs"),
    c["model"].getboolean("flag"),
    c["model"]["name"],
    c["model"]["long"].split(),
    dict(c["train"]),
    c.get("model", "zz", fallback="d"),
    "model" in c,
    c.has_option("model", "hidden"),
    list(c),
)
for f in (lambda: c["nope"], lambda: c.get("model", "zz"), lambda: c.get("q", "zz"), lambda: c["model"]["zz"]):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
c["new"] = {"a": 1}
c.add_section("z")
c.set("z", "k", "v")
import io

s = io.StringIO()
c.write(s)
print(s.getvalue())
d = datetime.strptime("2024-02-29 13:05:09", "%Y-%m-%d %H:%M:%S")
print(d, repr(d), d + timedelta(days=1), d.strftime("%d %b %Y"))
print(
    datetime.strptime("Mar 5, 99 3:07 PM", "%b %d, %y %I:%M %p"),
    datetime.fromisoformat("2024-01-02T03:04:05"),
    date.fromisoformat("2020-12-31"),
    d.replace(year=2020, hour=1),
    date(2024, 1, 31).replace(day=1),
)
for f in (
    lambda: datetime.strptime("x", "%Y"),
    lambda: date(2023, 2, 29),
    lambda: date(2023, 13, 1),
    lambda: datetime.strptime("2024-01-01x", "%Y-%m-%d"),
    lambda: date.fromisoformat("zz"),
):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
q = queue.PriorityQueue()
q.put(3)
q.put(1)
print(q.get(), q.qsize(), q.empty())
