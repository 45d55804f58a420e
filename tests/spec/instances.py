"""How a program makes an instance of every class that it can name: for tests that go through all of them."""

from __future__ import annotations

# The arguments of each class of torch.nn; classes that are not here are made without any.
LAYERS = {
    "AdaptiveAvgPool1d": "2", "AdaptiveAvgPool2d": "2", "AdaptiveAvgPool3d": "2",
    "AdaptiveLogSoftmaxWithLoss": "4, 6, [2, 4]",
    "AdaptiveMaxPool1d": "2", "AdaptiveMaxPool2d": "2", "AdaptiveMaxPool3d": "2",
    "AvgPool1d": "2", "AvgPool2d": "2", "AvgPool3d": "2", "BatchNorm1d": "2", "BatchNorm2d": "2", "BatchNorm3d": "2",
    "Bilinear": "2, 3, 2", "Buffer": "torch.ones(2)", "ChannelShuffle": "2", "CircularPad1d": "1", "CircularPad2d": "1",
    "CircularPad3d": "1", "ConstantPad1d": "1, 2.0", "ConstantPad2d": "1, 2.0", "ConstantPad3d": "1, 2.0",
    "Conv1d": "2, 2, 1", "Conv2d": "2, 2, 1", "Conv3d": "2, 2, 1", "ConvTranspose1d": "2, 2, 1",
    "ConvTranspose2d": "2, 2, 1", "ConvTranspose3d": "2, 2, 1", "DataParallel": "nn.Linear(2, 1)", "Embedding": "4, 2",
    "EmbeddingBag": "4, 2", "Fold": "(2, 2), 1", "FractionalMaxPool2d": "2, output_size=2",
    "FractionalMaxPool3d": "2, output_size=2", "LinearCrossEntropyLoss": "2, 3", "GRU": "2, 2",
    "GRUCell": "2, 2", "GroupNorm": "1, 2",
    "InstanceNorm1d": "2", "InstanceNorm2d": "2", "InstanceNorm3d": "2", "LPPool1d": "2, 2", "LPPool2d": "2, 2",
    "LPPool3d": "2, 2", "LSTM": "2, 2", "LSTMCell": "2, 2", "LayerNorm": "2", "LazyConv1d": "2, 1",
    "LazyConv2d": "2, 1", "LazyConv3d": "2, 1", "LazyConvTranspose1d": "2, 1", "LazyConvTranspose2d": "2, 1",
    "LazyConvTranspose3d": "2, 1", "LazyLinear": "2", "Linear": "2, 3",
    "CrossMapLRN2d": "2", "LocalResponseNorm": "2", "MaxPool1d": "2",
    "MaxPool2d": "2", "MaxPool3d": "2", "MaxUnpool1d": "2", "MaxUnpool2d": "2", "MaxUnpool3d": "2",
    "ModuleDict": "{'a': nn.Linear(2, 1)}", "ModuleList": "[nn.Linear(2, 1)]", "MultiheadAttention": "2, 1",
    "Parameter": "torch.ones(2)", "ParameterDict": "{'a': torch.ones(2)}", "ParameterList": "[torch.ones(2)]",
    "PixelShuffle": "1", "PixelUnshuffle": "1", "RMSNorm": "2", "RNN": "2, 2", "RNNBase": "'GRU', 2, 2",
    "RNNCellBase": "2, 2, True, 1", "SyncBatchNorm": "2",
    "RNNCell": "2, 2", "ReflectionPad1d": "1", "ReflectionPad2d": "1", "ReflectionPad3d": "1", "ReplicationPad1d": "1",
    "ReplicationPad2d": "1", "ReplicationPad3d": "1", "Sequential": "nn.Linear(2, 2), nn.ReLU()", "Softmax": "0",
    "LogSoftmax": "0", "Softmin": "0", "Threshold": "0.1, 2.0", "Transformer": "2, 1, 1, 1, 2",
    "TransformerDecoder": "nn.TransformerDecoderLayer(2, 1, 2), 1", "TransformerDecoderLayer": "2, 1, 2",
    "TransformerEncoder": "nn.TransformerEncoderLayer(2, 1, 2), 1", "TransformerEncoderLayer": "2, 1, 2",
    "Unflatten": "0, (1, 2)", "Unfold": "1", "Upsample": "scale_factor=2", "UpsamplingBilinear2d": "scale_factor=2",
    "UpsamplingNearest2d": "scale_factor=2", "ZeroPad1d": "1", "ZeroPad2d": "1", "ZeroPad3d": "1",
}  # fmt: skip

