"""Right functions of scipy.special and torch.nn.functional, with inputs by a seed: none of them may be blamed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np


class Right(NamedTuple):
    """A function with its inputs, and its derivative where no library has it."""

    name: str
    function: Callable[..., Any]
    given: Any
    derivative: dict[str, Any]


def of_scipy(seed: int) -> Iterator[Right]:
    """Functions of one number each, whose derivatives are textbook formulas."""
    import scipy.special as s

    rng = np.random.default_rng(seed)
    x, p, u = rng.standard_normal(5) * 2, rng.uniform(0.2, 4, 5), rng.uniform(0.05, 0.95, 5)
    pi = np.pi
    table = {
        "erf": (s.erf, x, lambda v: 2 / np.sqrt(pi) * np.exp(-v * v)),
        "erfc": (s.erfc, x, lambda v: -2 / np.sqrt(pi) * np.exp(-v * v)),
        "erfcx": (s.erfcx, x, lambda v: 2 * v * s.erfcx(v) - 2 / np.sqrt(pi)),
        "erfi": (s.erfi, x / 2, lambda v: 2 / np.sqrt(pi) * np.exp(v * v)),
        "erfinv": (s.erfinv, u - 0.5, lambda v: np.sqrt(pi) / 2 * np.exp(s.erfinv(v) ** 2)),
        "dawsn": (s.dawsn, x, lambda v: 1 - 2 * v * s.dawsn(v)),
        "gamma": (s.gamma, p, lambda v: s.gamma(v) * s.psi(v)),
        "gammaln": (s.gammaln, p, s.psi),
        "rgamma": (s.rgamma, p, lambda v: -s.rgamma(v) * s.psi(v)),
        "psi": (s.psi, p, lambda v: s.polygamma(1, v)),
        "loggamma": (s.loggamma, p, s.psi),
        "j0": (s.j0, p, lambda v: -s.j1(v)),
        "j1": (s.j1, p, lambda v: s.j0(v) - s.j1(v) / v),
        "y0": (s.y0, p, lambda v: -s.y1(v)),
        "i0": (s.i0, x, s.i1),
        "i1": (s.i1, p, lambda v: s.i0(v) - s.i1(v) / v),
        "i0e": (s.i0e, p, lambda v: s.i1e(v) - s.i0e(v)),
        "k0": (s.k0, p, lambda v: -s.k1(v)),
        "jv": (lambda v: s.jv(2, v), p, lambda v: s.jvp(2, v)),
        "iv": (lambda v: s.iv(1.5, v), p, lambda v: s.ivp(1.5, v)),
        "kv": (lambda v: s.kv(2, v), p, lambda v: s.kvp(2, v)),
        "airy": (lambda v: s.airy(v)[0], x, lambda v: s.airy(v)[1]),
        "expit": (s.expit, x, lambda v: s.expit(v) * (1 - s.expit(v))),
        "logit": (s.logit, u, lambda v: 1 / (v * (1 - v))),
        "log_expit": (s.log_expit, x, lambda v: s.expit(-v)),
        "ndtr": (s.ndtr, x, lambda v: np.exp(-v * v / 2) / np.sqrt(2 * pi)),
        "log_ndtr": (s.log_ndtr, x, lambda v: np.exp(-v * v / 2 - s.log_ndtr(v)) / np.sqrt(2 * pi)),
        "ndtri": (s.ndtri, u, lambda v: np.sqrt(2 * pi) * np.exp(s.ndtri(v) ** 2 / 2)),
        "expm1": (s.expm1, x, np.exp),
        "log1p": (s.log1p, p, lambda v: 1 / (1 + v)),
        "exprel": (s.exprel, p, lambda v: (v * np.exp(v) - np.expm1(v)) / v**2),
        "exp1": (s.exp1, p, lambda v: -np.exp(-v) / v),
        "expi": (s.expi, p, lambda v: np.exp(v) / v),
        "sici": (lambda v: s.sici(v)[0], p, lambda v: np.sin(v) / v),
        "shichi": (lambda v: s.shichi(v)[0], p, lambda v: np.sinh(v) / v),
        "spence": (s.spence, p + 0.5, lambda v: np.log(v) / (1 - v)),
        "lambertw": (lambda v: s.lambertw(v).real, p, lambda v: (s.lambertw(v) / (v * (1 + s.lambertw(v)))).real),
        "xlogy": (lambda v: s.xlogy(v, v), p, lambda v: np.log(v) + 1),
        "entr": (s.entr, p, lambda v: -np.log(v) - 1),
        "ellipk": (s.ellipk, u, lambda v: (s.ellipe(v) - (1 - v) * s.ellipk(v)) / (2 * v * (1 - v))),
        "ellipe": (s.ellipe, u, lambda v: (s.ellipe(v) - s.ellipk(v)) / (2 * v)),
        "huber": (lambda v: s.huber(1.0, v), x, lambda v: np.clip(v, -1, 1)),
        "pseudo_huber": (lambda v: s.pseudo_huber(1.0, v), x, lambda v: v / np.sqrt(1 + v * v)),
        "gammainc": (lambda v: s.gammainc(2.5, v), p, lambda v: v**1.5 * np.exp(-v) / s.gamma(2.5)),
        "betainc": (lambda v: s.betainc(2.0, 3.0, v), u, lambda v: v * (1 - v) ** 2 / s.beta(2, 3)),
        "zeta": (lambda v: s.zeta(2.5, v), p, lambda v: -2.5 * s.zeta(3.5, v)),
        "legendre": (lambda v: s.eval_legendre(3, v), u, lambda v: (15 * v * v - 3) / 2),
        "sinc": (np.sinc, p, lambda v: (np.cos(pi * v) - np.sinc(v)) / v),
        "cbrt": (s.cbrt, p, lambda v: s.cbrt(v) / (3 * v)),
        "logsumexp": (s.logsumexp, x, None),
    }
    for name, (function, at, slope) in table.items():
        if slope is None:
            yield Right(name, function, at, {"grad": s.softmax})
        else:
            yield Right(name, function, at, {"vjp": lambda v, g, slope=slope: slope(v) * g})


def of_torch(seed: int) -> Iterator[Right]:
    """Functions of torch.nn.functional."""
    import torch
    import torch.nn.functional as F

    g = torch.Generator().manual_seed(seed)

    def r(*shape: int) -> Any:
        return torch.randn(shape, generator=g)

    labels = torch.tensor([0, 2, 1])
    one = {
        name: getattr(F, name)
        for name in (
            "relu", "relu6", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish", "softplus", "softsign",
            "tanhshrink", "hardtanh", "hardswish", "hardsigmoid", "hardshrink", "softshrink", "logsigmoid", "sigmoid",
            "tanh",
        )
    }  # fmt: skip
    for name, function in one.items():
        yield Right(name, function, r(5), {})
    two = {
        "softmax": lambda x: F.softmax(x, 1), "log_softmax": lambda x: F.log_softmax(x, 1),
        "softmin": lambda x: F.softmin(x, 1), "normalize": F.normalize, "layer_norm": lambda x: F.layer_norm(x, (4,)),
        "rms_norm": lambda x: F.rms_norm(x, (4,)), "glu": F.glu,
        "cross_entropy": lambda x: F.cross_entropy(x, labels), "nll": lambda x: F.nll_loss(F.log_softmax(x, 1), labels),
        "multi_margin": lambda x: F.multi_margin_loss(x, labels),
        "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
        "pdist": F.pdist, "pad": lambda x: F.pad(x, (1, 1), value=0.5), "dropout": F.dropout,
    }  # fmt: skip
    for name, function in two.items():
        yield Right(name, function, r(3, 4), {})
    pairs = {
        "mse": F.mse_loss, "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss, "huber_loss": F.huber_loss,
        "cosine_similarity": F.cosine_similarity, "pairwise_distance": F.pairwise_distance,
        "kl_div": lambda a, b: F.kl_div(F.log_softmax(a, 1), F.softmax(b, 1), reduction="batchmean"),
        "poisson_nll": F.poisson_nll_loss, "linear": F.linear,
        "bce_logits": lambda a, b: F.binary_cross_entropy_with_logits(a, torch.sigmoid(b)),
    }  # fmt: skip
    for name, function in pairs.items():
        yield Right(name, function, (r(3, 4), r(3, 4)), {})
    signal = {
        "conv1d": lambda x, w: F.conv1d(x, w),
        "conv_transpose1d": lambda x, w: F.conv_transpose1d(x, w.transpose(0, 1)),
    }  # fmt: skip
    for name, function in signal.items():
        yield Right(name, function, (r(1, 2, 5), r(3, 2, 2)), {})
    images = {
        "max_pool2d": lambda x: F.max_pool2d(x, 2), "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
        "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 2), "lp_pool2d": lambda x: F.lp_pool2d(x, 2.0, 2),
        "interpolate": lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=False),
        "unfold": lambda x: F.unfold(x, 2), "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
        "instance_norm": F.instance_norm, "group_norm": lambda x: F.group_norm(x, 2),
    }  # fmt: skip
    for name, function in images.items():
        yield Right(name, function, r(1, 4, 4, 4), {})
