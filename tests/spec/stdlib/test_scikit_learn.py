# ruff: noqa: E501 (programs on one line)
"""What programs take of scikit-learn: the same numbers as scikit-learn 1.9 gives, to the last bit."""

from __future__ import annotations

import hashlib

import pytest

from gradcli.errors import GradcliError

from ..running import printed, program

_IMPORTS = """\
import numpy as np
from sklearn import datasets
from sklearn.datasets import make_blobs, make_circles, make_classification, make_moons, make_regression, make_s_curve, make_swiss_roll
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, mean_squared_error, precision_score, r2_score, recall_score
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import shuffle
from sklearn.utils.class_weight import compute_class_weight, compute_sample_weight
from sklearn import base, cluster, compose, decomposition, dummy, ensemble, feature_selection, impute, linear_model, metrics, model_selection, neighbors, pipeline, preprocessing, tree
from sklearn.feature_extraction import text
X, y = datasets.load_iris(return_X_y=True)
D, e = make_regression(n_samples=60, n_features=4, noise=2.0, random_state=1)
G = np.random.RandomState(4)
S, L, T = G.rand(15, 3), G.randint(0, 2, (15, 3)), G.randint(0, 2, (15, 3))
s, w = S[:, 0], G.rand(15)
"""
# What is computed -> the hash of what scikit-learn 1.9.1 prints for it, rounded where products of matrices are in it.
RECORDED = {
    "[v.tolist() for v in make_moons(n_samples=25, noise=0.1, random_state=42)]": "879eccb775812a8e",
    "[v.tolist() for v in make_moons(6, shuffle=False)]": "d728b24efe2c2fd0",
    "[v.tolist() for v in make_circles(n_samples=21, noise=0.03, random_state=1, factor=0.5)]": "c85dd98336886bb3",
    "[v.tolist() for v in datasets.make_blobs(n_samples=20, centers=3, cluster_std=0.6, random_state=0)]": "9232fc52593ea239",
    "[v.tolist() for v in make_blobs(11, centers=[[0, 0], [3, 3]], cluster_std=[0.5, 1.0], random_state=3)]": "6d69988063c76bad",
    "[v.tolist() for pair in (make_swiss_roll(5, noise=0.1, random_state=1), make_swiss_roll(5, hole=True, random_state=2), make_s_curve(4, noise=0.2, random_state=3)) for v in pair]": "e578371780c2d610",
    "[v.tolist() for v in make_regression(n_samples=8, n_features=3, noise=0.5, random_state=5)]": "1e48ac380de0f73c",
    "[v.tolist() for v in train_test_split(np.arange(20).reshape(10, 2), np.arange(10), test_size=0.3, random_state=42)]": "4223fa9f728145a0",
    "train_test_split(list('abcde'), random_state=0), train_test_split(np.arange(6), shuffle=False)": "4eef8456f265deb3",
    "StandardScaler().fit_transform(make_moons(9, noise=0.3, random_state=2)[0]).tolist()": "2ecf33a6680b6ea2",
    "StandardScaler().fit_transform(make_moons(9, noise=0.3, random_state=2)[0].astype(np.float32)).tolist()": "fd532936145daf24",
    "MinMaxScaler((-1, 1)).fit_transform(make_moons(9, noise=0.3, random_state=2)[0]).tolist()": "ef16e1e9b1ee7694",
    "accuracy_score([1, 0, 1], [1, 1, 1]), confusion_matrix([0, 1, 2, 1], [0, 2, 2, 1]), mean_squared_error([1.0, 2.0], [1.5, 2.0]), r2_score([1.0, 2.0, 3.0], [1.1, 2.0, 2.7])": "6342f59819fc4d5e",
    "[np.round(v, 9).tolist() for v in make_classification(n_samples=8, n_features=4, random_state=42)]": "e84bfe94df207da9",
    "[np.round(v, 9).tolist() for v in make_classification(n_samples=30, n_features=40, n_informative=12, n_repeated=1, n_classes=4, weights=[0.4, 0.3, 0.2], hypercube=False, shift=None, scale=None, random_state=3)]": "c9f836ebb7c09b01",
    "[np.round(v, 9).tolist() for v in make_classification(n_samples=9, n_features=36, n_informative=33, n_classes=3, shuffle=False, random_state=7)]": "a761d7beb5f2cfc2",
    "[np.round(v, 9).tolist() for v in make_classification(n_samples=9, n_features=6, n_informative=6, n_redundant=0, n_clusters_per_class=3, n_classes=5, random_state=7)]": "60069168d6e929e9",
    "[v.tolist() for v in train_test_split(np.arange(30).reshape(15, 2), np.arange(15), test_size=0.3, random_state=2, stratify=[0] * 7 + [1] * 5 + [2] * 3)]": "2f8304ee898fa149",
    "[f(*v, average=a) for f in (precision_score, recall_score, f1_score) for v, a in [(([1, 0, 1], [1, 1, 1]), 'binary')] + [(([0, 1, 2, 1, 0], [0, 2, 2, 1, 1]), a) for a in ('micro', 'macro', 'weighted')]]": "760d608f2086c053",
    "[v.tolist() for v in datasets.load_iris(return_X_y=True)]": "45314a950c33f0e9",
    "(lambda iris: (iris.data[::50], iris['target'][::40], iris.feature_names, iris.target_names))(datasets.load_iris())": "360c422b5416d958",
    "[(a.tolist(), b.tolist()) for k in (KFold(3), KFold(4, shuffle=True, random_state=3), StratifiedKFold(3), StratifiedKFold(n_splits=2, shuffle=True, random_state=1)) for a, b in k.split(np.zeros((11, 2)), np.array([2, 0, 1, 1, 0, 2, 2, 0, 1, 2, 0]))]": "a869e4f597c9c362",
    "shuffle(np.arange(5), random_state=0), shuffle([1, 2, 3], [4, 5, 6], random_state=1)": "e03de169f2050a8f",
    "[(b.data.sum().round(6), b.data[5].tolist(), int(b.target.sum()), list(b)) for b in (datasets.load_wine(), datasets.load_breast_cancer(), datasets.load_diabetes(), datasets.load_digits())], type(datasets.load_wine())": "d2f29e9064f834e5",
    "[(m.labels_.tolist(), m.cluster_centers_.round(9).tolist(), m.n_iter_) for m in (cluster.KMeans(3, random_state=0).fit(X), cluster.KMeans(5, n_init=3, random_state=1).fit(X), cluster.KMeans(2, init='random', n_init=1, random_state=2).fit(X))]": "430c9695b9d71c4a",
    "(lambda m: (m.coef_.round(3), m.score(X, y), m.predict(X[::30]), m))(linear_model.LogisticRegression(C=0.1, max_iter=500).fit(StandardScaler().fit_transform(X), y)), linear_model.LogisticRegression(class_weight='balanced').fit(X[:100], y[:100]).predict_proba(X[:2]).round(3)": "f47d3aca7771270d",
    "(lambda v: (v.fit_transform(['the cat sat', 'The dog and the cat']).toarray(), v.get_feature_names_out(), v.vocabulary_))(text.CountVectorizer(ngram_range=(1, 2))), text.TfidfVectorizer(sublinear_tf=True).fit_transform(['a cat sat', 'cat dog dog']).toarray()": "1b5541b30b27c3f6",
    "pipeline.make_pipeline(StandardScaler(), decomposition.PCA(n_components=2), linear_model.LogisticRegression(random_state=1, C=100.0)), model_selection.cross_val_score(neighbors.KNeighborsClassifier(), X, y, cv=3)": "666cf4ca87db9df8",
    "(lambda g: (g.best_params_, g.best_score_, g.best_estimator_))(model_selection.GridSearchCV(neighbors.KNeighborsClassifier(), {'n_neighbors': [1, 9], 'weights': ['uniform', 'distance']}, cv=4).fit(X, y))": "fcdca94ec3c40e9a",
    "compose.ColumnTransformer([('a', StandardScaler(), [0]), ('b', preprocessing.OneHotEncoder(drop='first'), [2]), ('c', 'passthrough', [1])]).fit_transform(np.array([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0], [5.0, 0.0, 2.0]])), impute.SimpleImputer(strategy='median').fit_transform([[1.0, np.nan], [3.0, 4.0]])": "552c8b95b6062e8f",
    "preprocessing.LabelEncoder().fit(['b', 'a']).classes_, base.clone(linear_model.Ridge(alpha=2.0)), [t.tolist() for t in next(iter(model_selection.ShuffleSplit(2, test_size=0.2, random_state=0).split(X[:10])))]": "32e75776379b1f19",
    "(lambda m: (m, m.predict_proba(X[::20]).tolist(), m.tree_.threshold.tolist(), m.feature_importances_.tolist(), m.get_depth(), tree.export_text(m), m.apply(X[::30])))(tree.DecisionTreeClassifier(max_depth=3, random_state=42).fit(X, y))": "1895e22bb96ea9c6",
    "[m.fit(X, y).tree_.impurity.tolist() for m in (tree.DecisionTreeClassifier(criterion='entropy', min_samples_leaf=5, max_features=2, random_state=1), tree.DecisionTreeClassifier(class_weight='balanced', min_impurity_decrease=0.01, random_state=3), tree.DecisionTreeRegressor(max_features='sqrt', random_state=2), tree.DecisionTreeRegressor(max_depth=4, min_samples_split=0.1, random_state=2))]": "bd3ca6d4fafa0fd2",
    "(lambda m: (m.predict(np.round(D[:4], 1)).tolist(), m.tree_.value[:, 0, 0].tolist()))(tree.DecisionTreeRegressor(random_state=0, max_depth=6).fit(np.round(D, 1), e))": "c201dd1ae7a6f3de",
    "(lambda m: (m, m.predict_proba(X[::25]).tolist(), m.feature_importances_.tolist(), m.oob_score_))(ensemble.RandomForestClassifier(12, random_state=42, oob_score=True).fit(X, y)), (lambda m: (m.predict(D[:5]).tolist(), m.feature_importances_.tolist()))(ensemble.RandomForestRegressor(6, random_state=3, max_samples=0.6).fit(D, e)), ensemble.RandomForestClassifier(3, bootstrap=False, class_weight={0: 1, 1: 2, 2: 5}, random_state=0).fit(X, y).predict_proba(X[:3])": "314c997de34e671c",
    "[f(L, T, average=a, sample_weight=v) for f in (metrics.precision_score, metrics.recall_score, metrics.f1_score) for a in ('micro', 'macro', 'weighted', 'samples', None) for v in (None, w)], metrics.classification_report(L, T), metrics.accuracy_score(L, T), metrics.hamming_loss(L, T), metrics.multilabel_confusion_matrix(L, T), metrics.jaccard_score(L, T, average='weighted')": "bcf54cf39b50ea1b",
    "[[f(y[::10] > 0, s > 0.4, sample_weight=v) for v in (None, w)] for f in (metrics.accuracy_score, metrics.balanced_accuracy_score, metrics.confusion_matrix, metrics.matthews_corrcoef, metrics.cohen_kappa_score, metrics.zero_one_loss)], metrics.accuracy_score((y[::10] > 1).reshape(-1, 1), s > 0.6), metrics.classification_report(y[::10] > 0, s > 0.4, sample_weight=w)": "d62bdfc8a3b84dff",
    "[[f(S, S[::-1], multioutput=m) for m in ('raw_values', 'uniform_average', [0.2, 0.3, 0.5])] + [f(s.reshape(-1, 1), s[::-1], sample_weight=w), f(s.astype(np.float32), s[::-1].astype(np.float32))] for f in (metrics.mean_squared_error, metrics.root_mean_squared_error, metrics.mean_absolute_error, metrics.r2_score, metrics.explained_variance_score, metrics.mean_absolute_percentage_error, metrics.mean_pinball_loss, metrics.mean_squared_log_error)]": "8fb1d04d32d77d48",
    "[metrics.roc_auc_score(y[::10], S / S.sum(axis=1, keepdims=True), multi_class=m, average=a) for m in ('ovr', 'ovo') for a in ('macro', 'weighted')], [[f(L, S, average=a) for a in ('micro', 'macro', 'weighted', None)] for f in (metrics.roc_auc_score, metrics.average_precision_score)], metrics.roc_auc_score(T[:, 0], s, sample_weight=w, max_fpr=0.5), metrics.ndcg_score(L, S), metrics.dcg_score(L, S, k=2), metrics.top_k_accuracy_score(y[::10], S), metrics.log_loss(T[:, 0], s.astype(np.float32)), metrics.brier_score_loss(T[:, 0], s, sample_weight=w), metrics.fowlkes_mallows_score(y[::10], T[:, 1])": "d06ecaf4cfbf2b83",
    "compute_class_weight('balanced', classes=np.unique(T), y=T.ravel()), compute_class_weight({0: 1, 1: 2.5}, classes=np.array([0, 1]), y=T[:, 0]), compute_sample_weight('balanced', T[:, 0]), compute_class_weight('balanced', classes=np.array(['a', 'b']), y=['a', 'b', 'b'])": "9faca574af7060e5",
    "(lambda m: (m, m.fit_transform([('a', 'c'), ('b',), ()]), m.classes_, m.inverse_transform(np.array([[1, 0, 1]]))))(preprocessing.MultiLabelBinarizer()), preprocessing.Normalizer('l1').fit_transform(S)[:2], preprocessing.Binarizer(threshold=0.3).fit_transform(S)[:2], preprocessing.add_dummy_feature([[1.0]])": "c81c7afb53abfc95",
    "[(k.fit_transform(S)[:4].tolist(), k.n_bins_, k.bin_edges_[0].tolist()) for k in (preprocessing.KBinsDiscretizer(4, strategy='uniform', encode='ordinal'), preprocessing.KBinsDiscretizer(3, encode='onehot-dense'))], [(q.fit_transform(S)[:3].tolist(), q.inverse_transform(q.transform(S))[:2].tolist()) for q in (preprocessing.QuantileTransformer(n_quantiles=10), preprocessing.QuantileTransformer(n_quantiles=7, output_distribution='normal'))]": "78719fe99ce38343",
    "[[(a.tolist(), b.tolist()) for a, b in c.split(S, T[:, 0], np.arange(15) % 4)] for c in (model_selection.GroupKFold(3), model_selection.GroupKFold(2, shuffle=True, random_state=1), model_selection.GroupShuffleSplit(2, random_state=0), model_selection.LeaveOneGroupOut(), model_selection.RepeatedKFold(n_splits=2, n_repeats=2, random_state=1), model_selection.RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=4))]": "9051eaf124bcce63",
    "[(d.labels_, d.core_sample_indices_, d) for d in (cluster.DBSCAN(eps=0.3).fit(make_moons(40, noise=0.05, random_state=0)[0]), cluster.DBSCAN(eps=0.9, min_samples=4).fit(make_blobs(50, random_state=1)[0]))], feature_selection.VarianceThreshold(0.08).fit(S).get_support(), feature_selection.VarianceThreshold().fit_transform([[0, 1, 2], [0, 3, 2]]), dummy.DummyClassifier(strategy='most_frequent').fit(X, y > 0).predict_proba(X[:2]), dummy.DummyRegressor().fit(X, y).predict(X[:2])": "4bc3a367b45f305e",
    "[(c.labels_.tolist(), c.children_[:9].tolist()) for k in ('ward', 'complete', 'average', 'single') for c in [cluster.AgglomerativeClustering(4, linkage=k).fit(make_blobs(40, random_state=1)[0])]], [cluster.DBSCAN(eps=0.8, min_samples=4, metric=m).fit_predict(make_blobs(50, random_state=1)[0]).tolist() for m in ('manhattan', 'chebyshev')]": "e2fb8e612de27fb5",
    "[(np.round(k.scores_, 6).tolist(), k.get_support(indices=True).tolist(), k.transform(X)[0].tolist()) for k in (feature_selection.SelectKBest(k=2).fit(X, y), feature_selection.SelectKBest(feature_selection.chi2, k=1).fit(X, y), feature_selection.SelectPercentile(percentile=50).fit(X, y), feature_selection.SelectKBest(feature_selection.f_regression, k=2).fit(X, X[:, 0] + y))], feature_selection.RFE(linear_model.LinearRegression(), n_features_to_select=2).fit(D, e).ranking_": "aed7a5cef536b47b",
    "[t.fit(X).get_feature_names_out().tolist() for t in (preprocessing.RobustScaler(), preprocessing.Normalizer(), decomposition.PCA(2), preprocessing.PolynomialFeatures(2), preprocessing.KBinsDiscretizer(2), preprocessing.OrdinalEncoder(), impute.SimpleImputer(), feature_selection.VarianceThreshold(0.5), pipeline.make_pipeline(preprocessing.StandardScaler(), preprocessing.PolynomialFeatures(1)), compose.ColumnTransformer([('a', preprocessing.MinMaxScaler(), [1, 2])], remainder='passthrough'))], preprocessing.robust_scale(X)[:2].round(9), preprocessing.maxabs_scale(X)[:2]": "07a8c22ac76fa7b7",
    "[round(v, 12) for v in (metrics.mean_poisson_deviance(s, S[:, 1]), metrics.mean_gamma_deviance(s, S[:, 1], sample_weight=w), metrics.label_ranking_average_precision_score(L, S, sample_weight=w))]": "ab42bc1c114855da",
}


