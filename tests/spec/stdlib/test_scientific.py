# ruff: noqa: E501 (programs on one line)
"""What programs take of scipy, scikit-learn, torchvision, PIL and gymnasium: the same numbers as these give."""

from __future__ import annotations

import hashlib

import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

_SCIENCE = """\
import numpy as np
import random
import torch
from scipy import fft, fftpack, integrate, interpolate, linalg, ndimage, optimize, signal, sparse, special, stats
from scipy.spatial import KDTree, distance, distance_matrix
from sklearn import datasets, decomposition, linear_model, metrics, naive_bayes, neighbors, pipeline, preprocessing, svm
from sklearn.metrics import pairwise
img = np.random.RandomState(0).rand(7, 9)
line = np.random.RandomState(1).randn(60)
"""
_PICTURES = """\
import random
import gymnasium as gym
import numpy as np
import torch
import torchvision.transforms as T
import torchvision.transforms.functional as TF
from gymnasium import spaces
from PIL import Image, ImageOps
from torchvision import models
import io
img = Image.fromarray((np.arange(13 * 17 * 3) * 37 % 251).astype(np.uint8).reshape(13, 17, 3))
def told(x):
    x = (x if isinstance(x, torch.Tensor) else torch.from_numpy(np.array(x).astype(np.int64))).double()
    return list(x.shape), (x * 1000).round().sum().item(), ((x * 1000).round().flatten() * torch.arange(x.numel()) % 97).sum().item()
def seeded(transform, x):
    torch.manual_seed(3)
    random.seed(3)
    return str(transform), told(transform(x))
def walked(name, steps=30):
    env = gym.make(name)
    seen = [env.reset(seed=5)[0]]
    env.action_space.seed(7)
    total = 0.0
    for _ in range(steps):
        state, reward, ended, cut, _ = env.step(env.action_space.sample())
        total += float(reward)
        seen.append(state)
        if ended or cut:
            break
    return str(env.observation_space), str(env.action_space), len(seen), round(total, 9), np.asarray(seen[-1]).tolist()
"""
# What is computed -> the hash of what scipy 1.17.1 and scikit-learn 1.9.1 print for it, rounded where LAPACK is in it.
SCIENCE = {
    "[interpolate.CubicSpline([0, 1, 2.5, 3, 4.7], line[:5], bc_type=b)(np.linspace(-1, 6, 9), k).round(8).tolist() for b in ('not-a-knot', 'natural', 'clamped', ((1, 0.5), (2, 0.3))) for k in (0, 1)]": "ec8441004516b9df",
    "(lambda c: (c.integrate(0, 3).round(8), c.derivative()(1.3).round(8), c.antiderivative()(2.0).round(8), c.c.shape, c(1.0).shape))(interpolate.CubicSpline([0, 1, 2.5, 3], np.c_[line[:4], line[4:8]])), interpolate.CubicSpline([0, 1, 2, 3], [1, 2, 0, 1], bc_type='periodic')([-1, 0.5, 4]).round(8).tolist(), interpolate.PchipInterpolator([0, 1, 2.5, 3, 4.7], line[:5])(np.linspace(0, 4, 6)).round(8).tolist()": "6f6ff2bbdb605c6a",
    "[(lambda f, t, z: (f.round(6).tolist(), t.round(6).tolist(), np.abs(z).round(8).tolist(), z.shape))(*signal.stft(line, 100.0, **k)) for k in ({'nperseg': 16}, {'nperseg': 10, 'noverlap': 8}, {'nperseg': 16, 'boundary': None, 'padded': False}, {'nperseg': 16, 'nfft': 20, 'scaling': 'psd'})], signal.istft(signal.stft(line, nperseg=16)[2])[1].round(8).tolist()": "e73792e9f78258cf",
    "[f(np.linspace(-3.3, 4.1, 23)).tolist() for f in (special.expit, special.erf, special.erfc, special.ndtr)]": "965516049777bf21",
    "[f(np.linspace(0.05, 40, 23)).tolist() for f in (special.gamma, special.gammaln)], special.ndtri(np.linspace(0.001, 0.999, 23)).tolist(), special.logit([0.1, 0.7]).tolist()": "bce0343bb89c68ec",
    "special.logsumexp([[1.0, 2, 3], [4, 5, 6]], axis=1).tolist(), special.softmax(np.array([1.0, 2, 3])).tolist(), special.comb(5, 2), special.factorial([3, 4]).tolist(), special.rel_entr(0.3, 0.4)": "be77fffc3d55141f",
    "[stats.norm.pdf(0.3, 1, 2), stats.norm.ppf(0.975), stats.norm(1, 2).cdf([0.5, 2]).tolist(), stats.norm.rvs(size=3, random_state=4).tolist(), stats.expon.pdf(0.4), stats.poisson.pmf([0, 2], 2.5).tolist(), stats.zscore([1.0, 2, 4]).tolist(), stats.entropy([0.2, 0.8], [0.5, 0.5]), stats.skew([1.0, 2, 4]), stats.rankdata([3, 1, 3]).tolist()]": "7b5bbda352e20730",
    "[round(float(v), 9) for r in (stats.pearsonr([1, 2, 3, 5], [2, 1, 4, 3]), stats.ttest_ind([1.0, 2, 3, 4], [2.0, 3, 4, 6]), stats.spearmanr([1, 2, 3, 5], [2, 1, 4, 3])) for v in (r.statistic, r.pvalue)]": "bc639091c16c6ca5",
    "[np.round(v, 9).tolist() for v in (linalg.solve_triangular([[2.0, 0], [1, 3]], [1.0, 2], lower=True), linalg.expm([[0.0, 1], [-1, 0]]), *linalg.lu([[0.0, 1], [2, 3]]), linalg.block_diag([[1, 2]], [[3]]), linalg.toeplitz([1, 2, 3]), linalg.cho_solve(linalg.cho_factor([[4.0, 1], [1, 3]]), [1.0, 2]))]": "0f5693370199c167",
    "distance.cdist([[0.0, 1], [2, 3]], [[1.0, 1]]).tolist(), distance.squareform(distance.pdist([[0.0, 1], [2, 3], [5, 1]])).tolist(), distance.cosine([1, 0], [1, 1]), distance.cityblock([1, 2], [3, 5])": "3375d7aa43aacf24",
    "(lambda a, b: (str(a), (a + b.T).toarray().tolist(), (a @ b).toarray().tolist(), b.indptr.tolist(), np.asarray(a.sum(1)).ravel().tolist(), a.T.tocoo().row.tolist(), sparse.diags([1.0, 2]).dot(b).toarray().tolist(), b[1].toarray().tolist()))(sparse.coo_matrix(([1.0, 2, 4], ([0, 1, 0], [1, 0, 1])), shape=(2, 2)), sparse.csr_matrix([[0, 3.0], [1, 0]]))": "bf990f08aa3f4d53",
    "[(r.nit, r.nfev, r.success, r.message, np.round(r.x, 6).tolist()) for r in [optimize.minimize(optimize.rosen, [1.3, 0.7, 0.8], method=m, jac=j) for m, j in (('BFGS', optimize.rosen_der), ('L-BFGS-B', optimize.rosen_der), ('L-BFGS-B', None), ('Nelder-Mead', None))]]": "c38c884ce5532250",
    "str(optimize.minimize(lambda v: ((v - 1) ** 2).sum(), np.zeros(2), jac=lambda v: 2 * (v - 1))), optimize.minimize_scalar(lambda x: (x - 2) ** 2 + 1).x, optimize.minimize_scalar(np.sin, bounds=(0, 8), method='bounded').nfev, optimize.brentq(np.cos, 1, 2), optimize.bisect(np.cos, 1, 2), optimize.newton(lambda x: x ** 2 - 2, 1.0)": "ed6266ae45baccc9",
    "[np.round(v, 4).tolist() for v in (*optimize.curve_fit(lambda x, a, b: a * np.exp(-b * x), np.arange(6), np.array([2.1, 1.2, 0.8, 0.4, 0.3, 0.2])), optimize.fsolve(lambda x: [x[0] * x[1] - 2, x[0] - x[1] - 1], [1, 1]))]": "594bddc945f4837b",
    "[(s.nfev, s.y.round(12).tolist()) for s in (integrate.solve_ivp(lambda t, z: [z[1], -z[0]], (0, 3), [1.0, 0], t_eval=[0.5, 2]), integrate.solve_ivp(lambda t, y: -y, (0, 1), [2.0, 3]))], integrate.quad(np.cos, 0, 1), integrate.simpson([1.0, 4, 9, 16]), integrate.cumulative_trapezoid([1, 2, 4]).tolist(), interpolate.interp1d([0, 1, 3], [0.0, 2, 5])([0.5, 2]).tolist()": "038b709033c4daaa",
    "metrics.classification_report([0, 1, 2, 2, 1, 0], [0, 2, 2, 2, 1, 1], digits=3), [v.tolist() for v in metrics.roc_curve([0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.9])], metrics.roc_auc_score([0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.9]), metrics.log_loss([0, 1], [0.2, 0.7]), metrics.matthews_corrcoef([0, 1, 1, 0], [0, 1, 0, 0])": "bad9f05acb9c973f",
    "preprocessing.LabelEncoder().fit_transform(['b', 'a', 'b']).tolist(), preprocessing.OneHotEncoder(sparse_output=False).fit_transform([['a', 1], ['b', 2]]).tolist(), preprocessing.PolynomialFeatures(2).fit_transform([[2.0, 3.0]]).tolist(), preprocessing.RobustScaler().fit_transform([[1.0], [2], [4], [9]]).tolist()": "6947dd4c252b1093",
    "[np.round(v, 9).tolist() for v in (stats.t.ppf([0.001, 0.025, 0.5, 0.975], 18), stats.t.ppf(0.975, [1, 5, 100]), stats.t.isf(0.01, 3), stats.t.interval(0.95, 10, loc=1, scale=2), stats.gamma.ppf([0.001, 0.999], 2.5), stats.chi2.ppf([0, 0.95], 3), stats.beta.ppf([0.1, 0.9, 1], 2, 5), stats.poisson.ppf([0.1, 0.5, 0.99], 4), stats.binom.ppf(0.5, 10, 0.3), stats.binom.sf(3, 10, 0.3))]": "1885a8840f28642f",
    "(lambda X: [(m.coef_.round(3).tolist(), np.round(m.intercept_, 3).tolist(), str(m)) for m in (each.fit(X, X[:, 0] * 2 - X[:, 1] * 0.5 + 1) for each in (linear_model.Lasso(0.1), linear_model.ElasticNet(0.1, l1_ratio=0.9), linear_model.Lasso(0.5, fit_intercept=False)))])(np.random.RandomState(0).randn(30, 4))": "db11c03abee29cf6",
    "(lambda X, y: [np.round(v, 8).tolist() for v in (linear_model.LinearRegression().fit(X, y).coef_, linear_model.Ridge(0.5).fit(X, y).coef_, decomposition.PCA(2).fit_transform(X)[:2], neighbors.KNeighborsClassifier(3).fit(X, y > 0).predict_proba(X[:3]), pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.LinearRegression()).fit(X, y).predict(X[:2]))])(np.random.RandomState(0).randn(20, 3), np.random.RandomState(1).randn(20))": "a4792633a8c095a7",
    "[(r.nit, r.nfev, r.message, np.round(r.x, 5).tolist()) for r in (optimize.minimize(optimize.rosen, [-1.2, 1.0], jac=optimize.rosen_der, method='L-BFGS-B', bounds=[(-2, 0.5), (-2, 2)]), optimize.minimize(optimize.rosen, [-1.2, 1.0, 0.3, 1.9], jac=optimize.rosen_der, bounds=[(None, 0.8), (0, None), (-1, 1), (None, None)]), optimize.minimize(optimize.rosen, [0.5] * 3, bounds=optimize.Bounds(0.1, 0.6)))]": "0957f49629cc8a63",
    "np.round(integrate.odeint(lambda y, t, k: [y[1], -k * y[0]], [1.0, 0.0], np.linspace(0, 2, 3), args=(4.0,)), 4).tolist()": "784b158534953294",
    "(lambda b: [v.tolist() for v in (np.vstack(b[0]), np.hstack(b[0]), np.vstack(b[1:]))] + [np.vstack(b[0]).dtype])(np.array([[np.ones(2), 1, 2.0], [np.zeros(2), 2, None]], dtype=object).T)": "4ceb597a550ae635",
    "(lambda X, y, f: [np.round(v, 5).tolist() for v in (linear_model.LinearRegression().fit(np.hstack([X, X[:, :1] + X[:, 1:2]]), y).coef_, linalg.lstsq(np.hstack([X, X[:, :1]]), y)[0], linalg.lu_solve(f, y[:3]), linalg.lu_solve(f, X[:3], trans=1))] + [v.dtype for v in linalg.lu(X.astype(np.float32))])(np.random.RandomState(0).randn(20, 3), np.random.RandomState(1).randn(20), linalg.lu_factor(np.vander([1.0, 2, 4])))": "b734d91cd1d3340d",
    "[[f(i) for i in (0, 1, 7, 13, 97, 1023)] for f in (fft.next_fast_len, fftpack.next_fast_len, lambda i: fft.next_fast_len(i, real=True))], [np.round(t, 9).tolist() for k in (1, 2, 3, 4) for norm in (None, 'ortho') for f in (fft.dct, fft.idct, fftpack.dct, fftpack.idct) for t in (f([1.0, 4, 2, 8, 6], k, norm=norm),)], np.round(fft.dctn([[1.0, 2], [4, 7]]), 9).tolist(), np.round(fft.idct([[1.0, 2], [4, 7]], n=3, axis=0, norm='forward'), 9).tolist(), fft.dct(np.ones(3, np.float32)).dtype": "001a1ab718640016",
    "[ndimage.gaussian_filter(img, 1.3, mode=m)[0, :2].tolist() for m in ('reflect', 'constant', 'nearest', 'mirror', 'wrap')], [f(img)[1, :3].tolist() for f in (ndimage.sobel, ndimage.laplace, lambda x: ndimage.median_filter(x, 3), lambda x: ndimage.uniform_filter(x, 4), lambda x: ndimage.maximum_filter(x, (2, 3)), lambda x: ndimage.gaussian_filter(x, 1, order=(1, 2)), lambda x: ndimage.convolve(x, np.arange(6.0).reshape(2, 3)))], ndimage.gaussian_filter((img * 255).astype(np.uint8), 1)[0].tolist(), ndimage.zoom(img, 2, order=1)[0, :3].round(9).tolist()": "58bb2268fb8ef35c",
    "(lambda b: ([f(b).astype(int).tolist() for f in (ndimage.binary_erosion, lambda x: ndimage.binary_opening(x, np.ones((2, 2))), ndimage.binary_fill_holes)], (lambda lab, n: (lab.tolist(), n, ndimage.sum(img, lab, range(1, n + 1)).tolist(), ndimage.center_of_mass(img, lab, [1, 2]), str(ndimage.find_objects(lab)[0])))(*ndimage.label(b)), ndimage.distance_transform_edt(b)[3].tolist()))(img > 0.45), distance_matrix([[0.0, 1]], [[2, 3], [4, 4]]).tolist(), [v.tolist() for v in KDTree(img).query(img[:2] + 0.1, k=2)]": "47dd8833b7d65a56",
    "[np.round(v, 9).tolist() for b, a in [signal.butter(3, 0.2), signal.butter(2, [0.2, 0.5], 'bandstop'), signal.butter(2, 10, 'high', fs=100)] for v in (b, a, signal.filtfilt(b, a, line)[:3])], np.round(signal.butter(3, 0.2, output='sos'), 9).tolist(), signal.lfilter([1], [1, -0.99], line[::-1])[::-1][:2].tolist(), np.round(signal.savgol_filter(line, 7, 2, deriv=1)[[0, 9, -1]], 9).tolist()": "41f210cb06eb5570",
    "(lambda p: (p[0].tolist(), {k: v.tolist() for k, v in p[1].items()}))(signal.find_peaks(line, height=0.1, distance=3, prominence=0.4, width=1)), signal.convolve2d(img, np.ones((2, 3)), 'same', boundary='symm')[0, :3].tolist(), signal.correlate2d(img, [[1.0, 2]], 'same')[0, :3].tolist(), signal.fftconvolve(line, line[:5], 'valid')[:2].round(9).tolist(), signal.medfilt(line, 5)[:3].tolist(), np.round(np.abs(signal.hilbert(line))[:2], 9).tolist(), [signal.get_window(w, 6).round(9).tolist() for w in ('hann', 'hamming', ('gaussian', 2))], np.round(signal.welch(line, 10, nperseg=16)[1][:3], 9).tolist()": "05e955a1b553e9ee",
    "(lambda X, y: [np.round(v, 6).tolist() for v in (naive_bayes.GaussianNB().fit(X, y).predict_proba(X[50:52]), naive_bayes.MultinomialNB().fit(X, y).predict_log_proba(X[:1]), svm.SVC().fit(X, y).n_support_, svm.SVC(kernel='poly').fit(X, y).predict(X[::9]), svm.LinearSVC().fit(X, y).score(X, y), metrics.silhouette_score(X, y), metrics.davies_bouldin_score(X, y), metrics.adjusted_rand_score(y, y > 0), metrics.v_measure_score(y, y > 0), pairwise.cosine_similarity(X[:2], X[60:62]), pairwise.euclidean_distances(X[:2]))])(*datasets.load_iris(return_X_y=True)), [v.tolist() for v in datasets.make_multilabel_classification(4, 5, n_classes=3, random_state=0)]": "41ebb027fa2326ac",
    "[np.round(v, 9).tolist() for d in (stats.cauchy(), stats.laplace(0.5, 2), stats.logistic(), stats.halfnorm(), stats.gumbel_r(), stats.rayleigh(), stats.weibull_min(1.5), stats.pareto(3.0), stats.truncnorm(-1, 2), stats.loguniform(0.1, 5), stats.f(4, 9), stats.t(df=4), stats.gamma(a=2.0, scale=3)) for v in (d.pdf(line[:4]), d.cdf(line[:4]), d.ppf([0.1, 0.6]), d.rvs(size=2, random_state=3))]": "8a62fb12e3224857",
    "[np.round(list(f), 9).tolist() for f in (stats.ks_2samp(line[:25], line[25:]), stats.kstest(line, 'norm'), stats.f_oneway(line[:20], line[20:40], line[40:]), stats.mannwhitneyu(line[:20], line[20:]), stats.wilcoxon(line[:20], line[20:40]), stats.kruskal(line[:20], line[20:]), stats.levene(line[:20], line[20:]), stats.bartlett(line[:20], line[20:]), stats.kendalltau(line[:20], line[20:40]), stats.normaltest(line), stats.jarque_bera(line), stats.chisquare([16, 18, 16, 14]))], round(float(stats.wasserstein_distance(line[:25], line[25:])), 12), np.round(list(stats.chi2_contingency([[10, 20, 30], [6, 9, 17]])[:3]), 9).tolist()": "09ae7559c1fdcb6f",
    "(lambda X, y: [np.round(v, 6).tolist() for v in (preprocessing.Normalizer().fit_transform(X)[:2], preprocessing.KBinsDiscretizer(3, encode='ordinal', strategy='uniform').fit_transform(X)[:3], preprocessing.MultiLabelBinarizer().fit_transform([[1, 2], [3]]), metrics.ndcg_score([[3, 2, 0, 1]], [[0.1, 0.4, 0.2, 0.4]]), metrics.top_k_accuracy_score([0, 1, 2], [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]], k=2), metrics.multilabel_confusion_matrix([0, 1, 2], [0, 2, 2]), metrics.mean_squared_error(X[:, :2], X[:, 1:3], multioutput='raw_values'), metrics.r2_score(X[:, :2], X[:, 1:3]))] + [list(v.get_feature_names_out()) for v in (preprocessing.StandardScaler().fit(X), decomposition.PCA(2).fit(X))])(*datasets.load_iris(return_X_y=True))": "91eea72b41c692d9",
}
# The same of torchvision 0.28.0, Pillow 13.0.0 and gymnasium 1.4.0.
PICTURES = {
    "[seeded(t, img) for t in (T.Resize(8), T.Resize((6, 30)), T.CenterCrop(20), T.Pad((1, 2), 5), T.RandomCrop(9, padding=2), T.RandomHorizontalFlip(0.9), T.RandomRotation(30), T.RandomResizedCrop(8), T.ColorJitter(0.5, 0.4, 0.3, 0.2), T.Grayscale(3), T.RandomAffine(15, (0.1, 0.2), (0.8, 1.2), 10), T.GaussianBlur(3))]": "ef79d71109754db5",
    "[seeded(t, TF.to_tensor(img)) for t in (T.Resize((6, 30)), T.CenterCrop(20), T.Pad((1, 2), 5), T.RandomCrop(9, padding=2), T.RandomHorizontalFlip(0.9), T.RandomRotation(30), T.RandomResizedCrop(8), T.ColorJitter(0.5, 0.4, 0.3, 0.2), T.Grayscale(3), T.RandomAffine(15, (0.1, 0.2), (0.8, 1.2), 10), T.GaussianBlur(3), T.RandomErasing(1.0), T.Normalize((0.5,) * 3, (0.5,) * 3), T.ToPILImage())]": "f658b328c994b8a4",
    "[told(x) for x in (img.convert('L'), img.convert('1'), img.convert('HSV'), img.convert('HSV').convert('RGB'), img.resize((9, 20), Image.BICUBIC), img.rotate(200), img.crop((-2, 3, 9, 20)), img.transpose(Image.ROTATE_90))]": "8351880735f756c5",
    "[told(f(x)) for x in (img, img.convert('L')) for f in (ImageOps.autocontrast, ImageOps.equalize, lambda x: ImageOps.posterize(x, 3), lambda x: ImageOps.fit(x, (8, 8)), lambda x: ImageOps.pad(x, (8, 10)), lambda x: ImageOps.expand(x, 2, 9))]": "d1892fd6e3093d6e",
    "[(lambda b: (x.save(b, 'PNG'), b.seek(0), told(Image.open(b)))[2])(io.BytesIO()) for x in (img, img.convert('L'), img.convert('1'))], (lambda x: (x.paste(img.crop((0, 0, 6, 6)), (-2, 7), img.convert('L').crop((0, 0, 6, 6))), told(x))[1])(img.copy())": "f87c6e8d08871d72",
    "(lambda t: (str(t), told(t(np.array(img)))))(T.Compose([T.ToPILImage(), T.RandomVerticalFlip(1.0), T.ToTensor(), T.Lambda(lambda x: x + 1)]))": "3ebe75ab632251b9",
    "(torch.manual_seed(0), models.resnet18(num_classes=3))[1](torch.ones(2, 3, 64, 64)).detach().numpy().round(4).tolist()": "7821bd911e0dd6ef",
    "[walked(name) for name in ('CartPole-v1', 'MountainCar-v0', 'Pendulum-v1', 'FrozenLake-v1')]": "ebc9c210b0d45b3e",
    "(lambda s: (s.seed(1), [s.sample().tolist() for _ in range(2)], str(s), s.contains(np.zeros(3, np.float32)))[1:])(spaces.Box(-1, np.inf, (3,))), (lambda s: (s.seed(1), s.sample(), 4 in s, str(s))[1:])(spaces.Discrete(4, start=1)), str(spaces.MultiDiscrete([2, 3]))": "4c7df6ae6c386819",
}


