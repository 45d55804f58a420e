"""Write the table of signatures: python -m tests.write_signatures, where PyTorch is installed.

Of a function with several overloads PyTorch itself lists them, in the words that its errors have. Of one with a single
signature that is read off the stubs that it comes with, or off the schema of the operator.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradcli
from gradcli.engine.calls.signatures import TABLE

# What stubs call a type, without what they say of symbols and of None.
_TYPES = {
    "Tensor": "Tensor", "Tensor | Number | _complex": "Tensor", "Tensor | Number": "Tensor",
    "_int": "int", "int": "int", "_float": "float", "float": "float", "_bool": "bool", "bool": "bool",
    "Number": "Number", "str": "str",
    "Number | _complex": "Number", "_size": "tuple of ints", "Sequence[_int]": "tuple of ints",
    "Sequence[int]": "tuple of ints", "_int | _size": "tuple of ints*", "_int | Sequence[_int]": "tuple of ints*",
    "int | Sequence[int]": "tuple of ints*", "Sequence[_float]": "tuple of floats",
    "tuple[Tensor, ...] | list[Tensor]": "tuple of Tensors", "Sequence[Number | _complex]": "tuple of Scalars",
    "Tensor | tuple[Tensor, ...] | list[Tensor]": "tuple of Tensors", "_dtype": "torch.dtype",
    "_layout": "torch.layout", "DeviceLikeType": "torch.device", "memory_format": "torch.memory_format",
    "Generator": "torch.Generator",
}  # fmt: skip
_OF_SCHEMAS = {
    "Tensor": "Tensor", "int": "int", "float": "float", "number": "Number", "bool": "bool", "str": "str",
    "List[int]": "tuple of ints", "List[Tensor]": "tuple of Tensors", "List[float]": "tuple of floats",
}  # fmt: skip
# Of these the stubs and PyTorch's own errors say different things, or others see to them.
_LEFT_OUT = frozenset(
    "bfloat16 bool byte char chalf cuda dequantize double dsmm float half hsmm int is_vulkan_available long nonzero "
    "new numel requires_grad_ set_ short size spmm stride uniform_".split()
)
# Another order of arguments, an older one mostly, is hidden beside the one signature that is told.
_HIDDEN = frozenset("add addbmm addcdiv addcmul addmv addr baddbmm sspaddmm sub addbmm_ addcdiv_ addcmul_ addmv_ "
                    "addmm addmm_ addr_ baddbmm_ add_ copy_ sub_".split())  # fmt: skip
# What neither the stubs nor a list tells.
_TOLD = {
    "torch.add": "(Tensor input, Tensor other, *, Number alpha = 1, Tensor? out = None)",
    "torch.sub": "(Tensor input, Tensor other, *, Number alpha = 1, Tensor? out = None)",
} | dict.fromkeys(("Tensor.add", "Tensor.add_", "Tensor.sub", "Tensor.sub_"), "(Tensor other, *, Number alpha = 1)")


def _kind(annotation: ast.expr | None, default: str | None) -> str | None:
    text = re.sub(r" \| (torch\.)?Sym\w+|torch\.", "", ast.unparse(annotation)) if annotation else ""
    nullable = " | None" in text
    kind = _TYPES.get(text.replace(" | None", ""))
    return None if kind is None else kind + ("?" if nullable and default in (None, "None") else "")


def stubs(path: Path, cls: str | None = None) -> dict[str, list[str]]:
    """The signatures that a file of stubs, or a class in it, declares, as far as their types are known."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    if cls is not None:
        body = next(n for n in body if isinstance(n, ast.ClassDef) and n.name == cls).body
    found: dict[str, list[str]] = {}
    for function in body:
        if not isinstance(function, ast.FunctionDef):
            continue
        a = function.args
        defaults = [None] * (len(a.args) - len(a.defaults)) + [ast.unparse(d) for d in a.defaults]
        named = [*zip(a.args, defaults, strict=True)][cls is not None :]
        by_name = [(p, d and ast.unparse(d)) for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=True)]
        parts = [_written(_kind(p.annotation, d), p.arg, d) for p, d in (*named, *by_name)]
        if by_name:
            parts.insert(len(named), "*")
        known = None not in parts and a.vararg is None
        found.setdefault(function.name, []).extend([f"({', '.join(map(str, parts))})"] if known else [])
    return found


def _written(kind: str | None, name: str, default: str | None) -> str | None:
    return None if kind is None else f"{kind} {name}" + ("" if default is None else f" = {default}")


def schema(torch: Any, name: str) -> str | None:
    """The signature of the one operator of a name that returns its result."""
    packet = getattr(torch.ops.aten, name, None)
    every = [getattr(packet, o)._schema for o in packet.overloads()] if packet is not None else []
    plain = [s for s in every if not any(a.is_out for a in s.arguments)]
    if len(plain) != 1:
        return None
    outs = next((n for s in every if (n := sum(a.is_out for a in s.arguments))), 0)
    parts: list[str] = []
    for a in plain[0].arguments:
        inner = str(a.type).removeprefix("Optional[").removesuffix("]" * str(a.type).startswith("Optional["))
        kind = "torch.dtype?" if a.name == "dtype" else _OF_SCHEMAS.get(inner)
        if kind is None:
            return None
        if a.kwarg_only and "*" not in parts:
            parts.append("*")
        kind += ("*" if a.N else "") + ("?" if inner != str(a.type) and a.name != "dtype" else "")
        default = f'"{a.default_value}"' if isinstance(a.default_value, str) else str(a.default_value)
        parts.append(f"{kind} {'input' if a.name == 'self' else a.name}" + f" = {default}" * a.has_default_value())
    if outs:
        parts += ["*"] * ("*" not in parts) + [f"{'Tensor' if outs == 1 else 'tuple of Tensors'}? out = None"]
    return f"({', '.join(parts)})"