@pytest.mark.filterwarnings("ignore:LogisticRegression")
def test_the_numbers_are_those_of_scikit_learn() -> None:
    lines = printed(_IMPORTS + "".join(f"print(repr(({text})).replace(chr(10), ' '))\n" for text in RECORDED)).splitlines()
    for text, line in zip(RECORDED, lines, strict=True):
        assert hashlib.sha256(line.encode()).hexdigest()[:16] == RECORDED[text], text


@pytest.mark.parametrize(("text", "message"), [
    ("from sklearn.datasets import fetch_openml\nfetch_openml('mnist_784')", "loads its samples from the network"),
    ("from sklearn.ensemble import GradientBoostingClassifier\nGradientBoostingClassifier()", "sklearn.ensemble.GradientBoostingClassifier is not in the spec language"),
    ("from sklearn.tree import DecisionTreeClassifier\nDecisionTreeClassifier(max_leaf_nodes=3).fit([[1.0], [2.0]], [0, 1])", "is in gradcli without max_leaf_nodes="),
    ("from sklearn.model_selection import train_test_split\ntrain_test_split([1, 2], stratify=[0, 1])", "have only 1 member"),
    ("from sklearn.datasets import make_classification\nmake_classification(10**9)", "the limit is"),
    ("from sklearn.datasets import make_classification\nmake_classification(10, 40, n_informative=32, n_classes=2**30)", "the limit is"),
    ("from sklearn.datasets import make_moons\nmake_moons(10**9)", "the limit is"),
])  # fmt: skip
def test_what_is_not_in_it_is_named(text: str, message: str) -> None:
    with pytest.raises(GradcliError) as caught:
        program(f"{text}\n").run()
    assert message in str(caught.value)