OPTIMISERS = {"Optimizer": "[p], {'lr': 0.1}", "Muon": "[torch.ones(2, 2)]"}
DEFAULT_OPTIMISER = "[p], lr=0.1"

# The arguments behind the optimiser.
SCHEDULES = {
    "CosineAnnealingWarmRestarts": "2", "CyclicLR": "0.1, 0.2, cycle_momentum=False, scale_fn=scale",
    "OneCycleLR": "0.1, 5, cycle_momentum=False", "LRScheduler": "",
    "ChainedScheduler": "[torch.optim.lr_scheduler.StepLR(opt, 2)]",
    "SequentialLR": "[torch.optim.lr_scheduler.StepLR(opt, 2), torch.optim.lr_scheduler.StepLR(opt, 3)], [2]",
    "LambdaLR": "scale", "MultiplicativeLR": "scale", "StepLR": "2", "MultiStepLR": "[1, 2]", "ExponentialLR": "0.9",
    "CosineAnnealingLR": "2",
}  # fmt: skip

DATA = {
    "DataLoader": "TensorDataset(torch.ones(4, 2), torch.ones(4)), batch_size=2",
    "ChainDataset": "[]", "ConcatDataset": "[[1, 2], [3]]", "Dataset": "", "IterableDataset": "",
    "StackDataset": "[1, 2], [3, 4]", "Subset": "[1, 2, 3], [0, 1]", "TensorDataset": "torch.ones(4, 2), torch.ones(4)",
    "BatchSampler": "[1, 2, 3], 2, False", "RandomSampler": "[1, 2]", "Sampler": "", "SequentialSampler": "[1, 2]",
    "SubsetRandomSampler": "[1, 2]", "DistributedSampler": "range(4), 2, 0", "WeightedRandomSampler": "[0.1, 0.9], 2",
}  # fmt: skip

IMPORTS = """\
import abc, collections, contextlib, copy, dataclasses, enum, functools, itertools, math, operator, random, string
import time, typing, warnings
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.nn.utils.parametrize, torch.nn.utils.rnn, torch.nn.utils.parametrizations
from torch.utils.data import DataLoader, Dataset, TensorDataset
from torch.utils.checkpoint import checkpoint
from torch.distributions import Normal
"""

