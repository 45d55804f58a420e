"""From text to a syntax tree that is safe to walk, and from its nodes to places in the text."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache
from typing import TypeVar, cast
from weakref import WeakKeyDictionary

from ...errors import LimitError, Source, Span, SpecError
from ..guard.limits import Limits
from .source import span_at

N = TypeVar("N", bound=ast.AST)

# Left operands, `elif` and the like are compiled in a loop: a long chain of them nests nothing.
_CHAINS = {
    ast.BinOp: ("left", ast.BinOp),
    ast.If: ("orelse", ast.If),
}
# Where a text is said to stand: Python opens the file of a wrong line to read it again, and no file has this name.
NO_FILE = ""
# On a node of a module beside a program: the text that it stands in.
FILE = "of_file"
# Where a program says so, all annotations are texts.
_UNREAD = r"^from __future__ import .*\bannotations\b"
# More dots than the imports in one line may have.
_DOTS = 1_000

# The trees of the texts that were read last, none of them long: many functions of one file are checked in turn.
_trees: dict[tuple[str, int, int], ast.Module] = {}
_KEPT, _SHORT = 16, 50_000

# All nodes of the trees that were looked through, which is done once: numbers alone may be many.
_nodes: WeakKeyDictionary[ast.AST, list[ast.AST]] = WeakKeyDictionary()
_by_kind: WeakKeyDictionary[ast.AST, dict[type[ast.AST], list[ast.AST]]] = WeakKeyDictionary()


def parse(source: Source, limits: Limits) -> ast.Module:
    """The syntax tree of a program; who has it leaves it as it is."""
    text = source.text
    known = text, limits.nesting, limits.nodes
    if known in _trees:
        return _trees[known]
    tree = parsed(source, limits)
    if not tree.body:
        raise SpecError(
            "there is nothing to run: the text is empty or has only comments",
            span=Span(source, 1, 0, 1, 0),
            help="give an expression such as 'x*y', or the path of a program",
            code="E103",
        )
    if len(text) <= _SHORT:
        if len(_trees) >= _KEPT:
            del _trees[next(iter(_trees))]
        _trees[known] = tree
    return tree


def parsed(source: Source, limits: Limits) -> ast.Module:
    """A syntax tree that nobody else has, of a text that may be empty."""
    text = source.text
    _refuse_long_imports(source, limits)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.removeprefix("\ufeff"), NO_FILE)
    except SyntaxError as error:
        raise _syntax_error(source, error) from None
    except (RecursionError, MemoryError):
        raise _too_nested(_given_up(source), limits) from None
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        raise SpecError(
            "the text has a lone surrogate, which is no character", span=span_at(source, at, at + 1), code="E104"
        ) from None
    except ValueError as error:
        at = max(text.find("\0"), 0)
        raise SpecError(f"the text cannot be read: {error}", span=span_at(source, at, at + 1), code="E104") from None
    _measure(source, tree, limits)
    return tree


def is_unread(text: str) -> bool:
    """True if a program asks for annotations as texts."""
    return "annotations" in text and re.search(_UNREAD, text, re.MULTILINE) is not None


def _measure(source: Source, tree: ast.Module, limits: Limits) -> None:
    """Refuse what is nested too deeply or has too many parts, without recursion."""
    nodes = _nodes[tree] = []
    # With each node the nearest one that has a place.
    stack: list[tuple[ast.AST, int, ast.AST]] = [(tree, 0, tree)]
    while stack:
        node, depth, place = stack.pop()
        nodes.append(node)
        if hasattr(node, "lineno"):
            place = node
        if depth > limits.nesting:
            raise _too_nested(span_of(source, place), limits)
        if len(nodes) > limits.nodes:
            raise LimitError(
                f"the program has more than {limits.nodes:,} parts",
                span=span_of(source, place),
                help="split it into smaller programs",
                code="E105",
            )
        free = _chained(node)
        stack += [(part, depth if part is free else depth + 1, place) for part in parts_of(node)]


def parts_of(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node, in the order in which they are written, sooner than `ast` has them."""
    found: list[ast.AST] = []
    for name in node._fields:
        part = getattr(node, name, None)
        if type(part) is list:
            found += [x for x in part if isinstance(x, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


def nodes_of(tree: ast.AST) -> list[ast.AST]:
    """All nodes of a tree, each with all of its parts right behind it."""
    found = _nodes.get(tree)
    if found is None:
        found = _nodes[tree] = []
        stack = [tree]
        while stack:
            found.append(stack.pop())
            stack += parts_of(found[-1])
    return found


def nodes_by_part(whole: ast.AST, nodes: list[ast.AST]) -> dict[ast.AST, list[ast.AST]]:
    """The nodes of each part of a node; ``nodes``: those of the whole, each with all of its parts right behind it."""
    found: dict[ast.AST, list[ast.AST]] = {part: [] for part in parts_of(whole)}
    starts = [i for i, node in enumerate(nodes) if node in found]
    for start, end in zip(starts, [*starts[1:], len(nodes)], strict=True):
        found[nodes[start]] = nodes[start:end]
    return found


def nodes_of_kind(tree: ast.AST, kind: type[N]) -> list[N]:
    """All nodes of one kind in a tree, each before its parts."""
    kinds = _by_kind.get(tree)
    if kinds is None:
        kinds = _by_kind[tree] = {}
        for node in nodes_of(tree):
            kinds.setdefault(type(node), []).append(node)
    return cast(list[N], kinds.get(kind, []))


def _chained(node: ast.AST) -> ast.AST | None:
    """The child that continues a chain which is compiled in a loop."""
    field, kind = _CHAINS.get(type(node), ("", ast.AST))
    child: object = getattr(node, field, None)
    if isinstance(child, list):
        child = child[0] if len(child) == 1 else None
    return child if field and isinstance(child, kind) and isinstance(child, ast.AST) else None


def _too_nested(span: Span | None, limits: Limits) -> LimitError:
    return LimitError(
        f"the program is nested too deeply: more than {limits.nesting} levels",
        span=span,
        help="name the parts: assign inner expressions to variables",
        code="E105",
    )


def _refuse_long_imports(source: Source, limits: Limits) -> None:
    """Refuse names with so many dots in imports that Python's parser would copy them for ever."""
    if source.text.count(".") < _DOTS:
        return
    at = 0
    for line in source.text.replace("\\\n", "  ").split("\n"):
        code = line.partition("#")[0]
        begin = code.find("import")
        if code.count(".") >= _DOTS and begin >= 0:
            raise _too_nested(span_at(source, at + begin, at + begin + len("import")), limits)
        at += len(line) + 1


def _given_up(source: Source) -> Span:
    """About where the parser gave up: in the line that it can no longer read, at the deepest bracket."""
    lines = source.text.split("\n")
    readable, unreadable = 0, len(lines)
    while unreadable - readable > 1:
        middle = (readable + unreadable) // 2
        try:
            ast.parse("\n".join(lines[:middle]), NO_FILE)
        except (RecursionError, MemoryError):
            unreadable = middle
        except (SyntaxError, ValueError):
            # It only ends too early.
            readable = middle
        else:
            readable = middle
    line = lines[unreadable - 1]
    depth = most = 0
    at = len(line) - len(line.lstrip())
    for i, c in enumerate(line):
        if c in "([{":
            depth += 1
            if depth > most:
                most, at = depth, i
        elif c in ")]}":
            depth -= 1
    return Span(source, unreadable, at, unreadable, at + 1)


def _syntax_error(source: Source, error: SyntaxError) -> SpecError:
    message = error.msg or "invalid syntax"
    if "integer string conversion" in message:
        # Python has its own limit for what it is to read, and tells of its own ways to lift it.
        message = "this integer has too many digits"
    if "null bytes" in message:
        at = max(source.text.find("\0"), 0)
        return SpecError(
            "the text has a NUL character, which no program may have", span=span_at(source, at, at + 1), code="E104"
        )
    lines = source.text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    length = len(lines[line - 1])
    column = min(max((error.offset or 1) - 1, 0), length)
    end_line = error.end_lineno or line
    end = (error.end_offset or 0) - 1 if end_line == line else length
    hint = None
    if lines[line - 1].lstrip().startswith(("%", "!")):
        hint = "notebook commands are no Python: leave the line out"
    return SpecError(
        message, span=Span(source, line, column, line, max(min(end, length), column + 1)), help=hint, code="E101"
    )


# -- places ------------------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _lines(text: str) -> list[bytes]:
    """The lines of a program in UTF-8, in which its nodes count their columns."""
    return text.removeprefix("\ufeff").encode("utf-8", "surrogatepass").split(b"\n")


def _characters(source: Source, line: int, column: int) -> int:
    """A column that counts UTF-8 bytes, in characters."""
    lines = _lines(source.text)
    if not 1 <= line <= len(lines):
        return 0
    before = lines[line - 1][:column]
    return column if before.isascii() else len(before.decode("utf-8", "ignore"))


def written(source: Source, node: ast.expr) -> str:
    """The text of an expression, as it stands in the program."""
    assert node.end_lineno is not None
    lines = _lines(source.text)[node.lineno - 1 : node.end_lineno]
    if not lines:
        return ""
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"\n".join(lines).decode("utf-8", "replace")


def span_of(source: Source, node: ast.AST) -> Span | None:
    """Where the part of a program stands that an error is about: in its own text, or in that of a module of its own."""
    source = source_of(node, source)
    line = getattr(node, "lineno", None)
    if line is None:
        return None
    start, end_line, end = node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        found = _operator(source, node)
        if found is not None:
            return found
    elif isinstance(node, ast.Attribute) and not _rooted(node):
        # In a chain of attributes the last name is what an error is about.
        start, line = end - len(node.attr.encode()), end_line
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        start += {ast.FunctionDef: 4, ast.AsyncFunctionDef: 10, ast.ClassDef: 6}[type(node)]
        end_line, end = line, start + len(node.name.encode())
    elif isinstance(node, ast.stmt) and end_line != line:
        end_line, end = line, len(_lines(source.text)[line - 1])
    begin = _characters(source, line, start)
    return Span(source, line, begin, end_line, _characters(source, end_line, end))


def source_of(node: ast.AST, source: Source) -> Source:
    """The text that a part of a program stands in: that of a module of its own, or the program's."""
    found: Source = getattr(node, FILE, source)
    return found


def extent_of(source: Source, node: ast.AST) -> Span | None:
    """Where a part of a program stands, all of it."""
    source = source_of(node, source)
    line, end_line, end = (getattr(node, name, None) for name in ("lineno", "end_lineno", "end_col_offset"))
    if line is None or end_line is None or end is None:
        return None
    begin = _characters(source, line, node.col_offset)  # type: ignore[attr-defined]
    return Span(source, line, begin, end_line, _characters(source, end_line, end))


def _rooted(node: ast.Attribute) -> bool:
    """True if an attribute is a dotted name such as ``torch.nn.Linear``."""
    value: ast.expr = node
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id in ("torch", "nn", "F", "optim", "math", "autograd")


def _operator(source: Source, node: ast.BinOp | ast.AugAssign) -> Span | None:
    """The operator between two operands; None where the parser misplaced those, as it does in some f-strings."""
    symbol = OPERATORS[type(node.op)]
    if isinstance(node, ast.BinOp):
        left, right = node.left, node.right
    else:
        left, right, symbol = node.target, node.value, f"{symbol}="
    line, start = left.end_lineno, left.end_col_offset
    if line is None or start is None:
        return None
    for number, text in enumerate(_lines(source.text)[line - 1 : right.lineno], line):
        stop = right.col_offset if number == right.lineno else len(text)
        at = text[start:stop].partition(b"#")[0].find(symbol.encode())
        if at >= 0:
            begin = _characters(source, number, start + at)
            return Span(source, number, begin, number, begin + len(symbol))
        start = 0
    return None


OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