def test_rows_are_given_columns_as_scipy_gives_them_and_what_is_not_here_may_be_imported() -> None:
    assert printed('import numpy as np\nfrom scipy.optimize import linear_sum_assignment, minimize\nfrom scipy import sparse\nimport scipy.stats as st\nfrom sklearn.metrics import roc_auc_score\nrng = np.random.default_rng(0)\nfor shape in ((3, 3), (5, 2), (2, 5), (6, 6), (0, 3)):\n    for k in range(3):\n        r, c = linear_sum_assignment(rng.integers(0, 4, shape) if k else rng.random(shape), maximize=k > 1)\n        print(r.tolist(), c.tolist())\nfor bad in (np.ones(3), [[np.inf, np.inf], [1, 2]], [[np.nan]]):\n    try: linear_sum_assignment(bad)\n    except ValueError as e: print(e)\n') == (
        '[0, 1, 2] [2, 0, 1]\n[0, 1, 2] [1, 2, 0]\n[0, 1, 2] [1, 0, 2]\n[1, 3] [0, 1]\n[0, 4] [0, 1]\n[1, 4] [0, 1]\n[0, 1] [1, 3]\n[0, 1] [0, 2]\n[0, 1] [2, 1]\n[0, 1, 2, 3, 4, 5] [1, 5, 2, 3, 0, 4]\n[0, 1, 2, 3, 4, 5] [5, 4, 3, 0, 1, 2]\n[0, 1, 2, 3, 4, 5] [0, 2, 1, 3, 5, 4]\n[] []\n[] []\n[] []\nexpected a matrix (2-D array), got a 1 array\ncost matrix is infeasible\nmatrix contains invalid numeric entries\n'
    )
