# ruff: noqa: E501 (programs stand here as they are written)
"""Files of a program: they are in its memory, and hold copies of what is put there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradcli.errors import GradcliError, SpecError
from gradcli.spec.guard.notes import Note
from tests.cli.invoke import gradcli

from ..running import printed

pytestmark = pytest.mark.filterwarnings("ignore")


def test_nothing_reaches_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "import os, torch, numpy as np, shutil, pathlib\nos.makedirs('a')\nopen('a/x', 'w').write('1')\n"
    text += "torch.save(torch.ones(2), 'y.pt')\nnp.save('z.npy', np.ones(2))\npathlib.Path('p').mkdir()\nshutil.rmtree('a')\n"
    printed(text)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("path", ["/etc/passwd", "/proc/self/maps", "../../etc/passwd", "~/.ssh/id_rsa", "C:\\x"])
def test_nothing_is_read_from_it(path: str) -> None:
    text = f"import torch, os, glob\nfor f in (open, torch.load):\n    try:\n        f({path!r})\n"
    text += f"    except FileNotFoundError as e:\n        print(e)\nprint(os.path.exists({path!r}), glob.glob('/*'))\n"
    assert printed(text) == f"[Errno 2] No such file or directory: {path!r}\n" * 2 + "False []\n"


def test_a_note_says_so() -> None:
    with pytest.warns(Note, match="^files are kept in memory while the program runs: nothing is written to the disk$"):
        printed("open('x', 'w')")


def test_each_run_begins_without_any() -> None:
    text = "import os\nprint(os.path.exists('x'))\nopen('x', 'w')\nprint(os.path.exists('x'))\n"
    assert printed(text) == printed(text) == "False\nTrue\n"


def test_what_is_loaded_is_a_copy_that_requires_what_it_did() -> None:
    text = """
import io, torch
x = torch.ones(2, requires_grad=True)
y = x * 2
torch.save({'x': x, 'y': y, 'both': [x, x], 'n': 3}, 'f.pt')
with torch.no_grad(): x += 1
f = torch.load('f.pt', map_location='cpu', weights_only=True)
print(f, f['x'] is x, f['y'].is_leaf, f['both'][0] is f['both'][1], f['x'] is f['both'][0])
f['x'].data.fill_(9.0)
print(torch.load('f.pt')['x'])
b = io.BytesIO(); torch.save(torch.zeros(1), b); torch.save(5, b); b.seek(0); print(torch.load(b), torch.load(b))
m = torch.nn.Linear(2, 1)
torch.save(m, 'm.pt'); again = torch.load('m.pt', weights_only=False)
print(again, torch.equal(again.weight, m.weight), again.weight is m.weight)
o = torch.optim.Adam(m.parameters()); m(torch.ones(2)).backward(); o.step()
torch.save(o.state_dict(), 'o.pt'); o.load_state_dict(torch.load('o.pt')); print(o.state_dict()['state'][0]['step'])
"""
    assert printed(text) == (
        "{'x': tensor([1., 1.], requires_grad=True), 'y': tensor([2., 2.], requires_grad=True), 'both': [tensor([1., 1.], "
        "requires_grad=True), tensor([1., 1.], requires_grad=True)], 'n': 3} False True True True\n"
        "tensor([1., 1.], requires_grad=True)\n"
        "tensor([0.]) 5\n"
        "Linear(in_features=2, out_features=1, bias=True) True False\n"
        "tensor(1.)\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nx = torch.ones(20_000_000)\nfor i in range(99):\n    torch.save(x, str(i))\n",
        "import numpy as np\nx = np.ones(20_000_000)\nfor i in range(99):\n    np.save(str(i), x)\n",
        "f = open('x', 'w')\nwhile True:\n    f.write('x' * 900_000)\n    f.seek(0, 2)\n",
        "import io\nf = io.StringIO()\nwhile True:\n    f.write('x' * 900_000)\n    f.getvalue()\n",
    ],
)
def test_memory_counts(text: str, tmp_path: Path) -> None:
    done = gradcli("run", "-", "--max-memory", "300", cwd=tmp_path, input=text)
    assert done.returncode == 2
    assert "error[E40" in done.stderr
    assert os.listdir(tmp_path) == []


def test_drawing_is_passed_over() -> None:
    text = """
import matplotlib.pyplot as plt
from mpl_toolkits.mplot3d import Axes3D
fig, ax = plt.subplots()
line, = ax.plot([1], [2], 'o--', label='x')
fig, axes = plt.subplots(2, 3, figsize=(6, 4))
print(axes.shape, len(axes), len(axes.flatten()), len(axes[0]))
for i, a in enumerate(axes.flat): a.set_title(i)
for row in axes:
    for a in row: a.axis('off')
