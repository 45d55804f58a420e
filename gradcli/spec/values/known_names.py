"""The names between two underscores and two that something in the host gives a meaning; all others are a program's."""

from __future__ import annotations

# Of Python: what its objects, classes, functions, modules and errors have, and what operators and builtins ask for.
_OF_PYTHON = (
    "abc_tpflags abs abstractmethods add aenter aexit aiter all alloc and anext annotate annotations args await base "
    "bases basicsize bool bound build_class builtins bytes call cached cause ceil class class_getitem classcell "
    "classdict classdictcell closure code complex concat conditional_annotations constraints contains context "
    "contravariant copy covariant dataclass_fields dataclass_params dataclass_transform debug deepcopy default "
    "defaults del delattr delete delitem dict dictoffset dir div divmod doc enter eq exit file final firstlineno flags "
    "float floor floordiv format forward_arg forward_code forward_evaluated forward_is_argument forward_is_class "
    "forward_module forward_value fspath func future ge get getattr getattribute getformat getinitargs getitem "
    "getnewargs getnewargs_ex getstate globals gt hash iadd iand iconcat idiv ifloordiv ilshift imatmul imod import "
    "imul index infer_variance init init_subclass instancecheck int inv invert ior ipow irshift isabstractmethod isub "
    "itemsize iter itruediv ixor kwdefaults le len length_hint lltrace loader lshift lt main match_args matmul members "
    "metaclass missing mod module mro mro_entries mul mutable_keys name ne neg new new_member newobj newobj_ex next "
    "no_type_check not notes objclass optional_keys or orig_bases orig_class origin package parameters path pos "
    "post_init pow prepare protocol_attrs qualname radd rand rdiv rdivmod readonly_keys reduce reduce_ex "
    "release_buffer repr required_keys reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift rsub "
    "rtruediv rxor self self_class set set_name setattr setitem setstate signature sizeof slotnames slots spec "
    "static_attributes stderr stdin stdout str sub subclasscheck subclasses subclasshook supertype suppress_context "
    "text_signature thisclass total traceback truediv trunc type_params typing_is_unpacked_typevartuple "
    "typing_prepare_subst typing_subst typing_unpacked_tuple_args unpacked validate_parameters value warningregistry "
    "weakref weakrefoffset wrapped xor buffer"
)
# Of NumPy, PyTorch and what draws on terminals.
_OF_OTHERS = (
    "array array_finalize array_function array_interface array_namespace array_prepare array_struct array_ufunc "
    "array_wrap cuda_array_interface dlpack dlpack_device dlpack_c_exchange_api getitems html jax_array marks "
    "numpy_dtype rich rich_console rich_measure rich_repr sklearn_tags tensor_flatten tensor_unflatten torch_dispatch "
    "torch_function cuda_stream"
)

KNOWN = frozenset(f"__{word}__" for word in f"{_OF_PYTHON} {_OF_OTHERS}".split())


def is_dunder(name: str) -> bool:
    """True if a name stands between two underscores and two."""
    return name.startswith("__") and name.endswith("__") and len(name) > 4
