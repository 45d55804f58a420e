"""What is no tensor, in the place of one: every function of PyTorch that there is says so itself."""

from __future__ import annotations

import ast

import pytest

from gradcli.engine.calls.signatures import signatures
from gradcli.engine.tensor import Tensor
from gradcli.errors import Unsupported
from gradcli.spec.language import first_steps
from gradcli.spec.torch_names.names import NAMESPACES
from gradcli.spec.values.visible_types import renamed
from tests import rings
from tests.spec.harvest import host_classes
from tests.spec.running import printed, program

START = """\
import torch, torch.utils.checkpoint, torch.nn.utils.rnn, torch.nn.utils.parametrize, torch.nn.utils.parametrizations
from torch import nn
import torch.nn.functional as F
x = torch.ones(2, 2, requires_grad=True)
node = (x * 2).grad_fn
layer = nn.Linear(2, 1)
def t(f):
    try:
        f()
    except (TypeError, ValueError, RuntimeError, LookupError, AssertionError) as e:
        said = str(e)
        # PyTorch's own class of what is real goes by such a name.
        ours = said.replace("'_Real'", '')
        if not said or 'gradcli' in said or "'_" in ours or "'Device'" in said:
            print(wanted, '| says', said)
    except Exception as e:
        print(wanted, '|', type(e).__name__, e)
"""
SPACES = (
    "torch", "torch.nn.functional", "torch.linalg", "torch.special", "torch.nn.init", "torch.nn.utils", "torch.func",
    "torch.autograd", "torch.autograd.functional", "torch.autograd.graph", "torch.nn.utils.rnn",
    "torch.nn.utils.parametrize", "torch.nn.utils.parametrizations", "torch.utils.checkpoint", "torch.utils.data",
)  # fmt: skip
WRONG = ("torch.int64", "torch.device('cpu')", "torch.Size([2])", "layer", "node", "nn.Linear", "torch.Generator()")


def some_wrong() -> tuple[str, ...]:
    return WRONG if rings.is_full() else WRONG[::3]


def calls(space: str) -> list[str]:
    found = [f"{space}.{name}" for name in NAMESPACES[space].names() if not name.startswith("_")]
    # Files are another matter; of what is no layer PyTorch says, too, that it has no such attribute.
    others = ("torch.save", "torch.load", "torch.nn.utils.fuse_conv_bn_eval", "torch.nn.utils.fuse_linear_bn_eval")
    found = [name for name in found if name not in others]
    return [name for name in found if callable(NAMESPACES[space].find(name.rpartition(".")[2]))]


def asked(calls: list[str]) -> str:
    """What those of the calls print that end otherwise than by saying what is wrong."""
    parts: list[str] = []
    while calls:
        some = calls[:50]
        text = START + "\n".join(f"wanted = {call!r}; t(lambda: {call})" for call in some)
        try:
            program(text).run(parts.append)
            calls = calls[50:]
        except Unsupported as error:
            # What there is not says so, too, and cannot be caught.
            line = error.span.line if error.span else 0
            calls = calls[line - START.count("\n") :]
    return "".join(parts)


