"""Right functions of jax.nn and jax.scipy, with inputs by a seed: none of them may be blamed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .right import Right


def of_jax(seed: int) -> Iterator[Right]:
    """Functions of jax.nn, jax.scipy.special, jax.scipy.stats and jax.scipy.linalg."""
    import jax

    jnp, nn, special, stats = jax.numpy, jax.nn, jax.scipy.special, jax.scipy.stats
    rng = np.random.default_rng(seed)
    x, m = rng.standard_normal(5) * 2, rng.standard_normal((3, 4))
    p, u, q = rng.uniform(0.2, 4, 5), rng.uniform(0.05, 0.95, 5), rng.uniform(0.2, 4, 5)
    heads = tuple(rng.standard_normal((1, 3, 2, 4)) for _ in range(3))
    places = [jnp.array([0.3, 1.6]), jnp.array([1.2, 2.4])]
    real: dict[str, Any] = {
        "celu": nn.celu, "elu": nn.elu, "gelu": nn.gelu, "gelu, exact": lambda x: nn.gelu(x, approximate=False),
        "hard_sigmoid": nn.hard_sigmoid, "hard_silu": nn.hard_silu, "hard_tanh": nn.hard_tanh, "leaky": nn.leaky_relu,
        "log_sigmoid": nn.log_sigmoid, "log_softmax": nn.log_softmax, "logmeanexp": nn.logmeanexp,
        "logsumexp": nn.logsumexp, "mish": nn.mish, "relu": nn.relu, "relu6": nn.relu6, "selu": nn.selu,
        "sigmoid": nn.sigmoid, "silu": nn.silu, "soft_sign": nn.soft_sign, "softmax": nn.softmax,
        "softplus": nn.softplus, "squareplus": nn.squareplus, "standardize": nn.standardize, "tanh": nn.tanh,
        # In the tail of erf, which JAX has no complex values of, the numbers can't tell.
        "erf": lambda x: special.erf(x / 2), "erfc": special.erfc, "expit": special.expit, "i0": special.i0,
        "i0e": special.i0e,
        "i1": special.i1, "i1e": special.i1e, "log_ndtr": special.log_ndtr, "ndtr": special.ndtr,
        "cauchy": stats.cauchy.logpdf, "gumbel": stats.gumbel_r.logpdf, "logistic": stats.logistic.logpdf,
        "normal": stats.norm.logpdf, "normal, below": stats.norm.logcdf, "t": lambda x: stats.t.logpdf(x, 4.0),
        "laplace": stats.laplace.logpdf, "von mises": lambda x: stats.vonmises.logpdf(x, 1.5),
        "cumsum": lambda x: jnp.cumsum(x**2), "sinc": jnp.sinc, "spectrum": lambda x: jnp.abs(jnp.fft.rfft(x)),
        "sorted": lambda x: jnp.sort(x) * jnp.arange(5), "norm": jnp.linalg.norm,
    }  # fmt: skip
    positive: dict[str, Any] = {
        "log1mexp": nn.log1mexp, "digamma": special.digamma, "entr": special.entr, "exp1": special.exp1,
        "expi": special.expi, "gamma": special.gamma, "gammaln": special.gammaln,
        "boxcox": lambda x: special.boxcox(x, 0.3),
        "expn": lambda x: special.expn(2, x), "gammainc": lambda x: special.gammainc(2.5, x),
        "gammaincc": lambda x: special.gammaincc(2.5, x), "multigammaln": lambda x: special.multigammaln(x + 1, 2),
        "polygamma": lambda x: special.polygamma(1, x), "zeta": lambda x: special.zeta(x + 1.5, 2.0),
        "xlog1py": lambda x: special.xlog1py(x, x), "xlogy": lambda x: special.xlogy(x, x),
        "beta": lambda x: stats.beta.logpdf(x / 5, 2.0, 3.0), "chi2": lambda x: stats.chi2.logpdf(x, 3.0),
        "exponential": stats.expon.logpdf, "gamma's density": lambda x: stats.gamma.logpdf(x, 2.5),
        "pareto": lambda x: stats.pareto.logpdf(x + 1, 2.0), "poisson": lambda x: stats.poisson.logpmf(3, x),
        "geometric mean": lambda x: jnp.exp(jnp.mean(jnp.log(x))), "1F1": lambda x: special.hyp1f1(1.5, 2.5, x),
        "poch": lambda x: special.poch(x, 2.0),
    }  # fmt: skip
    parts: dict[str, Any] = {
        "erfinv": lambda x: special.erfinv(x - 0.5), "logit": special.logit, "ndtri": special.ndtri,
        "betainc": lambda x: special.betainc(2.0, 3.0, x), "wrapped cauchy": lambda x: stats.wrapcauchy.logpdf(x, 0.5),
        "bernoulli": lambda x: stats.bernoulli.logpmf(1, x), "binomial": lambda x: stats.binom.logpmf(2, 5, x),
        "geometric": lambda x: stats.geom.logpmf(2, x), "truncated": lambda x: stats.truncnorm.logpdf(x, -1.0, 2.0),
    }  # fmt: skip
    pairs: dict[str, Any] = {
        "beta function": special.beta, "betaln": special.betaln, "kl_div": special.kl_div, "rel_entr": special.rel_entr,
    }  # fmt: skip
    matrices: dict[str, Any] = {
        "glu": nn.glu, "softmax of rows": nn.softmax, "gram": lambda m: m @ m.T,
        "cholesky": lambda m: jax.scipy.linalg.cholesky(m @ m.T + jnp.eye(3)),
        "det": lambda m: jax.scipy.linalg.det(m[:, :3] + 3 * jnp.eye(3)),
        "inverse": lambda m: jax.scipy.linalg.inv(m[:, :3] + 3 * jnp.eye(3)),
        "expm": lambda m: jax.scipy.linalg.expm(m[:, :3] / 2),
        "qr": lambda m: jax.scipy.linalg.qr(m.T, mode="economic")[1],
        "eigenvalues": lambda m: jnp.linalg.eigvalsh(m @ m.T + jnp.diag(jnp.arange(3.0))),
        "solve": lambda m: jax.scipy.linalg.solve(m[:, :3] + 3 * jnp.eye(3), m[:, 3]),
        "triangular": lambda m: jax.scipy.linalg.solve_triangular(m[:, :3] + 3 * jnp.eye(3), m[:, 3]),
        "singular values": lambda m: jnp.linalg.svd(m, compute_uv=False),
        "slogdet": lambda m: jnp.linalg.slogdet(m[:, :3] + 3 * jnp.eye(3))[1],
        "density of several": lambda m: stats.multivariate_normal.logpdf(m[0, :3], m[1, :3], 2 * jnp.eye(3)),
        "map_coordinates": lambda m: jax.scipy.ndimage.map_coordinates(m, places, 1),
        "convolution": lambda m: jax.scipy.signal.convolve(m[0], m[1]), "trapezoid": lambda m: jnp.trapezoid(m**2),
    }  # fmt: skip
    for table, given in ((real, x), (positive, p), (parts, u), (matrices, m), (pairs, (p, q))):
        for name, function in table.items():
            yield Right(f"jax: {name}", function, jax.tree_util.tree_map(jnp.asarray, given), {})
    yield Right("jax: attention", nn.dot_product_attention, tuple(map(jnp.asarray, heads)), {})
