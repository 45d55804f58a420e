"""The memory under tensors: shared, of another size, of another type; in both engines alike."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from gradcli.errors import Unsupported


def test_views_lie_in_one_storage(torch: Any) -> None:
    x = torch.arange(6.0)
    part = x[2:]
    storage = part.untyped_storage()
    assert (storage.nbytes(), part.storage_offset()) == (24, 2)
    assert storage.data_ptr() == x.data_ptr() == part.data_ptr() - 8
    assert x.is_set_to(x.view(6))
    assert not x.is_set_to(x.view(2, 3))
    storage.fill_(0)
    assert x.tolist() == [0.0] * 6
    with pytest.raises(IndexError, match="index 24 out of range for storage of size 24"):
        _ = storage[24]


def test_views_of_bfloat16_lie_in_one_storage(torch: Any) -> None:
    x = torch.ones(4, 6, dtype=torch.bfloat16)
    whole = x.untyped_storage()
    assert (whole.nbytes(), len(whole), whole.size()) == (48, 48, 48)
    assert all(view.untyped_storage().data_ptr() == whole.data_ptr() for view in (x.T, x[1:, 2:], x.diagonal()))
    assert x.clone().untyped_storage().data_ptr() != whole.data_ptr()


def test_a_tensor_is_given_other_memory(torch: Any) -> None:
    x, y = torch.zeros(2), torch.arange(4.0)
    x.set_(y)
    x.add_(1)
    assert y.tolist() == [1.0, 2.0, 3.0, 4.0]
    x.set_(y.untyped_storage(), 1, (2,), (2,))
    assert x.tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="Could not set tensor of type double to a tensor of type float"):
        x.set_(torch.zeros(2, dtype=torch.float64))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        torch.ones(2, requires_grad=True).set_(y)


def test_a_tensor_is_given_another_shape(torch: Any) -> None:
    x = torch.arange(6.0)
    assert x.resize_(2, 2).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert x.resize_(6).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert torch.empty(0).resize_(2, 3).stride() == (3, 1)
    images = torch.zeros(2, 3, 4, 5).resize_(1, 2, 3, 4, memory_format=torch.channels_last)
    assert images.stride() == (24, 1, 8, 2)
    # What cannot be seen in another shape is copied row by row, whichever way it was turned.
    turned = torch.arange(96.0).reshape(4, 24)[:, :12].reshape(4, 2, 2, 3).permute(0, 1, 3, 2)
    assert turned.reshape(8, 3, 2).stride() == (6, 2, 1)
    assert torch.zeros(24).resize_as_(images, memory_format=torch.preserve_format).stride() == images.stride()
    assert torch.resize_as_(torch.zeros(24), images).shape == images.shape
    assert torch.as_strided_(x, (2, 2), (2, 1)).tolist() == [[0.0, 1.0], [2.0, 3.0]]
    for t in (torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 1):
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            t.resize_(1)


def test_bits_are_read_as_another_type(torch: Any) -> None:
    x = torch.ones(4)
    assert x.view(torch.int32).tolist() == [1065353216] * 4
    assert x.view(torch.uint8).shape == (16,)
    assert torch.ones(2, 4)[:, :2].view(torch.float64).stride() == (2, 1)
    x.view(torch.int32).zero_()
    assert (x.tolist(), x._version) == ([0.0] * 4, 1)
    for t, words in (
        (torch.ones(3), r"self.size\(-1\) must be divisible by 2"), (torch.ones(()), r"self.dim\(\) cannot be 0"),
        (torch.ones(5)[1:], r"self.storage_offset\(\) must be"), (torch.ones(4, 4).t(), r"self.stride\(-1\) must be 1"),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match=words):
            t.view(torch.float64)


def test_memory_that_others_lie_in_does_not_grow() -> None:
    import gradcli

    x = gradcli.arange(4.0)
    part = x[:2]
    with pytest.raises(NotImplementedError, match="while others lie in it"):
        x.resize_(8)
    assert part.tolist() == [0.0, 1.0]


def test_memory_is_handed_to_other_libraries_and_taken_back(torch: Any) -> None:
    t = torch.arange(6.0).view(2, 3)
    taken = torch.from_dlpack(t.t().__dlpack__())
    taken[0, 1] = 9
    a = np.from_dlpack(t)
    assert (t[1, 0], a[1, 0], taken.stride()) == (9, 9, (1, 3))
    b = np.arange(3.0)
    torch.from_dlpack(b)[0] = 7
    assert b[0] == 7
    capsule = torch.utils.dlpack.to_dlpack(t)
    assert torch.utils.dlpack.from_dlpack(capsule).equal(t)
    with pytest.raises(RuntimeError, match="capsules can be consumed only once"):
        torch.from_dlpack(capsule)
    with pytest.raises(BufferError, match="Can't export tensors that require gradient"):
        t.requires_grad_().__dlpack__()


def test_axes_in_the_order_of_their_steps(torch: Any) -> None:
    x = torch.zeros(2, 3, 4, 5)
    assert x.permute(2, 0, 3, 1).dim_order() == (1, 3, 0, 2)
    assert x.to(memory_format=torch.channels_last).dim_order(ambiguity_check=True) == (0, 2, 3, 1)
    row = torch.zeros(2, 1, 3)
    assert row.dim_order(ambiguity_check=[torch.contiguous_format]) == (0, 1, 2)
    with pytest.raises(RuntimeError, match="does not have unique dim order, or cannot map"):
        row.dim_order(ambiguity_check=True)


@pytest.mark.parametrize(("last", "sizes"), [("channels_last", (2, 3, 4, 4)), ("channels_last_3d", (2, 3, 2, 4, 4))])
def test_a_mean_over_all_of_an_image_keeps_its_channels_last_as_a_step(torch: Any, last: str, sizes: Any) -> None:
    x = torch.arange(float(np.prod(sizes))).reshape(sizes).requires_grad_()
    pool = getattr(torch.nn.functional, f"adaptive_avg_pool{len(sizes) - 2}d")
    assert pool(x, 1).grad_fn.name() == "MeanBackward1"
    y = pool(x.to(memory_format=getattr(torch, last)), 1)
    assert [y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()] == ["AsStridedBackward1", "MeanBackward1"]
    assert (y.stride(), y._version) == ((3, 1, *[3] * (len(sizes) - 2)), 1)
    (y * y).sum().backward()
    each = 2 * y.detach() / np.prod(sizes[2:]).item()
    assert torch.equal(x.grad, each.expand(sizes))


@pytest.mark.parametrize(("size", "strides", "expected"), [
    ((3, 4), (0, 1), (4, 1)), ((9, 5, 2), (0, 1, 7), (10, 1, 5)), ((2, 3, 4), (1, 0, 2), (1, 2, 6)),
    ((3, 4, 2), (1, 0, 3), (1, 3, 12)), ((3, 4), (1, 5), (1, 3)),
])  # fmt: skip
def test_copies_of_what_is_repeated_lie_in_the_order_of_its_axes(
    torch: Any, size: tuple[int, ...], strides: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    x = torch.arange(60).as_strided(size, strides)
    made = (
        x.clone(), x.float(), x.sin(), x + 1.5, x + x, x.to(torch.int64, copy=True), torch.isreal(x), torch.fill(x, 2),
        torch.fill(x, torch.tensor(2)), torch.isnan(x.double()),
    )  # fmt: skip
    assert [y.stride() for y in made] == [expected] * len(made)
    assert torch.equal(made[0], x)
    assert torch.equal(made[1], x.to(torch.float32))


def test_storages_of_a_type(torch: Any) -> None:
    x = torch.arange(4.0)
    with pytest.warns(UserWarning, match="TypedStorage is deprecated"):
        typed = x.storage()
    typed[1] = 5
    assert x.tolist() == typed.tolist() == [0.0, 5.0, 2.0, 3.0]
    assert (typed.type(), typed.int().tolist(), typed.float() is typed) == ("torch.FloatStorage", [0, 5, 2, 3], False)
    assert typed.long().dtype == torch.int64
    twin = typed.clone()
    twin[0] = 9
    assert (x[0].item(), twin[0], twin == typed, typed == typed) == (0.0, 9.0, False, True)
    with pytest.raises(IndexError, match="index 4 out of range for storage of size 4"):
        _ = typed[4]
    assert torch.UntypedStorage([1, 2, 3]).tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        x.set_(x.untyped_storage(), 0, (2,), (-1,))


def test_memory_that_nothing_was_written_to_is_filled_where_results_are_repeatable(torch: Any) -> None:
    filling = importlib.import_module(f"{torch.__name__}.utils.deterministic")
    torch.use_deterministic_algorithms(True)
    try:
        x = torch.ones(1)
        for made in (torch.empty(2), torch.empty_like(x), x.new_empty(2), torch.empty_strided((2,), (2,))):
            assert made.isnan().all()
        whole = torch.empty(1, dtype=torch.int8), torch.empty((), dtype=torch.uint8), torch.empty(1, dtype=torch.bool)
        assert [a.item() for a in whole] == [127, 255, True]
        assert x.clone().resize_(2).isnan().tolist() == [False, True]
        filling.fill_uninitialized_memory = False
        assert not torch.empty_strided((2,), (2,)).fill_(0).isnan().any()
        with pytest.raises(RuntimeError, match="expected a bool, but got str"):
            filling.fill_uninitialized_memory = "a"
    finally:
        filling.fill_uninitialized_memory = True
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize(
    ("write", "rows", "warned"),
    [
        (lambda torch, x: x.masked_fill_(torch.tensor([True, False]), 2), [2, 2, 2], "masked_fill_"),
        (lambda torch, x: x.masked_fill_(torch.tensor([[True], [False], [True]]), 2), [2, 0, 2], "masked_fill_"),
        (lambda torch, x: x.index_fill_(0, torch.tensor([1]), 3), [0, 3, 0], "index_fill_"),
        (
            lambda torch, x: x.index_put_((torch.tensor([0, 0]), torch.tensor([0, 1])), torch.tensor([4.0, 5])),
            [5, 0, 0],
            "index_put_",
        ),
        (lambda torch, x: x.__setitem__(torch.tensor([2]), 6.0), [0, 0, 6], "index_put_"),
    ],
)
def test_some_writes_to_an_expanded_tensor_warn_and_go_on(
    torch: Any, write: Any, rows: list[float], warned: str
) -> None:
    memory = torch.zeros(3, 1)
    with pytest.warns(UserWarning, match=f"Use of {warned} on expanded tensors is deprecated"):
        write(torch, memory.expand(3, 2))
    assert memory.flatten().tolist() == rows


def test_a_write_that_adds_to_an_expanded_tensor_is_refused() -> None:
    import gradcli

    with pytest.raises(Unsupported, match="does not add to a tensor of which several elements are one"):
        gradcli.zeros(3, 1).expand(3, 2).index_put_((gradcli.tensor([0]),), gradcli.tensor(1.0), accumulate=True)
