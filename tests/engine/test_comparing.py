"""What torch.testing says of values that are not close, against PyTorch."""

import warnings

import pytest

import gradcli

torch = pytest.importorskip("torch")

CALLS = """
M.testing.assert_close(True, False)
M.testing.assert_close(None, 1)
M.testing.assert_close([1.0], [2.0])
M.testing.assert_close({'a': 1.0}, {'b': 1.0})
M.testing.assert_close(M.ones(2), M.ones(2, device='meta'))
M.testing.assert_close(M.ones(2), M.zeros(2), msg=3)
M.testing.assert_close(M.ones(2), M.zeros(2), msg=lambda m: 'so: ' + m)
M.testing.assert_allclose(M.ones(2), M.zeros(2))
M.testing.assert_allclose(M.ones(2), M.ones(2).double() + 1e-5)
""".strip().splitlines()


def said(M, text):
    """The error of a call."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            eval(text, {"M": M})
        except Exception as e:
            return f"{next(c.__name__ for c in type(e).__mro__ if c.__module__ == 'builtins')}: {e}"
    return ""


def test_what_is_not_close_is_told_as_in_pytorch():
    for text in CALLS:
        assert said(gradcli, text) == said(torch, text)
