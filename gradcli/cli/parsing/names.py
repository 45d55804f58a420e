"""Completion of names: those in the SPEC of a command line, which is read for that and never run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .types import Path, beginning

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Mapping

    import click
    from click.shell_completion import CompletionItem

    from ...spec.input.source import Spec

_MODULES = ("torch", "nn", "F", "np", "numpy", "math")


class Words(Path):
    """A SPEC, which may be a file, or an input NAME=VALUE, of which the name may be in the SPEC."""

    name = "spec or input"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Propose files, and behind a SPEC its inputs."""
        return [*super().shell_complete(ctx, param, incomplete), *inputs_of_spec(ctx, param, incomplete)]


def names_in_spec(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Propose what the program calls by a name."""
    return [item for name in _names(ctx) for item in beginning([name], incomplete)]


def calls_in_spec(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Propose the functions and modules of the program; a loop has blanks in its name."""
    found = _tree(ctx)
    calls = [] if found is None else list(dict.fromkeys(_calls(found[0])))
    return [item for name in calls for item in beginning([name], incomplete)]


def names_and_calls(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Propose both."""
    both = [*names_in_spec(ctx, param, incomplete), *calls_in_spec(ctx, param, incomplete)]
    return list({item.value: item for item in both}.values())


def inputs_of_spec(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Propose the names that the program gives no value itself."""
    given = [str(word).partition("=")[0] for word in _words(ctx)]
    return [item for name in _free_names(ctx) if name not in given for item in beginning([f"{name}="], incomplete)]


def _words(ctx: click.Context) -> list[str]:
    """The positional words so far; an option whose value is to be completed keeps click from naming them."""
    return [*(ctx.params.get("words") or ()), *ctx.args, *(ctx.params.get("input") or ())]


def _spec(ctx: click.Context) -> Spec | None:
    """The first SPEC of a command line, when it can be read: nothing is said while somebody is still typing."""
    from ...errors import GradcliError
    from ...spec.input.beside import read

    for key, kind in (("expression", "expression"), ("file", "path"), ("words", "auto")):
        words = ctx.params.get(key) or (_words(ctx) if key == "words" else ())
        if words and words[0] != "-":
            try:
                return read(str(words[0]), kind=kind)
            except GradcliError:
                return None
    return None


def _tree(ctx: click.Context) -> tuple[ast.Module, bool] | None:
    """The program as it is read, and whether it was typed inline."""
    from ...errors import GradcliError
    from ...spec.guard.limits import STRICT
    from ...spec.input.parse import parse

    spec = _spec(ctx)
    if spec is None:
        return None
    try:
        return parse(spec.source, STRICT), spec.inline
    except GradcliError:
        return None


def _names(ctx: click.Context) -> list[str]:
    """The names that a program takes from outside or assigns to."""
    found = _tree(ctx)
    if found is None:
        return []
    tree, inline = found
    names = [*_free(tree)] if inline else []
    return list(dict.fromkeys([*names, *_assigned(tree)]))


def _free_names(ctx: click.Context) -> list[str]:
    """The names of an inline program that nothing gives a value."""
    found = _tree(ctx)
    return list(dict.fromkeys(_free(found[0]))) if found is not None and found[1] else []


def _assigned(tree: ast.Module) -> Iterator[str]:
    """The names that a program assigns to, and those of layers and parameters that models assign to themselves."""
    import ast

    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _is_self(node.value):
            yield node.attr


def _calls(tree: ast.Module) -> Iterator[str]:
    """The functions and classes of a program, and the dotted paths of the layers that models assign to themselves."""
    import ast

    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name
    yield from (node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    for name in classes:
        yield from _layers(classes, name, ())


def _layers(classes: Mapping[str, ast.ClassDef], name: str, around: tuple[str, ...]) -> Iterator[str]:
    """The paths of the layers that a class assigns to itself, and of theirs."""
    import ast

    for node in ast.walk(classes[name]):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = getattr(node.value.func, "id", None)
            for target in node.targets:
                if isinstance(target, ast.Attribute) and _is_self(target.value):
                    yield target.attr
                    if made is not None and made in classes and made not in (*around, name):
                        yield from (f"{target.attr}.{inner}" for inner in _layers(classes, made, (*around, name)))


def _is_self(node: ast.expr) -> bool:
    return getattr(node, "id", None) == "self"


def _free(tree: ast.Module) -> Iterator[str]:
    """The names that an expression takes from outside: those that it neither assigns to nor calls, and no modules."""
    import ast

    nodes = list(ast.walk(tree))
    known = {*_assigned(tree), *_MODULES, *(node.arg for node in nodes if isinstance(node, ast.arg))}
    called = [node.func for node in nodes if isinstance(node, ast.Call)]
    for node in nodes:
        if isinstance(node, ast.Name) and node not in called and node.id not in known:
            yield node.id