axes[1, 2].imshow([[1]]); axes[0][1].legend()
with plt.style.context('ggplot'): plt.title('x')
plt.rcParams['figure.figsize'] = (3, 4)
from torchviz import make_dot
from graphviz import Digraph
import plotly.graph_objects as go
dot = make_dot(1)
dot.format = 'png'
dot.attr.size = dot.format
dot.render('graph')
Digraph(format='svg', graph_attr={'rankdir': 'LR'}).node(name='a', label='x')
go.Figure(data=[go.Scatter(x=[1], y=[2])]).show()
n, bins, patches = plt.hist([1, 2])
plt.savefig('x.png'); plt.show(); plt.close(fig)
"""
    assert printed(text) == "(2, 3) 2 6 3\n"
    with pytest.warns(Note, match="^matplotlib draws nothing here"):
        printed("import matplotlib.pyplot as plt\nplt.show()")


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("print(plt.gcf())", "shown"),
        ("float(plt.ginput())", "computed with"),
        ("for x in plt.gca().lines: pass", "looked into"),
        ("len(plt.gca().lines)", "counted"),
        ("f'{plt.gcf()}'", "shown"),
    ],
)
def test_what_depends_on_a_picture_is_refused(text: str, verb: str) -> None:
    with pytest.raises(SpecError, match=f"gives nothing here that could be {verb}$"):
        printed(f"import matplotlib.pyplot as plt\n{text}\n")


def test_times_that_nobody_measures_can_be_shown_and_computed_with() -> None:
    text = """
import torch
from torch.utils.benchmark import Timer
first, second = (Timer(stmt="x + 1", globals={"x": 1}).timeit(5) for _ in range(2))
gain = (first.times[0] - second.median) / first.times[0] * 100
if gain < 0:
    gain = -gain
print(f"{gain:.2f} %", "{:>9}".format(round(gain, 1)), max(gain, 0), sum([gain]) >= 0, second)
with torch.profiler.profile() as record:
    pass
print(record.key_averages().table(sort_by="cpu_time_total"), len(record.events()), [e for e in record.events()])
"""
    with pytest.warns(Note, match="^torch.utils.benchmark measures nothing here"):
        got = printed(text)
    nothing = "<not measured>"
    assert got == f"{nothing} % {nothing} {nothing} False {nothing}\n{nothing} 0 []\n"
    for use in ("float(t)", "torch.tensor(t)", "'%.2f' % t", "range(t)"):
        with pytest.raises(GradcliError):
            printed(f"import torch\nfrom torch.utils.benchmark import Timer\nt = Timer('1').timeit(2).mean\n{use}\n")


def test_a_folder_for_what_is_there_for_a_while() -> None:
    text = """
import glob, os, tempfile, torch
print(os.path.isdir("/tmp"), tempfile.gettempdir(), os.path.isdir("/tmp"), os.listdir("."), os.path.exists("tmp"))
os.makedirs("tmp")
torch.save({"a": 1}, "/tmp/x.pt")
print(torch.load("/tmp/x.pt"), os.listdir("/tmp"), os.listdir("tmp"), glob.glob("/tmp/*"), glob.glob("*"))
with tempfile.NamedTemporaryFile("w+") as f:
    f.write("a\\nb")
    f.seek(0)
    print(list(f), os.path.exists(f.name))
with tempfile.TemporaryFile() as g:
    torch.save(torch.ones(1), g)
    g.seek(0)
    print(os.path.exists(f.name), torch.load(g))
"""
    assert printed(text) == (
        "False /tmp True [] False\n{'a': 1} ['x.pt'] [] ['/tmp/x.pt'] ['tmp']\n['a\\n', 'b'] True\nFalse tensor([1.])\n"
    )


def test_a_picture_that_nobody_sees_is_a_file() -> None:
    text = """
import os, torch
import matplotlib.pyplot as plt
from PIL import Image
from torchvision.utils import save_image
plt.savefig("a", dpi=100)
plt.figure().savefig("b.pdf")
save_image(torch.ones(3, 2, 2), "c.png")
print(sorted(os.listdir(".")), Image.open("c.png").size)
try:
    plt.savefig("nowhere/a.png")
except FileNotFoundError as e:
    print(e)
try:
    os.path.getsize("b.pdf")
except NotImplementedError as e:
    print(e)
"""
    assert printed(text) == (
        "['a.png', 'b.pdf', 'c.png'] (2, 2)\n[Errno 2] No such file or directory: 'nowhere/a.png'\n"
        "which bytes were saved is not known here: read them with what saved them\n"
    )


def test_a_saved_model_may_be_larger_than_the_bytes_of_a_program() -> None:
    text = "import os, torch\ntorch.save({'w': torch.zeros(50_000)}, 'm.pt')\nprint(os.path.getsize('m.pt'))"
    assert printed(text) == "201343\n"


def test_what_was_saved_is_loaded_by_a_path() -> None:
    text = "import os, torch\nfrom pathlib import Path\np = Path('a') / 'm.pt'\np.parent.mkdir()\ntorch.save([1], p)\n"
    assert printed(text + "print(torch.load(p), os.fspath(p))") == "[1] a/m.pt\n"