@rings.sampled(3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("space", SPACES)
def test_every_function_refuses_what_is_no_tensor(space: str) -> None:
    for wrong in some_wrong():
        assert asked([f"{name}{given}" for name in calls(space) for given in (f"({wrong})", f"(x, {wrong})")]) == ""


@pytest.mark.filterwarnings("ignore")
def test_every_method_of_a_tensor_refuses_what_is_no_tensor() -> None:
    # A class of its own is for those who write Python.
    names = [name for name in dir(Tensor) if not name.startswith("_") and name != "as_subclass"]
    for wrong in some_wrong():
        assert asked([f"x.{name}({wrong})" for name in names]) == ""


WORDS = {
    "F.glu(node)": "glu(): argument 'input' (position 1) must be Tensor, not MulBackward0",
    "F.rrelu(torch.int64)": "rrelu(): argument 'input' (position 1) must be Tensor, not torch.dtype",
    "torch.relu(torch.device('cpu'))": "relu(): argument 'input' (position 1) must be Tensor, not torch.device",
    "x.expand_as(torch.Size([2]))": "expand_as(): argument 'other' (position 1) must be Tensor, not torch.Size",
    "nn.utils.clip_grad_norm_([x, node], 1)": "clip_grad_norm_(): expected Tensor as element 1 in argument 0, "
    "but got MulBackward0",
    "torch.can_cast(x, torch.int64)": "can_cast(): argument 'from_' (position 1) must be torch.dtype, not Tensor",
    "layer.get_buffer(torch.int64)": "get_buffer(): argument 'target' (position 1) must be str, not torch.dtype",
    "nn.Sequential().insert(0, 3)": "module should be of type: <class 'torch.nn.modules.module.Module'>",
    "torch.func.functional_call(layer, [1])": "Expected all elements of parameter_and_buffer_dicts to be dictionaries",
}


@pytest.mark.parametrize(("call", "words"), WORDS.items())
def test_the_argument_is_named(call: str, words: str) -> None:
    text = f"{START}try:\n    {call}\nexcept (TypeError, ValueError, AssertionError) as e:\n    print(e)"
    assert printed(text) == f"{words}\n"


def test_a_missing_attribute_of_the_programs_own_is_one() -> None:
    text = START + """
class A:
    @property
    def a(self):
        return x.grad_fn.ndim
for f in (lambda: A().a, lambda: node.ndim, lambda: F.relu(A().a), lambda: layer.ndim):
    try:
        f()
    except AttributeError as e:
        print(e)
"""
    assert printed(text).count("has no attribute") == 4


HOLDERS = (
    "nn.Sequential(nn.ReLU())", "nn.ModuleList([nn.ReLU()])", "nn.ModuleDict({'a': nn.ReLU()})", "nn.Linear(2, 1)",
    "nn.ParameterList([torch.ones(2)])", "nn.ParameterDict({'a': torch.ones(2)})", "torch.Generator()",
    "torch.optim.SGD([x], lr=0.1)", "torch.optim.lr_scheduler.StepLR(torch.optim.SGD([x], lr=0.1), 2)", "node",
    "torch.utils.data.DataLoader([1, 2])", "torch.Size([2])",
)  # fmt: skip


@rings.sampled(4)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("holder", HOLDERS)
def test_the_methods_of_what_holds_others_refuse_what_they_cannot_hold(holder: str) -> None:
    names = printed(
        START + f"print(*[name for name in dir({holder}) if name.isidentifier() and name[0] != '_'])"
    ).split()
    for wrong in (*some_wrong(), "3", "[3]"):
        assert asked([f"{holder}.{n}{given}" for n in names for given in (f"({wrong})", f"(0, {wrong})")]) == ""


@pytest.mark.filterwarnings("ignore")
def test_every_class_has_in_messages_the_name_that_a_program_knows() -> None:
    assert [cls for cls in host_classes() if "gradcli." in renamed(repr(cls))] == []
    assert "gradcli." not in printed(
        START + "try:\n    nn.utils.weight_norm(node)\nexcept TypeError as e:\n    print(e)"
    )


def test_the_place_of_an_argument_is_counted_as_the_call_is_written() -> None:
    calls = ("x.mm(3)", "torch.mm(x, 3)", "x.gather(1, [1])", "torch.matmul(x)", "F.mse_loss(x)", "x.numpy('a')")
    text = START + "".join(f"try: {call}\nexcept TypeError as e: print(e)\n" for call in calls)
    assert printed(text).splitlines() == [
        "mm(): argument 'mat2' (position 1) must be Tensor, not int",
        "mm(): argument 'mat2' (position 2) must be Tensor, not int",
        "gather(): argument 'index' (position 2) must be Tensor, not list",
        'matmul() missing 1 required positional arguments: "other"',
        "mse_loss() missing 1 required positional argument: 'target'",
        "numpy() takes 0 positional arguments but 1 was given",
    ]


REFUSED = {
    "x.sum(0, 1)": "sum(): argument 'keepdim' (position 2) must be bool, not int",
    "x.max('a')": """max() received an invalid combination of arguments - got (str), but expected one of:
 * ()
      didn't match because some of the arguments have invalid types: (!str!)
 * (Tensor other)
      didn't match because some of the arguments have invalid types: (!str!)
 * (int dim, bool keepdim = False)
""",
    "torch.zeros(2, 'a')": "zeros(): argument 'size' failed to unpack the object at pos 2 with error \"type must be "
    "tuple of ints,but got str\"",
    "x.exp(1)": "TensorBase.exp() takes no arguments (1 given)",
    "x.cumsum(0, 1)": "cumsum() takes 1 positional argument but 2 were given",
    "x.add(x, alpha='a')": "add(): argument 'alpha' must be Number, not str",
    "torch.addcmul(x, x)": "addcmul() received an invalid combination of arguments - got (Tensor, Tensor), but "
    "expected (Tensor input, Tensor tensor1, Tensor tensor2, *, Number value = 1, Tensor out = None)",
    # What fits goes on to say what else is wrong.
    "x.add(torch.ones(3, 7))": "The size of tensor a (2) must match the size of tensor b (7) at "
    "non-singleton dimension 1",
    "torch.add(x, 2, torch.ones(3, 7))": "The size of tensor a (2) must match the size of tensor b (7) at "
    "non-singleton dimension 1",
    "torch.mm(Own(), x)": "own",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "words"), REFUSED.items())