# What a program defines itself, and what only calls give it.
OBJECTS = """\
def scale(epoch):
    return 0.5
def outer(x):
    y = [x]
    def inner(z=y, *args, k=1, **kwargs):
        return y, z, args, kwargs
    return inner
inner = outer([1])
def counting(n):
    for i in range(n):
        yield i
generator = counting(3)
started = counting(3)
next(started)
expression = (i for i in [1, 2])
class A:
    kept = [1]
    def __init__(self):
        self._own = 1
    def method(self):
        return self._own
    @property
    def prop(self):
        return {'a': self}
    @staticmethod
    def static(): return 1
    @classmethod
    def klass(cls): return cls
    def __len__(self): return 2
    def __getitem__(self, i): return [1, 2][i]
    def __call__(self, *args, **kwargs): return 1
a = A()
class B(A):
    def up(self):
        return super()
b = B()
above = b.up()
@dataclasses.dataclass
class Record:
    x: int = 1
    y: list = dataclasses.field(default_factory=list)
record = Record()
Point = collections.namedtuple('Point', 'x y')
point = Point(1, 2)
class Row(typing.NamedTuple):
    x: int
    y: int = 2
row = Row(1)
class Colour(enum.Enum):
    RED = 1
    BLUE = enum.auto()
colour = Colour.RED
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
class Mine(Exception):
    def __init__(self, x):
        super().__init__(x)
        self.x = x
caught = []
for attempt in (
    lambda: 1 / 0, lambda: [][1], lambda: {}['x'], lambda: int('x'), lambda: torch.ones(2) @ torch.ones(3),
    lambda: a.nothing, lambda: next(iter([])), lambda: torch.linalg.inv(torch.zeros(2, 2)), lambda: nn.Linear(1),
    lambda: torch.ones(2)[5], lambda: torch.ones(2).sum(9), lambda: nn.Linear(2, 1)(torch.ones(3)), lambda: A(1),
    lambda: nothing, lambda: len(1), lambda: 'x' + 1, lambda: np.ones(2) + np.ones(3),
    lambda: nn.Linear(2, 1).load_state_dict({}), lambda: Colour(9), lambda: Shape(),
):
    try:
        attempt()
    except Exception as e:
        caught.append(e)
try:
    raise Mine(a)
except Mine as e:
    mine = e
class Missing(KeyError): pass
missing = Missing('x')
@contextlib.contextmanager
def context():
    yield a
made_context = context()
x = torch.ones(2, 3, requires_grad=True)
y = (x * 2).exp()
z = y.sum()
node = z.grad_fn
nodes = [n[0] for n in node.next_functions]
view = x[0]
unbound = x.unbind(0)
contexts = []
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t, n):
        ctx.save_for_backward(t)
        ctx.n = n
        contexts.append(ctx)
        return t * n
    @staticmethod
    def backward(ctx, g):
        contexts.append(ctx)
        return g * ctx.n, None
twice = Twice.apply(x, 2)
twice.sum().backward()
function_node = twice.grad_fn
edge = torch.autograd.graph.get_gradient_edge(z)
handle = x.register_hook(lambda g: g)
mask = x > 0
whole = torch.arange(4)
size = x.shape
stats = x.max(0)
dtype = x.dtype
device = x.device
metadata = node._input_metadata if hasattr(node, '_input_metadata') else None
array = np.ones((2, 3))
numbers = [array[0, 0], np.ones(2)[0] > 0, np.arange(3)[1], array.dtype, array.shape, x.detach().numpy()]
deque = collections.deque([1, 2], 3)
counter = collections.Counter('aab')
ordered = collections.OrderedDict(a=1)
default = collections.defaultdict(list)
default['a'].append(1)
partial = functools.partial(scale, 1)
lazies = [itertools.count(), itertools.chain([1], [2]), itertools.repeat(1), itertools.product([1], [2]), zip([1], [2]),
    itertools.islice([1, 2], 1), itertools.groupby([1, 1]), itertools.accumulate([1, 2]), map(scale, [1]),
    filter(None, [1]), enumerate([1]), reversed([1, 2]), iter([1]), iter({'a': 1}), iter('ab'), iter(range(2)),
    iter({1}), {'a': 1}.items(), {'a': 1}.keys(), {'a': 1}.values(), range(3), iter(x), iter((1, 2))]
words = ['a', 'a'.upper, str.upper, [].append, dict.fromkeys, b.method, A.method, A.static, A.klass, a.method, len,
    print]
others = [slice(1), ..., NotImplemented, frozenset([1]), {1}, (1, 2), 1.5, None, True, property(scale), type, type(1)]
wrapped = [property(scale), staticmethod(scale), classmethod(scale), operator.itemgetter(1), type(scale), type(len)]
hints = [typing.Any, typing.List[int], typing.Optional[int], typing.TypeVar('T'), typing.Generic, typing.Protocol]
grads = [torch.no_grad(), torch.enable_grad(), torch.set_grad_enabled(True), torch.inference_mode()]
generators = [torch.Generator(), random.Random(1)]
infos = [torch.finfo(torch.float32), torch.iinfo(torch.int64)]
layer = nn.Linear(2, 1)
state = layer.state_dict()
keys = layer.load_state_dict(state)
handles = [layer.register_forward_hook(lambda *args: None), layer.register_forward_pre_hook(lambda *args: None),
    layer.register_full_backward_hook(lambda *args: None)]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self._hidden = [1]
        self.register_buffer('kept', torch.ones(2))
    def forward(self, t):
        return self.first(t).relu()
net = Net()
answer = net(torch.ones(1, 2)).sum()
answer.backward()
parametrized = nn.utils.parametrizations.weight_norm(nn.Linear(2, 2))
normed = nn.utils.weight_norm(nn.Linear(2, 2))
packed = nn.utils.rnn.pack_sequence([torch.ones(2, 1), torch.ones(1, 1)])
p = nn.Parameter(torch.ones(2))
p.grad = torch.ones(2)
opt = torch.optim.SGD([p], lr=0.1, momentum=0.9)
opt.step()
optimiser_state = opt.state_dict()
schedule = torch.optim.lr_scheduler.LambdaLR(opt, scale)
schedule_state = schedule.state_dict()
supers = [super(Mine, mine), super(Mine, Mine), super(Missing, missing), super(Row, row), super(Record, record),
    super(Colour, colour), super(Net, net), super(Net, Net), super(A, a)]
plateau_state = torch.optim.lr_scheduler.ReduceLROnPlateau(opt).state_dict()
cyclic_state = torch.optim.lr_scheduler.CyclicLR(opt, 0.1, 0.2, cycle_momentum=False, scale_fn=scale).state_dict()
loader = DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2)
batch = next(iter(loader))
loading = iter(loader)
saved = torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
dual_level = torch.autograd.forward_ad.dual_level()
unpacked = torch.autograd.forward_ad.unpack_dual(torch.ones(2))
"""



