"""What a module tree keeps, copies, switches and calls. Every test runs in gradcli and, when installed, in PyTorch."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest


def small(torch: Any) -> Any:
    nn = torch.nn
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def test_attributes_are_registered(torch: Any) -> None:
    nn = torch.nn

    class Net(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.a = nn.Parameter(torch.ones(2))
            self.layer = nn.Linear(2, 2)
            self.register_buffer("seen", torch.zeros(1))
            self.register_buffer("passing", torch.zeros(1), persistent=False)
            self.plain = 3

    net = Net()
    assert [n for n, _ in net.named_parameters()] == ["a", "layer.weight", "layer.bias"]
    assert [n for n, _ in net.named_buffers()] == ["seen", "passing"]
    assert list(net.state_dict()) == ["a", "seen", "layer.weight", "layer.bias"]
    net.seen = torch.ones(1)
    assert net.state_dict()["seen"].tolist() == [1.0]
    net.plain = nn.Parameter(torch.ones(1))
    assert [n for n, _ in net.named_parameters()] == ["a", "plain", "layer.weight", "layer.bias"]
    del net.layer
    assert not hasattr(net, "layer")
    net.a = None
    assert [n for n, _ in net.named_parameters()] == ["plain"]
    assert repr(net) == "Net()"


def test_a_parameter_before_init_is_a_mistake(torch: Any) -> None:
    class Net(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            self.a = torch.nn.Parameter(torch.ones(1))

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Net()


def test_a_shared_parameter_is_listed_once(torch: Any) -> None:
    net = small(torch)
    net.append(net[0])
    assert len(list(net.parameters())) == 4
    assert len(list(net.named_parameters(remove_duplicate=False))) == 6
    assert len(net.state_dict()) == 6


def test_training_goes_down_the_tree(torch: Any) -> None:
    net = torch.nn.Sequential(torch.nn.Dropout(0.5), torch.nn.Sequential(torch.nn.Dropout(0.5)))
    assert net.eval() is net
    assert [m.training for m in net.modules()] == [False] * 4
    x = torch.ones(5)
    assert net(x).tolist() == x.tolist()
    net.train()
    assert all(m.training for m in net.modules())


def test_state_goes_from_one_module_to_another(torch: Any) -> None:
    first, second = small(torch), small(torch)
    with torch.no_grad():
        first[0].weight.fill_(2.0)
    assert str(second.load_state_dict(first.state_dict())) == "<All keys matched successfully>"
    assert second[0].weight.tolist() == first[0].weight.tolist()
    second[0].weight.data.zero_()
    assert first[0].weight.tolist() != second[0].weight.tolist()


def test_a_state_dict_shares_memory(torch: Any) -> None:
    net = small(torch)
    net.state_dict()["0.bias"].zero_()
    assert net[0].bias.tolist() == [0.0] * 4
    assert not net.state_dict()["0.bias"].requires_grad
    assert net.state_dict(keep_vars=True)["0.bias"] is net[0].bias


def test_a_module_may_keep_more_state(torch: Any) -> None:
    class Counted(torch.nn.Module):  # type: ignore[misc]
        n = 0

        def get_extra_state(self) -> Any:
            return {"n": self.n}

        def set_extra_state(self, state: Any) -> None:
            self.n = state["n"]

    first, second = Counted(), Counted()
    first.n = 7
    assert dict(first.state_dict()) == {"_extra_state": {"n": 7}}
    second.load_state_dict(first.state_dict())
    assert second.n == 7


def test_a_deep_copy_stands_alone(torch: Any) -> None:
    net = small(torch)
    net(torch.ones(3)).sum().backward()
    twin = copy.deepcopy(net)
    assert twin[0].weight is not net[0].weight
    assert twin[0].weight.tolist() == net[0].weight.tolist()
    assert type(twin[0].weight) is torch.nn.Parameter
    assert twin[0].weight.grad is None
    net[0].weight.data.zero_()
    assert twin[0].weight.tolist() != net[0].weight.tolist()


def test_gradients_are_forgotten_or_emptied(torch: Any) -> None:
    net = small(torch)
    net(torch.ones(3)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net[2].bias.grad.tolist() == [0.0, 0.0]
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_a_module_changes_its_dtype(torch: Any) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    weight = net[0].weight
    net(torch.ones(3, 2)).sum().backward()
    assert net.double() is net
    assert net[0].weight is weight
    assert weight.dtype == weight.grad.dtype == net[1].running_mean.dtype == torch.float64
    assert net[1].num_batches_tracked.dtype == torch.int64
    assert net.to(torch.float32)[0].weight.dtype == torch.float32


def test_apply_visits_children_first(torch: Any) -> None:
    seen = []
    small(torch).apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "Tanh", "Linear", "Sequential"]


def test_a_parameter_shares_its_tensors_memory(torch: Any) -> None:
    t = torch.zeros(2)
    p = torch.nn.Parameter(t)
    t.fill_(3.0)
    assert p.tolist() == [3.0, 3.0]
    assert p.is_leaf
    p.data = torch.ones(3)
    assert p.shape == (3,)
    assert type(p * 2) is torch.Tensor


# -- hooks -------------------------------------------------------------------------------------


def test_forward_hooks_see_and_replace(torch: Any) -> None:
    net = torch.nn.Identity()
    before = net.register_forward_pre_hook(lambda m, args: args[0] + 1)
    net.register_forward_hook(lambda m, args, out: out * 10)
    assert net(torch.ones(1)).tolist() == [20.0]
    before.remove()
    assert net(torch.ones(1)).tolist() == [10.0]


def test_hooks_take_keywords_and_places(torch: Any) -> None:
    class Scale(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, by: float = 1.0) -> Any:
            return x * by

    seen: list[Any] = []
    net = Scale()
    net.register_forward_pre_hook(lambda m, args, kwargs: (args, {"by": kwargs["by"] + 1}), with_kwargs=True)
    net.register_forward_hook(lambda m, args, out: seen.append("second"))
    net.register_forward_hook(lambda m, args, kwargs, out: seen.append(kwargs["by"]), prepend=True, with_kwargs=True)
    assert net(torch.ones(1), by=2.0).tolist() == [3.0]
    assert seen == [3.0, "second"]


def test_full_backward_hooks_see_and_replace(torch: Any) -> None:
    seen = []

    def hook(module: Any, grad_input: Any, grad_output: Any) -> Any:
        seen.append((type(module).__name__, grad_input[0].tolist(), grad_output[0].tolist()))
        return (grad_input[0] * 100,)

    net = torch.nn.Tanh()
    net.register_full_backward_pre_hook(lambda m, grads: (grads[0] * 2,))
    handle = net.register_full_backward_hook(hook)
    x = torch.zeros(2, requires_grad=True)
    y = net(x)
    assert type(y.grad_fn).__name__ == "BackwardHookFunctionBackward"
    y.sum().backward()
    assert seen == [("Tanh", [2.0, 2.0], [2.0, 2.0])]
    assert x.grad.tolist() == [200.0, 200.0]
    handle.remove()


def test_full_backward_hooks_without_inputs_that_require_grad(torch: Any) -> None:
    seen = []
    net = torch.nn.Linear(2, 1)
    net.register_full_backward_hook(lambda m, inner, outer: seen.append((inner, outer[0].tolist())))
    y = net(torch.ones(1, 2))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        y.sum().backward()
    assert seen == [((None,), [[1.0]])]


def test_a_backward_hook_must_return_as_many(torch: Any) -> None:
    net = torch.nn.Tanh()
    net.register_full_backward_hook(lambda m, inner, outer: (None, None))
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        net(torch.zeros(1, requires_grad=True)).sum().backward()


# -- training a network ------------------------------------------------------------------------


def test_a_network_learns_xor(torch: Any) -> None:
    nn = torch.nn
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(net.parameters(), lr=0.05)
    x = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = torch.tensor([[0.0], [1.0], [1.0], [0.0]])
    loss = None
    for _ in range(200):
        optimizer.zero_grad()
        loss = nn.BCEWithLogitsLoss()(net(x), y)
        loss.backward()
        optimizer.step()
    assert loss.item() == pytest.approx(0.00101556, rel=1e-3)  # type: ignore[union-attr]
    assert (net(x) > 0).tolist() == [[False], [True], [True], [False]]


# -- what is not there -------------------------------------------------------------------------


def test_what_is_not_supported_is_refused_by_name() -> None:
    from gradcli import nn

    with pytest.raises(AttributeError, match="LinearCrossEntropyOptions"):
        _ = nn.LinearCrossEntropyOptions


def test_modules_are_loaded_when_asked_for() -> None:
    code = (
        "import sys, gradcli as torch\n"
        "early = [m for m in sys.modules if m.startswith(('gradcli.nn', 'gradcli.optim'))]\n"
        "torch.nn.Linear, torch.optim.SGD\n"
        "print(early, 'gradcli.nn' in sys.modules, 'gradcli.optim' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "True", "True"]


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")
def test_options_are_those_of_pytorch() -> None:
    import inspect

    import torch.nn as theirs

    import gradcli.nn as ours
    from gradcli.nn.base.options import NEEDED, Options

    empty = inspect.Parameter.empty
    different = {}
    for name, kind in [(n, getattr(ours, n)) for n in dir(ours)]:
        if not isinstance(kind, type) or not issubclass(kind, ours.Module) or name == "NLLLoss2d":
            # What is deprecated there hides its options.
            continue
        wanted = [p for p in inspect.signature(getattr(theirs, name)).parameters.values() if p.kind < 2 or p.kind == 3]
        found = {k: p.default for k, p in inspect.signature(kind).parameters.items() if p.kind < 2 or p.kind == 3}
        if issubclass(kind, Options):
            assert found == {k: empty if v is NEEDED else v for k, v in kind._options.items()}
        usual = {p.name: p.default for p in wanted}
        # Where a default is a function, theirs is not ours.
        usual |= {k: usual.get(k) for k, v in found.items() if inspect.isfunction(v)}
        found = {k: usual[k] if inspect.isfunction(v) else v for k, v in found.items()}
        if found != usual or list(found) != list(usual):
            different[name] = (found, wanted)
    assert not different


def test_lazy_modules_and_empty_views_are_copied(torch: Any) -> None:
    lazy = torch.nn.LazyConv2d(2, 3)
    for copied in (copy.deepcopy(lazy), pickle.loads(pickle.dumps(lazy))):
        assert repr(copied) == repr(lazy)
        assert list(copied.state_dict()) == list(lazy.state_dict())
    assert copy.deepcopy(torch.empty(0, 3, 2).transpose(1, 2).detach()).shape == (0, 2, 3)


def test_places_in_a_table_are_long_or_int(torch: Any) -> None:
    table = torch.arange(8.0).view(4, 2)
    F = torch.nn.functional
    for dtype, got in ((torch.int16, "torch.ShortTensor"), (torch.bool, "CPUBoolType")):
        with pytest.raises(RuntimeError, match=f"types: Long, Int; but got {got} instead .* embedding"):
            F.embedding(torch.zeros(1).to(dtype), table)
    offsets = torch.tensor([0, 1, 2])
    bags = F.embedding_bag(torch.tensor([1, 2, 3]), table, offsets, mode="sum", include_last_offset=True)
    assert bags.tolist() == [[2, 3], [4, 5]]
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        F.embedding_bag(torch.empty(2, 0, dtype=torch.int64), table)


def test_kernels_without_whole_numbers(torch: Any) -> None:
    x, F = torch.ones(1, 2, 4, 4, dtype=torch.int32), torch.nn.functional
    for call, kernel in (
        (lambda: F.avg_pool2d(x, 2), "avg_pool2d"),
        (lambda: F.adaptive_avg_pool2d(x, 2), "adaptive_avg_pool2d"),
        (lambda: F.adaptive_max_pool2d(x, 2), "adaptive_max_pool2d"),
        (lambda: F.prelu(x, x[0, 0, 0, :1]), "prelu_cpu"),
        (lambda: torch.logcumsumexp(x, 0), "logcumsumexp_out_cpu"),
    ):
        with pytest.raises(NotImplementedError, match=f'"{kernel}" not implemented for .Int.'):
            call()
    assert F.avg_pool2d(x.long(), 2).dtype is torch.int64
    assert F.multi_margin_loss(torch.ones(3), torch.tensor([1]), reduction="none").shape == (1,)


def test_softmax_of_what_a_mask_does_not_hide(torch: Any) -> None:
    x, hidden = torch.zeros(1, 2, 2, 2, requires_grad=True), torch.tensor([[True, False]])
    y = torch._masked_softmax(x, hidden, 3, 1)
    assert y.tolist() == [[[[0, 1], [0, 1]]] * 2]
    with pytest.raises(RuntimeError, match="For mask_type == 2 mask shape should match input shape"):
        torch._masked_softmax(x, hidden, 3, 2)


def test_convolution_over_the_first_axis(torch: Any) -> None:
    x = torch.arange(6.0).view(3, 1, 2).double().requires_grad_()
    weight, bias = torch.ones(2, 2, 1).double(), torch.ones(1).double()
    y = torch.nn.functional.conv_tbc(x, weight, bias, 1)
    assert (y.tolist(), y.is_contiguous()) == ([[[2]], [[7]], [[15]], [[10]]], True)
    assert torch.autograd.gradcheck(torch.conv_tbc, (x, weight, bias, 1))


def test_flags_of_a_library_for_a_while(torch: Any) -> None:
    cudnn = torch.backends.cudnn
    with cudnn.flags(enabled=False, deterministic=True):
        assert (cudnn.enabled, cudnn.deterministic) == (False, True)
    assert (cudnn.enabled, cudnn.deterministic) == (True, False)
    with torch.backends.nnpack.flags(enabled=False):
        pass


def test_volumes_without_elements_are_not_pooled(torch: Any) -> None:
    for pool in (torch.nn.MaxPool3d(2), torch.nn.AvgPool3d(2)):
        assert pool(torch.ones(0, 1, 2, 2, 2)).shape == (0, 1, 1, 1, 1)
        with pytest.raises(RuntimeError, match="non-batch dimension 0 has length zero"):
            pool(torch.ones(1, 0, 2, 2, 2))


def test_the_layers_are_listed(torch: Any) -> None:
    listed = torch.nn.modules.__all__
    assert {"Linear", "LSTMCell", "LazyConv2d", "Module", "Sequential"} < set(listed)
    assert not {"DataParallel", "Parameter", "functional"} & set(listed)


def test_whole_numbers_beside_a_broken_one(torch: Any) -> None:
    F, one = torch.nn.functional, torch.tensor([[1, 2]])
    assert F.margin_ranking_loss(one, one + 1, one, margin=0.5).dtype is torch.float32
    assert F.poisson_nll_loss(one, one, full=True).dtype is torch.float32
    assert F.cosine_embedding_loss(one, one + 1, torch.tensor([1])).dtype is torch.float32
    assert torch.special.ndtr(one).dtype is torch.float32
    assert torch.tensordot(one.int(), one.int()[:, :1], ([1], [1])).dtype is torch.int32
    with pytest.raises(RuntimeError, match="kl_div: Integral inputs not supported"):
        F.kl_div(one, one, reduction="sum")


def test_what_a_hook_notes_of_a_state_is_kept_with_it(torch: Any) -> None:
    m = torch.nn.Sequential(torch.nn.Linear(1, 1))
    m[0]._register_state_dict_hook(lambda module, state, prefix, metadata: metadata.update(noted=True))
    state = m.state_dict(prefix="module.")
    torch.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    assert list(state) == ["0.weight", "0.bias"]
    assert dict(state._metadata) == {"": {"version": 1}, "0": {"version": 1, "noted": True}}


@pytest.mark.parametrize(
    ("name", "called", "given", "words"),
    [
        ("Conv2d", "Conv2d", (), "missing 3 required positional arguments: 'in_channels', 'out_channels', and"),
        ("ConvTranspose1d", "ConvTranspose1d", (1,), "missing 2 required positional arguments: 'out_channels' and"),
        ("LazyConv3d", "LazyConv3d", (1,) * 12, "takes from 3 to 11 positional arguments but 13 were given"),
        ("GRUCell", "GRUCell", (), "missing 2 required positional arguments: 'input_size' and 'hidden_size'"),
        ("TransformerDecoderLayer", "TransformerDecoderLayer", (1,), "missing 1 required positional argument: 'nhead'"),
        ("MaxPool1d", "_MaxPoolNd", (), "missing 1 required positional argument: 'kernel_size'"),
        ("AdaptiveMaxPool2d", "_AdaptiveMaxPoolNd", (1, 2, 3), "takes from 2 to 3 positional arguments but 4 were"),
        ("LazyBatchNorm1d", "_LazyNormBase", (1,) * 7, "takes from 1 to 7 positional arguments but 8 were given"),
        ("BCELoss", "_WeightedLoss", (None,) * 5, "takes from 1 to 5 positional arguments but 6 were given"),
        ("GaussianNLLLoss", "GaussianNLLLoss", (True,), "takes 1 positional argument but 2 were given"),
    ],
)
def test_wrong_calls_name_the_class(torch: Any, name: str, called: str, given: Any, words: str) -> None:
    with pytest.raises(TypeError) as raised:
        getattr(torch.nn, name)(*given)
    assert str(raised.value).startswith(f"{called}.__init__() {words}")


@pytest.mark.parametrize(
    ("name", "given", "named", "words"),
    [
        ("ReLU", (1, 2), {}, "ReLU.forward() takes 2 positional arguments but 3 were given"),
        ("ReLU6", (), {"inputs": 1}, "Hardtanh.forward() got an unexpected keyword argument 'inputs'"),
        ("MSELoss", (1,), {}, "MSELoss.forward() missing 1 required positional argument: 'target'"),
        ("Dropout", (), {}, "Dropout.forward() missing 1 required positional argument: 'input'"),
        ("CosineEmbeddingLoss", (1,), {"input1": 1}, "CosineEmbeddingLoss.forward() got multiple values for argument"),
    ],
)
def test_wrong_calls_of_a_layer_name_its_forward(torch: Any, name: str, given: Any, named: Any, words: str) -> None:
    with pytest.raises(TypeError) as raised:
        getattr(torch.nn, name)()(*given, **named)
    assert str(raised.value).startswith(words)


def test_a_class_of_ones_own_keeps_the_constructor_of_its_base(torch: Any) -> None:
    class Own(torch.nn.Conv1d):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args, bias=False)

    assert repr(Own(1, 2, 3)) == "Own(1, 2, kernel_size=(3,), stride=(1,), bias=False)"


def test_a_lazy_layer_waits_by_hooks(torch: Any) -> None:
    layer = torch.nn.LazyConv1d(4, 3)
    assert (len(layer._forward_pre_hooks), len(layer._load_state_dict_pre_hooks)) == (1, 1)
    layer(torch.ones(1, 2, 5))
    assert (len(layer._forward_pre_hooks), len(layer._load_state_dict_pre_hooks)) == (0, 0)
    assert not hasattr(layer, "_initialize_hook")
    assert not hasattr(layer, "_load_hook")
    loaded = torch.nn.LazyConv1d(4, 3)
    loaded.load_state_dict(layer.state_dict())
    assert not loaded.has_uninitialized_params()
    assert type(loaded) is torch.nn.LazyConv1d
    loaded(torch.ones(1, 2, 5))
    assert type(loaded) is torch.nn.Conv1d
    with pytest.raises(RuntimeError, match="expected weight to be divisible by 3 at dimension 0"):
        torch.nn.LazyConv1d(4, 3, groups=3)(torch.ones(1, 3, 5))


def test_a_lazy_layer_draws_in_its_own_element_type(torch: Any) -> None:
    torch.manual_seed(3)
    lazy = torch.nn.LazyLinear(3).double()
    lazy(torch.ones(1, 2, dtype=torch.float64))
    torch.manual_seed(3)
    ordinary = torch.nn.Linear(2, 3, dtype=torch.float64)
    assert torch.equal(lazy.weight, ordinary.weight)
    assert torch.equal(lazy.bias, ordinary.bias)


def test_modules_of_an_earlier_time_are_taken(torch: Any) -> None:
    state = dict(torch.nn.Conv2d(1, 1, 1).__dict__)
    for name in ("padding_mode", "_forward_pre_hooks", "_non_persistent_buffers_set", "_backward_pre_hooks"):
        del state[name]
    taken = torch.nn.Conv2d.__new__(torch.nn.Conv2d)
    taken.__setstate__(state)
    assert taken.padding_mode == "zeros"
    assert taken(torch.ones(1, 1, 2, 2)).shape == (1, 1, 2, 2)


def test_a_layer_of_a_transformer_is_pickled(torch: Any) -> None:
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, activation="gelu").eval()
    x = torch.arange(8.0).reshape(2, 1, 4).sin()
    for twin in (pickle.loads(pickle.dumps(layer)), copy.deepcopy(layer)):
        assert twin.activation is torch.nn.functional.gelu
        assert torch.equal(twin(x), layer(x))


def test_a_convolution_of_other_weights(torch: Any) -> None:
    layer = torch.nn.Conv1d(1, 1, 3, padding="same", padding_mode="circular", dilation=2, bias=False)
    assert layer._reversed_padding_repeated_twice == [2, 2]
    assert torch.nn.Conv2d(1, 1, 3, padding=(1, 2))._reversed_padding_repeated_twice == (2, 2, 1, 1)
    found = layer._conv_forward(torch.arange(5.0).view(1, 5), torch.ones(1, 1, 3), None)
    assert found.tolist() == [[5.0, 8.0, 6.0, 4.0, 7.0]]


def test_a_batch_norm_that_takes_any_input(torch: Any) -> None:
    class Any_(torch.nn.BatchNorm2d):
        def _check_input_dim(self, input: Any) -> None:
            pass

    assert Any_(3)(torch.ones(2, 3)).shape == (2, 3)
    assert torch.nn.BatchNorm1d(5).bfloat16()(torch.ones(0, 5, 9, dtype=torch.bfloat16)).shape == (0, 5, 9)


def test_masks_of_two_element_types_are_told(torch: Any) -> None:
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    x, padding = torch.ones(1, 3, 4), torch.zeros(1, 3)
    with pytest.warns(UserWarning, match="mismatched src_key_padding_mask and src_mask is deprecated"):
        layer(x, torch.zeros(3, 3).bool(), padding)


def test_what_losses_and_attention_refuse(torch: Any) -> None:
    functional = torch.nn.functional
    with pytest.raises(ValueError, match="must either both be None or neither be None"):
        functional.instance_norm(torch.ones(1, 2, 3), torch.zeros(2))
    with pytest.raises(RuntimeError, match="log_probs tensor must not be empty"):
        functional.ctc_loss(torch.ones(0, 2, 5), torch.ones(2, 2).long(), (0, 0), (2, 2))
    q, k = torch.ones(1, 3, 2, 4), torch.ones(1, 2, 2, 4)
    with pytest.raises(RuntimeError, match="Number of heads in key and value must divide"):
        functional.scaled_dot_product_attention(q, k, k, enable_gqa=True)
    with pytest.raises(RuntimeError, match="Currently do not support dropout > 0"):
        functional.scaled_dot_product_attention(q, q, q, dropout_p=-1.0)
    x, t = torch.tensor([[1.0, 2.0]]), torch.tensor([1])
    assert functional.cross_entropy(x, t, label_smoothing=-0.5) == functional.cross_entropy(x, t)
    with pytest.warns(UserWarning, match="'elementwise_mean' is deprecated"):
        assert functional.mse_loss(x, x + 1, reduction="elementwise_mean") == 1
    with pytest.raises(ValueError, match="Got element 1 of the sequence with type int"):
        torch.nn.utils.parametrize.register_parametrization(torch.nn.Linear(1, 1), "weight", _pair_with(torch, 3))


def _pair_with(torch: Any, other: Any) -> Any:
    class Pair(torch.nn.Module):
        def forward(self, a: Any, b: Any) -> Any:
            return a

        def right_inverse(self, x: Any) -> Any:
            return x, other

    return Pair()


def test_pickled_numbers_are_as_others(torch: Any) -> None:
    a = pickle.loads(pickle.dumps(np.ones((2, 3), np.float32)))
    layer = torch.nn.LayerNorm(3)
    for x in (torch.from_numpy(a), torch.as_tensor(a), torch.tensor(a), pickle.loads(pickle.dumps(torch.ones(2, 3)))):
        assert torch.equal(layer(x), torch.zeros(2, 3))
        assert torch.equal(pickle.loads(pickle.dumps(layer))(x), layer(x))
    shared = torch.from_numpy(a)
    shared[0, 0] = 5
    assert a[0, 0] == 5
    for dtype in (torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.complex64):
        assert pickle.loads(pickle.dumps(torch.ones(2, dtype=dtype))).dtype is dtype


def test_the_length_of_a_number_along_its_last_axis(torch: Any) -> None:
    x = torch.tensor(-2.0, requires_grad=True)
    torch.linalg.vector_norm(x, 2, -1).backward()
    assert x.grad == -1


@pytest.mark.parametrize(
    ("name", "args", "missing"),
    [
        ("Upsample", (3,), {"recompute_scale_factor": True}),
        ("AvgPool3d", (2,), {"padding": 0, "ceil_mode": False, "count_include_pad": True}),
        ("Softmax", (1,), {"dim": None}),
        ("LogSoftmax", (1,), {"dim": None}),
        ("Conv2d", (1, 1, 1), {"padding_mode": "zeros"}),
        ("LSTM", (2, 3), {"proj_size": 0}),
    ],
)
def test_layers_that_were_pickled_long_ago_get_what_they_meant(name: str, args: Any, missing: dict[str, Any]) -> None:
    from gradcli import nn

    kind = getattr(nn, name)
    state = {key: value for key, value in kind(*args).__dict__.items() if key not in missing}
    old = kind.__new__(kind)
    old.__setstate__(state)
    assert {key: getattr(old, key) for key in missing} == missing
