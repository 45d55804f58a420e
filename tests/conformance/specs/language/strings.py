# Methods of strings.
s = "  Deep Learning with  PyTorch "
print(repr(s.strip()), s.split(), s.lower().count("e"), len(s))
print("a,b,,c".split(","), "-".join(["x", "y", "z"]), "abc".upper(), "hello world".title(), "hello".capitalize())
print("layer1.weight".startswith("layer"), "layer1.weight".endswith((".weight", ".bias")), "weight" in "layer1.weight")
print("conv.0.bias".split(".")[0], "conv.0.bias".rsplit(".", 1), "aXbX".replace("X", "-"), "a=1=2".partition("="))
print("abc"[::-1], "abcdef"[1:4], "abc"[-1], "abc" * 2, "abc".find("c"), "abc".find("z"), "banana".index("n"))
print("7".zfill(3), "x".ljust(3) + "|", "x".rjust(3), "x".center(5, "*"))
print("12".isdigit(), "ab".isalpha(), "Ab".swapcase())
print("tab\there", "new\\nline", r"raw\n", "quote's", 'double "quotes"', """three
lines""")
print("one " "two", "é", "\u03b1", "x" < "y", "abc" == "ab" + "c", "B" < "a", not "")
print(list("abc"), sorted("hello"), "".join(sorted(set("hello"))), "a b".split(" "), "lines\nof\ntext".splitlines())
print(repr("it's"), repr('say "hi"'), repr("both ' and \""), repr("tab\t"), ["a'b", "c"])
for i, ch in enumerate("ok"):
    print(i, ch, end=", ")
print("xyzzy".strip("xy"), "  l".lstrip(), "r  ".rstrip() + ".")
