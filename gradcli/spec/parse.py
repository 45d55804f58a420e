"""From text to a syntax tree that is safe to walk, and from its nodes to places in the text."""

from __future__ import annotations

import ast
import warnings

from ..errors import LimitError, Source, Span, SpecError
from .limits import Limits
from .source import span_at

# Left operands, `elif` and the like are compiled in a loop: a long chain of them nests nothing.
_CHAINS = {
    ast.BinOp: ("left", ast.BinOp),
    ast.If: ("orelse", ast.If),
}


def parse(source: Source, limits: Limits) -> ast.Module:
    """The syntax tree of a program."""
    text = source.text
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        raise _syntax_error(source, error) from None
    except (RecursionError, MemoryError):
        raise _too_nested(source, _deepest(source), limits) from None
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        raise SpecError(
            "the text has a lone surrogate, which is no character", span=span_at(source, at, at + 1), code="E104"
        ) from None
    except ValueError as error:
        at = max(text.find("\0"), 0)
        raise SpecError(f"the text cannot be read: {error}", span=span_at(source, at, at + 1), code="E104") from None
    if not tree.body:
        raise SpecError(
            "there is nothing to run: the text is empty or has only comments",
            span=Span(source, 1, 0, 1, 0),
            help="give an expression such as 'x*y', or the path of a program",
            code="E103",
        )
    _measure(source, tree, limits)
    return tree


def _measure(source: Source, tree: ast.Module, limits: Limits) -> None:
    """Refuse what is nested too deeply or has too many parts, without recursion."""
    count = 0
    stack: list[tuple[ast.AST, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        count += 1
        if depth > limits.nesting:
            raise _too_nested(source, span_of(source, node), limits)
        if count > limits.nodes:
            raise LimitError(
                f"the program has more than {limits.nodes:,} parts",
                span=span_of(source, node) if hasattr(node, "lineno") else None,
                help="split it into smaller programs",
                code="E105",
            )
        free = _chained(node)
        stack.extend((child, depth if child is free else depth + 1) for child in ast.iter_child_nodes(node))


def _chained(node: ast.AST) -> ast.AST | None:
    """The child that continues a chain which is compiled in a loop."""
    field, kind = _CHAINS.get(type(node), ("", ast.AST))
    child: object = getattr(node, field, None)
    if isinstance(child, list):
        child = child[0] if len(child) == 1 else None
    return child if field and isinstance(child, kind) and isinstance(child, ast.AST) else None


def _too_nested(source: Source, span: Span | None, limits: Limits) -> LimitError:
    return LimitError(
        f"the program is nested too deeply: more than {limits.nesting} levels",
        span=span,
        help="name the parts: assign inner expressions to variables",
        code="E105",
    )


def _deepest(source: Source) -> Span:
    """Where the brackets are nested deepest: about where the parser gave up."""
    depth = most = at = 0
    for i, c in enumerate(source.text):
        if c in "([{":
            depth += 1
            if depth > most:
                most, at = depth, i
        elif c in ")]}":
            depth -= 1
    return span_at(source, at, at + 1)


def _syntax_error(source: Source, error: SyntaxError) -> SpecError:
    message = error.msg or "invalid syntax"
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


def _characters(source: Source, line: int, column: int) -> int:
    """A column that counts UTF-8 bytes, in characters."""
    lines = source.text.removeprefix("\ufeff").split("\n")
    if not 1 <= line <= len(lines):
        return 0
    text = lines[line - 1]
    return column if text.isascii() else len(text.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))


def span_of(source: Source, node: ast.AST) -> Span | None:
    """Where the part of a program stands that an error is about."""
    line = getattr(node, "lineno", None)
    if line is None:
        return None
    start, end_line, end = node.col_offset, node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
    if isinstance(node, ast.BinOp):
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
        end_line, end = line, len(source.text.split("\n")[line - 1].encode("utf-8", "replace"))
    begin = _characters(source, line, start)
    return Span(source, line, begin, end_line, _characters(source, end_line, end))


def extent_of(source: Source, node: ast.AST) -> Span | None:
    """Where a part of a program stands, all of it."""
    line, end_line, end = (getattr(node, name, None) for name in ("lineno", "end_lineno", "end_col_offset"))
    if line is None or end_line is None or end is None:
        return None
    begin = _characters(source, line, node.col_offset)  # type: ignore[attr-defined]
    return Span(source, line, begin, end_line, _characters(source, end_line, end))


def _rooted(node: ast.Attribute) -> bool:
    """Whether an attribute is a dotted name such as ``torch.nn.Linear``."""
    value: ast.expr = node
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id in ("torch", "nn", "F", "optim", "math", "autograd")


def _operator(source: Source, node: ast.BinOp) -> Span | None:
    """The operator between two operands, when it stands on one line with the left one's end."""
    line, start = node.left.end_lineno, node.left.end_col_offset
    if line is None or start is None:
        return None
    begin = _characters(source, line, start)
    text = source.text.removeprefix("\ufeff").split("\n")[line - 1]
    symbol = OPERATORS[type(node.op)]
    at = text.find(symbol, begin)
    if at < 0 or (node.right.lineno == line and at > _characters(source, line, node.right.col_offset)):
        return None
    return Span(source, line, at, line, at + len(symbol))


OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
