"""The version of PyTorch whose numbers and words these are."""

VERSION = "2.13.0+cpu"
COMMIT = "cf30153c4c131c8164ee7798e5022d810682e2cb"