def namespace_classes() -> dict[str, list[str]]:
    """The classes that modules of a program have, by the module's full name."""
    from gradcli.spec.torch_names.names import NAMESPACES

    found: dict[str, list[str]] = {}
    for space in ("torch.nn", "torch.optim", "torch.optim.lr_scheduler", "torch.utils.data"):
        names = [n for n in NAMESPACES[space].names() if isinstance(NAMESPACES[space].find(n), type)]
        found[space] = [n for n in names if n[0].isupper()]
    return found


def expressions() -> dict[str, str]:
    """What makes an instance of each class, by the class as a program names it; it needs what OBJECTS defines."""
    found: dict[str, str] = {}
    for space, names in namespace_classes().items():
        for name in names:
            if space == "torch.nn":
                found[f"nn.{name}"] = f"nn.{name}({LAYERS.get(name, '')})"
            elif space == "torch.optim":
                found[f"torch.optim.{name}"] = f"torch.optim.{name}({OPTIMISERS.get(name, DEFAULT_OPTIMISER)})"
            elif space == "torch.optim.lr_scheduler" and name != "Optimizer":
                optimiser = "" if name == "ChainedScheduler" else "opt, "
                found[f"{space}.{name}"] = f"{space}.{name}({optimiser}{SCHEDULES.get(name, '')})"
            elif space == "torch.utils.data":
                found[f"{space}.{name}"] = f"{space}.{name}({DATA.get(name, '')})"
    return found


# Classes that only others derive from.
ABSTRACT = frozenset(["torch.optim.lr_scheduler.LRScheduler"])


def world() -> str:
    """A program that holds an instance of every class."""
    made = [f"made.append({text})" for name, text in expressions().items() if name not in ABSTRACT]
    spaces = "spaces = [torch, nn, F, math, np, torch.linalg, torch.special, torch.func, torch.backends.cudnn]\n"
    return IMPORTS + OBJECTS + spaces + "made = []\n" + "\n".join(made) + "\n"