def test_arguments_that_fit_no_signature_are_told_as_pytorch_tells_them(call: str, words: str) -> None:
    text = START + f"""
class Own:
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        raise ValueError("own")
x = torch.ones(3, 2)
try:
    {call}
except (TypeError, RuntimeError, ValueError) as error:
    print(error)
"""
    assert printed(text) == f"{words}\n"


# As PyTorch 2.13 says it: of layers and of functions in Python the words are those of what these do first.
OF_LAYERS = {
    "nn.Linear(2, 2)(None)": "TypeError linear(): argument 'input' (position 1) must be Tensor, not NoneType",
    "nn.MaxPool2d(2)([1.0])": "TypeError max_pool2d(): argument 'input' (position 1) must be Tensor, not list",
    "nn.Embedding(3, 2)([1, 2])": "TypeError embedding(): argument 'indices' (position 2) must be Tensor, not list",
    "nn.Conv1d(3, 3, 2)(None)": "TypeError conv1d() received an invalid combination of arguments - got (NoneType, "
    "Parameter, Parameter, tuple, tuple, tuple, int), but expected one of:\n"
    " * (Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, tuple of ints padding = 0, "
    "tuple of ints dilation = 1, int groups = 1)\n"
    "      didn't match because some of the arguments have invalid types: (!NoneType!, !Parameter!, !Parameter!, "
    "!tuple of (int,)!, !tuple of (int,)!, !tuple of (int,)!, !int!)\n"
    ' * (Tensor input, Tensor weight, Tensor bias = None, tuple of ints stride = 1, str padding = "valid", '
    "tuple of ints dilation = 1, int groups = 1)\n"
    "      didn't match because some of the arguments have invalid types: (!NoneType!, !Parameter!, !Parameter!, "
    "!tuple of (int,)!, !tuple of (int,)!, !tuple of (int,)!, !int!)\n",
    "nn.BatchNorm2d(3)(None)": "AttributeError 'NoneType' object has no attribute 'dim'",
    "nn.Flatten()((x,))": "AttributeError 'tuple' object has no attribute 'flatten'",
    "nn.GELU()('a')": "TypeError gelu(): argument 'input' (position 1) must be Tensor, not str",
    "nn.LSTM(2, 2)(None)": "AttributeError 'NoneType' object has no attribute 'dim'",
    "nn.MultiheadAttention(2, 1)(x, None, x)": "AttributeError 'NoneType' object has no attribute 'is_nested'",
    "nn.Sequential(nn.GRU(2, 2), nn.LayerNorm(2))(x)": "TypeError layer_norm(): argument 'input' (position 1) must be "
    "Tensor, not tuple",
    "Derived(2)(None)": "TypeError layer_norm(): argument 'input' (position 1) must be Tensor, not NoneType",
    "F.softmax(None, dim=1)": "AttributeError 'NoneType' object has no attribute 'softmax'",
    "F.softmax(x, 1.5)": "TypeError softmax(): argument 'dim' (position 1) must be int, not float",
    "F.mse_loss(x, None)": "AttributeError 'NoneType' object has no attribute 'size'",
    "nn.BCELoss()(x, [1.0])": "AttributeError 'list' object has no attribute 'size'",
    "F.cross_entropy(x, [0, 1])": "TypeError cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not "
    "list",
    "F.nll_loss(x, None)": "TypeError nll_loss_nd(): argument 'target' (position 2) must be Tensor, not NoneType",
    "F.leaky_relu(x, None)": "TypeError leaky_relu(): argument 'negative_slope' (position 2) must be Number, not "
    "NoneType",
    "F.interpolate(None, scale_factor=2)": "AttributeError 'NoneType' object has no attribute 'dim'",
    # What these take goes on to say what else is wrong.
    "nn.Linear(2, 2)(torch.ones(1, 5))": "RuntimeError mat1 and mat2 shapes cannot be multiplied (1x5 and 2x2)",
}