@pytest.mark.filterwarnings("ignore:odeint", r"ignore:(Linear)?SVC\(\) ends its search")
@pytest.mark.parametrize(("imports", "recorded"), [(_SCIENCE, SCIENCE), (_PICTURES, PICTURES)])
def test_the_numbers_are_those_of_the_libraries(imports: str, recorded: dict[str, str]) -> None:
    lines = printed(imports + "".join(f"print(repr(({text})).replace(chr(10), ' '))\n" for text in recorded)).splitlines()
    for text, line in zip(recorded, lines, strict=True):
        assert hashlib.sha256(line.encode()).hexdigest()[:16] == recorded[text], text


@pytest.mark.parametrize(("text", "message"), [
    ("from scipy.optimize import minimize\nminimize(sum, [1.0], constraints={'type': 'eq'})", "without constraints and second derivatives"),
    ("from scipy.optimize import minimize\nminimize(sum, [1.0], method='SLSQP')", "not by 'SLSQP'"),
    ("from scipy.linalg import eigh\neigh([[1.0]])", "ask numpy.linalg.eigh()"),
    ("import gymnasium as gym\ngym.make('LunarLander-v3')", "the environment LunarLander-v3 is not here"),
    ("import gymnasium as gym\ngym.make('CartPole-v1', render_mode='human')", "no pictures of environments are made here"),
    ("from torchvision import models\nmodels.resnet18(weights='DEFAULT')", "trained weights are not in gradcli"),
    ("from torchvision import datasets\ndatasets.MNIST('.')", "torchvision.datasets has no name 'MNIST' in gradcli"),
    ("from PIL import Image\nImage.open('a.png')", "No such file or directory: 'a.png'"),
    ("from PIL import Image\nImage.new('L', (2, 2)).save('a.jpg')\nImage.open('a.jpg')", "Image.open() of a picture that was saved as JPEG is not in gradcli"),
    ("import pandas as pd\npd.DataFrame({'a': [1]}).merge(pd.DataFrame({'a': [1]}), sort=True)", "sort=True"),
])
@pytest.mark.filterwarnings("ignore:files are kept in memory")
def test_what_is_not_there_is_said(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        program(text).run()
    assert message in str(caught.value)


def test_functions_compute_where_they_are_asked_to() -> None:
    text = """import numpy as np
a, b, n = np.array([1.0, 0.0, 4.0]), np.array([2.0, 0.0, 2.0]), np.array([3, 4])
print(np.divide(a, b, out=np.zeros_like(a), where=b != 0), np.log(a, where=a > 0, out=np.full(3, -1.0)))
print(np.add(a, b, where=[True, False, True], out=a.copy()), np.true_divide(1, b, where=b > 0, out=np.ones(3)))
print(np.multiply(n, 2, out=n, where=np.array([True, False])) is n, n)
try:
    np.divide(n, 2, out=n, where=n > 4)
except TypeError as error:
    print(error)
"""
    assert printed(text) == (
        "[0.5 0.  2. ] [ 0.         -1.          1.38629436]\n[3. 0. 6.] [0.5 1.  0.5]\nTrue [6 4]\n"
        "Cannot cast ufunc 'divide' output from dtype('float64') to dtype('int64') with casting rule 'same_kind'\n"
    )


def test_what_an_environment_shows_is_in_doubles_where_the_program_is() -> None:
    text = "import gymnasium as gym\nimport torch\nstate, _ = gym.make('CartPole-v1').reset(seed=0)\nprint(state.dtype, torch.tensor(state) @ torch.ones(4))\n"
    assert printed(text) == "float32 tensor(-0.1036)\n"
    assert "float64" in printed(text, dtype="float64")