class _Odd:
    """What no function takes."""


def listed(call: Any, self: tuple[Any, ...]) -> list[str]:
    """The signatures that PyTorch lists where it is given what no function takes."""
    for args, kwargs in (((), {"foo_": 1}), *(((_Odd(),) * n, {}) for n in range(5))):
        try:
            call(*self, *args, **kwargs)
        except TypeError as error:
            if "expected one of" in str(error):
                return [line[3:] for line in str(error).splitlines() if line.startswith(" * ")]
        except Exception:  # it takes what no other function does
            continue
    return []


def _marked(torch: Any, name: str, texts: list[str], declared: list[str]) -> list[str]:
    """Signatures as PyTorch lists them, with what a list does not tell: where one number does, and where None."""
    several = {n for text in declared for n in re.findall(r"\*\??\s(\w+)", text)}
    nullable = {n for text in declared for n in re.findall(r"\? (\w+)(?=[,)])", text)}
    packet = getattr(torch.ops.aten, name, None)
    for a in (a for o in (packet.overloads() if packet else ()) for a in getattr(packet, o)._schema.arguments):
        several |= {a.name} if a.N else set()
        nullable |= {a.name} if str(a.type).startswith("Optional") and not a.has_default_value() else set()

    def mark(found: re.Match[str]) -> str:
        kind, own, default = found.groups()
        kind += "*" * (kind.startswith("tuple of") and own in several)
        return f"{kind}{'?' * (default == ' = None' or own in nullable)} {own}{default or ''}"

    return [re.sub(r"(tuple of \w+|[\w.]+) (\w+)( = (?:\{[^}]*\}|[^,)]*))?(?=[,)])", mark, text) for text in texts]


def functions(torch: Any) -> Iterator[tuple[str, str, Any, tuple[Any, ...], dict[str, list[str]]]]:
    """All functions that PyTorch has in C, by their keys, with what stubs declare."""
    folder = Path(torch.__file__).parent / "_C"
    plain, bare = stubs(folder / "_VariableFunctions.pyi"), stubs(folder / "_nn.pyi")
    methods = stubs(folder / "__init__.pyi", "TensorBase")
    for place, module, declared, head in (
        ("torch", torch, plain, ""), ("F", torch.nn.functional, plain | bare, ""),
        ("linalg", torch.linalg, {}, "linalg_"), ("fft", torch.fft, {}, "fft_"),
        ("special", torch.special, {}, "special_"),
    ):  # fmt: skip
        for name in dir(module):
            call = getattr(module, name)
            in_c = type(call).__name__ == "builtin_function_or_method" and not name.startswith("_")
            if in_c and (place != "torch" or hasattr(torch._C._VariableFunctions, name)):
                yield f"{place}.{name}", head + name, call, (), declared
    for name in sorted(bare):
        # What functions of `torch.nn.functional` hand their arguments to.
        call = getattr(torch._C._nn, name, None)
        if call is not None and not name.startswith(("_", "mkldnn", "slow_", "thnn_")):
            yield f"nn.{name}", name, call, (), bare
    for name in dir(torch._C.TensorBase):
        call = getattr(torch.Tensor, name)
        if not name.startswith("_") and call is getattr(torch._C.TensorBase, name) and callable(call):
            yield f"Tensor.{name}", name, call, (torch.ones(2, 3),), methods


def offered(key: str) -> bool:
    """Tell whether the function is here, too."""
    place, _, name = key.partition(".")
    home: Any = {"torch": gradcli, "F": gradcli.nn.functional}.get(place) or getattr(gradcli, place)
    here = place == "nn" or hasattr(home, name)
    return here and name not in _LEFT_OUT and not name.startswith(("quantize", "sparse_"))


def lines() -> Iterator[str]:
    """The table."""
    import torch

    for key, name, call, self, declared in functions(torch):
        if not offered(key):
            continue
        texts = _marked(torch, name, listed(call, self), declared.get(name, []))
        if not texts and key.startswith("nn.") and (exact := schema(torch, name)):
            # The stubs of these are of what Python hands to them.
            texts = [exact]
        if not texts and len(declared.get(name, [])) == 1 and not key.startswith("F."):
            texts = declared[name]
        if not texts and (told := _TOLD.get(key) or (None if self else schema(torch, name))):
            texts = [told]
        if self and len(texts) == 1:
            # Stubs do not tell that methods take these by name alone, and no output.
            texts = [re.sub(r", (\*, )?Tensor\? out = None(?=\))", "", texts[0])]
            texts = [texts[0].replace("(torch.memory_format", "(*, torch.memory_format")]
        if texts:
            yield f"{key} {'~' * (name in _HIDDEN and len(texts) == 1)}{'|'.join(texts)}"


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        TABLE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