@pytest.mark.filterwarnings("ignore")
def test_layers_speak_of_wrong_arguments_as_what_they_do_first() -> None:
    text = START + "x = torch.ones(3, 2)\n"
    text += "class Derived(nn.LayerNorm):\n    pass\n"
    for call in OF_LAYERS:
        text += f"try:\n    {call}\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
    assert printed(text) == "".join(f"{words}\n" for words in OF_LAYERS.values())


def test_first_steps_hand_on_what_functions_in_c_take() -> None:
    for key in first_steps._lines():
        for step in first_steps._read(key)[2]:
            while isinstance(step, ast.BoolOp):
                step = step.values[1]
            if isinstance(step, ast.Call) and isinstance(step.func, ast.Name):
                places = [f"{place}.{step.func.id}" for place in first_steps._IN_C]
                found = next(s for place in places if (s := signatures(place)))
                count = len(step.args) + len(step.keywords)
                assert any(s.needed <= count <= len(s.parameters) for s in found), key


# As PyTorch 2.13 says it: NumPy's arrays are no tensors, though the engine could compute with them.
OF_ARRAYS = {
    "torch.exp(a)": "TypeError exp(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
    "torch.linalg.norm(a)": "TypeError linalg_norm(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
    "torch.stack([a, a])": "TypeError expected Tensor as element 0 in argument 0, but got numpy.ndarray",
    "nn.ReLU()(a)": "TypeError relu(): argument 'input' (position 1) must be Tensor, not numpy.ndarray",
    "F.softmax(a, dim=0)": "AttributeError 'numpy.ndarray' object has no attribute 'softmax'",
    "F.mse_loss(x, a)": "TypeError 'int' object is not callable",
    "print(torch.tensor([a, a]).shape, torch.as_tensor(a).dtype, (x + a).sum().item(), np.exp(a).shape)":
    "torch.Size([2, 3, 2]) torch.float32 12.0 (3, 2)",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
def test_arrays_are_refused_where_pytorch_takes_tensors() -> None:
    text = START + "import numpy as np\nx, a = torch.ones(3, 2), np.ones((3, 2), dtype=np.float32)\n"
    for call in OF_ARRAYS:
        text += f"try:\n    {call}\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
    assert printed(text) == "".join(f"{words}\n" for words in OF_ARRAYS.values())


# As PyTorch 2.13 says it: what takes no tensor for its result, and what a call names a function by.
CALLED = {
    "torch.clone(x, out=x)": "clone() got an unexpected keyword argument 'out'",
    "torch.tensor([1.0], out=x)": "tensor() got an unexpected keyword argument 'out'",
    "torch.atleast_2d(x, out=None)": "atleast_2d() got an unexpected keyword argument 'out'",
    "x.exp(out=x)": "TensorBase.exp() takes no keyword arguments",
    "x.detach().add_(1, out=x)": "add_() got an unexpected keyword argument 'out'",
    "torch.special.softmax(x.detach(), 1, out=x)": "special_softmax() got an unexpected keyword argument 'out'",
    "torch.fix(x, 1)": "fix() takes 1 positional argument but 2 were given",
    "torch.inverse('x')": "inverse(): argument 'input' (position 1) must be Tensor, not str",
    "torch.linalg.det(x, 0)": "linalg_det() takes 1 positional argument but 2 were given",
    "torch.det(x, 0)": "det() takes 1 positional argument but 2 were given",
    "torch.Tensor.put_(x, [1], x)": "put_(): argument 'index' (position 1) must be Tensor, not list",
    "torch.Tensor.item(x, dim=0)": "TensorBase.item() takes no keyword arguments",
    "print(torch.sin(x.detach(), out=torch.empty(0)).shape)": "torch.Size([2, 2])",
}  # fmt: skip


def test_a_function_goes_by_the_name_that_a_call_gives_it() -> None:
    text = START
    for call in CALLED:
        text += f"try:\n    {call}\nexcept TypeError as error:\n    print(error)\n"
    assert printed(text) == "".join(f"{words}\n" for words in CALLED.values())
