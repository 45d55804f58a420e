"""Modules of PyTorch's that are no files: imported by their path, and from."""

from importlib import import_module

import pytest

import gradcli

PATHS = [
    ("autograd.functional", "jacobian"), ("autograd.forward_ad", "dual_level"), ("autograd.graph", "GradientEdge"),
    ("autograd.function", "Function"), ("autograd.grad_mode", "no_grad"), ("autograd.variable", "Variable"),
    ("autograd.anomaly_mode", "detect_anomaly"), ("autograd.gradcheck", "gradcheck"),
    ("amp.autocast_mode", "autocast"), ("amp.grad_scaler", "GradScaler"), ("cuda.amp.grad_scaler", "GradScaler"),
    ("cpu.amp.autocast_mode", "autocast"), ("optim.adamw", "AdamW"), ("optim.rmsprop", "RMSprop"),
    ("optim.optimizer", "required"), ("nn.parallel.data_parallel", "DataParallel"), ("nn.common_types", "_size_2_t"),
    ("functional", "einsum"), ("types", "Number"), ("jit", "script"), ("distributed", "is_available"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "name"), PATHS)
def test_a_module_is_imported_by_pytorchs_path(path, name):
    assert hasattr(import_module(f"gradcli.{path}"), name)


def test_a_name_that_is_not_there_is_an_import_error():
    with pytest.raises(ImportError, match="Lion"):
        from gradcli.optim.adamw import Lion  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match="lions"):
        import_module("gradcli.autograd.lions")


def test_what_is_to_be_compiled_is_given_back():
    def f(x):
        return x + 1

    layer = gradcli.nn.Linear(1, 1)
    assert gradcli.compile(f) is gradcli.compile(dynamic=True)(f) is gradcli.jit.script(f) is gradcli.jit.ignore(f) is f
    assert gradcli.jit.trace(layer, gradcli.ones(1)) is gradcli.compile(layer, mode="max-autotune")._orig_mod is layer
    assert gradcli.jit.ignore(drop=True)(f) is f
    assert not gradcli.jit.is_scripting()
    assert gradcli.compiler.disable(f) is gradcli.compiler.disable(recursive=False)(f) is f
    assert not gradcli.compiler.is_compiling()


def test_the_names_of_parts_are_heard_and_nothing_is_measured() -> None:
    from gradcli.autograd.profiler import profile, record_function

    with record_function("part"), profile(enabled=False):
        assert record_function("twice")(lambda x: x * 2)(3) == 6
    for made in (profile, gradcli.profiler.profile):
        with pytest.raises(NotImplementedError, match="measures nothing here"):
            made()


def test_an_option_that_is_required_is_asked_for():
    class Plain(gradcli.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": gradcli.optim.optimizer.required})

    p = gradcli.zeros(1, requires_grad=True)
    with pytest.raises(ValueError, match="a value of required optimization parameter lr"):
        Plain([p])
    assert Plain([{"params": [p], "lr": 0.1}]).param_groups[0]["lr"] == 0.1
