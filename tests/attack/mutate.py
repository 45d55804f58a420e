"""Programs that are known, changed: other letters and words, other expressions, and parts of one in another."""

from __future__ import annotations

import ast
import re
from random import Random

from . import atoms
from .corpus import fragments, texts, tokens, trees

# What is no letter, ends a line or joins two, begins a text or a comment, or is half of something.
_ODD = (
    "\0", "﻿", "‮", "​", "\x0c", "\r", "\x85", "\u2028", "\xa0", "\t", "\\", "\\\n", "'''", "f'{", "{", "}", "(",
    ")", "#", "@", "é", "ﬁ", "𝒙", "\ud800", "٣", "\x1b[31m", "\n ", "lambda:", "**", ":=", "!", "`", "0x", "1e", "...",
    "async ", "await ", "match x:\n case ", "del ", "global ", "nonlocal ", "yield ", "import ", "from ", "class ",
    "@t\n",
)  # fmt: skip


def by_tokens(random: Random) -> str:
    """A program with some words exchanged, left out, put in or doubled."""
    text = random.choice(texts())
    parts = re.findall(r"\w+|[^\w\s]|\s+", text)
    for _ in range(random.randint(1, 6)):
        if not parts:
            break
        at = random.randrange(len(parts))
        roll = random.random()
        if roll < 0.35:
            parts[at] = atoms.name(random) if parts[at].isidentifier() and roll < 0.2 else random.choice(tokens())
        elif roll < 0.5:
            parts[at : at + random.randint(1, 4)] = []
        elif roll < 0.65:
            parts.insert(at, random.choice(_ODD))
        elif roll < 0.8:
            start = random.randrange(len(parts))
            parts[at:at] = parts[start : start + random.randint(1, 8)]
        else:
            parts.insert(at, f" {atoms.value(random)} ")
    return "".join(parts)


class _Changed(ast.NodeTransformer):
    """A tree with some of its expressions and names exchanged."""

    def __init__(self, random: Random, count: int, size: int) -> None:
        self.random = random
        self.places = {random.randrange(size) for _ in range(count)}
        self.seen = -1

    def visit(self, node: ast.AST) -> ast.AST:
        node = super().generic_visit(node)
        self.seen += 1
        if self.seen not in self.places:
            return node
        if isinstance(node, ast.Attribute):
            return ast.Attribute(node.value, atoms.name(self.random), node.ctx)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            node.name = atoms.name(self.random)
        elif isinstance(node, ast.ClassDef) and node.bases:
            node.bases = [_parsed(self.random.choice(("nn.Module", "nn.Sigmoid", "Exception", "torch.optim.SGD")))]
        elif isinstance(node, ast.keyword):
            node.arg = atoms.name(self.random)
        elif isinstance(node, ast.expr) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return self._other(node)
        return node

    def _other(self, node: ast.expr) -> ast.AST:
        if isinstance(node, (ast.JoinedStr, ast.FormattedValue, ast.Starred, ast.Slice)):
            return node
        random = self.random
        other = _parsed(atoms.value(random) if random.random() < 0.6 else random.choice(fragments()))
        name = atoms.name(random)
        kind = random.randrange(9)
        if kind <= 1:
            return other
        if kind == 2:
            return ast.Attribute(node, name, ast.Load())
        if kind == 3:
            return ast.Call(node, [other], [])
        if kind == 4:
            return ast.Call(ast.Attribute(node, name, ast.Load()), [other], [])
        if kind == 5:
            return ast.Subscript(node, other, ast.Load())
        if kind == 6:
            return ast.BinOp(node, random.choice((ast.Mult(), ast.Add(), ast.Mod(), ast.Pow(), ast.MatMult())), other)
        if kind == 7:
            getter = ast.Name(random.choice(("getattr", "hasattr")), ast.Load())
            return ast.Call(getter, [node, ast.Constant(name)], [])
        return ast.Call(other, [node], [])


def _parsed(text: str) -> ast.expr:
    return ast.parse(f"({text})", mode="eval").body


def by_trees(random: Random) -> str:
    """A program with some expressions exchanged; each statement is tried whatever came of the others."""
    text = random.choice(trees())
    tree = ast.parse(text)
    if random.random() < 0.4:
        # Two programs in one, their statements in turns.
        other = ast.parse(random.choice(trees())).body
        start = random.randrange(len(tree.body) + 1)
        tree.body[start:start] = other
    size = sum(1 for _ in ast.walk(tree))
    tree = ast.fix_missing_locations(_Changed(random, random.randint(1, 5), size).visit(tree))
    lines = [ast.unparse(statement) for statement in tree.body]
    if random.random() < 0.7:
        lines = [line if line.startswith(("import ", "from ")) else _tried(line) for line in lines]
    return "\n".join(lines) + "\n"


def _tried(line: str) -> str:
    inner = line.replace("\n", "\n    ")
    return f"try:\n    {inner}\nexcept Exception as caught:\n    caught_ = caught"
