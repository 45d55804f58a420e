"""Programs that hand what they should not to whatever takes something: registrations, states, copies, formats."""

from __future__ import annotations

from random import Random
from string import Formatter

from . import atoms

# {v} a value, {n} a name in quotes, {a} a bare name, {f} something to call, {o} an object, {m} a template, {c} an op.
DOORS = (
    "copy.deepcopy({o}, {v})", "copy.deepcopy({o})", "copy.copy({o})", "copy.copy({v})", "checkpoint({f}, {v})",
    "checkpoint({f}, {v}, use_reentrant=False).sum().backward()", "{o}.load_state_dict({v})", "{o}.state_dict()",
    "{o}.load_state_dict({{**{o}.state_dict(), {n}: {v}}})",
    "torch.optim.lr_scheduler.LambdaLR(opt, {f}).state_dict()",
    "torch.optim.lr_scheduler.LambdaLR(opt, {f}).load_state_dict({{'lr_lambdas': [{{{n}: {v}}}], {n}: {v}}})",
    "torch.optim.lr_scheduler.CyclicLR(opt, 0.1, 0.2, cycle_momentum=False, scale_fn={f}).state_dict()",
    "torch.optim.lr_scheduler.StepLR(opt, 2).load_state_dict({{{n}: {v}}})",
    "x.register_hook({f}), z.backward(retain_graph=True)", "z.grad_fn.register_hook({f}), z.backward()",
    "z.grad_fn.register_prehook({f}), z.backward()", "p.register_post_accumulate_grad_hook({f}), p.sum().backward()",
    "layer.register_forward_hook({f}), layer(torch.ones(2))",
    "layer.register_forward_pre_hook({f}), layer(torch.ones(2))",
    "layer.register_forward_hook({f}, with_kwargs={v}), layer(torch.ones(2))",
    "layer.register_full_backward_hook({f}), layer(x).sum().backward()",
    "layer.register_full_backward_pre_hook({f}), layer(x).sum().backward()",
    "layer.register_{a}({f})", "opt.register_step_post_hook({f}), opt.step()", "opt.step({f})", "opt.step({v})",
    "layer.register_load_state_dict_post_hook({f})", "layer.register_state_dict_pre_hook({f})",
    "nn.ParameterDict({{{n}: {v}}})[{n}]", "b[{n}]", "b.pop({n})", "b.update({{{n}: {v}}})", "b.setdefault({n}, {v})",
    "b.get({n}, {v})", "{n} in b", "list(b.items())", "nn.ModuleDict({{{n}: layer}})[{n}]",
    "nn.ParameterList([{v}])[{v}]",
    "nn.ModuleList([layer])[{v}]", "net[{v}]", "net.insert({v}, {v})", "net.append({v})", "b.{a}({v})",
    "layer.get_parameter({n})", "layer.get_buffer({n})", "layer.get_submodule({n})", "net.get_submodule('0.' + {n})",
    "net.get_parameter('0.' + {n})", "net.get_buffer('0.' + {n})", "net.set_submodule({n}, {v})",
    "layer.register_buffer({n}, {v})", "layer.register_parameter({n}, {v})", "layer.add_module({n}, {v})",
    "layer.register_module({n}, {v})", "{o}.__setattr__({n}, {v})", "{o}.__getattr__({n})", "{o}.__dict__",
    "getattr({o}, {n})", "getattr({v}, {n})", "getattr(getattr({o}, {n}), {n})", "setattr({o}, {n}, {v})",
    "setattr(type({o}), {n}, {v})", "delattr({o}, {n})", "hasattr({o}, {n})", "vars({v})", "dir({v})", "{o}.{a}",
    "{o}.{a}()", "{o}.{a}({v})", "{v}.{a}.{a}", "{o}.{a}[{v}]", "super(type({o}), {o}).{a}", "super(Liar, liar).{a}",
    "{m}.format({o})", "{m}.format({v}, {o}, x={o})", "{m} % {v}", "{m} % {{{n}: {o}}}", "{m}.format_map({o})",
    "{m}.format_map({{{n}: {o}}})", "format({o}, {m})", "f'{{{o}:>9}}'", "f'{{liar!r:}}{{liar}}'", "str({v})",
    "repr({v})",
    "DataLoader({v}, collate_fn={f})", "list(DataLoader([1, 2], collate_fn={f}))", "list(DataLoader({v}))",
    "list(DataLoader([1, 2], sampler={v}))", "list(DataLoader([1, 2], batch_sampler={v}))",
    "list(DataLoader([1, 2], batch_size={v}, generator={v}, worker_init_fn={f}))",
    "torch.utils.data.default_collate([{v}])",
    "torch.utils.data.Subset({v}, {v})[{v}]", "torch.utils.data.ConcatDataset([{v}, {v}])[{v}]",
    "torch.utils.data.random_split({v}, {v})", "list(torch.utils.data.WeightedRandomSampler({v}, {v}))",
    "torch.func.vmap({f})({v})", "torch.func.grad({f})({v})", "torch.func.jacrev({f})(x)", "torch.func.vjp({f}, x)",
    "torch.func.functional_call({o}, {{{n}: {v}}}, {v})", "torch.func.functional_call(layer, {{{n}: x}}, (x,))",
    "torch.func.stack_module_state([{v}, {v}])", "torch.autograd.functional.jacobian({f}, x)",
    "torch.autograd.functional.vhp({f}, x, {v})", "torch.autograd.grad({v}, {v}, {v})", "torch.autograd.backward({v})",
    "x.apply_({f})", "x.detach().map_(x, {f})", "x.detach().apply_({f})", "sorted([liar, liar, {v}], key={f})",
    "sorted({v})",
    "min([{v}, {v}], key={f})", "list(map({f}, [{v}]))", "list(filter({f}, [{v}]))",
    "functools.reduce({f}, [{v}, {v}])",
    "functools.partial({f}, {v})({v})", "functools.wraps({v})({f})", "functools.partial({f}).{a}",
    "list(itertools.accumulate([{v}, {v}], {f}))", "list(itertools.groupby([{v}], {f}))",
    "operator.itemgetter({v})({v})",
    "dataclasses.replace({v}, **{{{n}: {v}}})", "dataclasses.asdict({v})", "dataclasses.field(default_factory={f})",
    "dataclasses.dataclass({v})", "contextlib.contextmanager({f})().__enter__()",
    "contextlib.suppress({v}).__enter__()",
    "contextlib.nullcontext({v}).__enter__()", "collections.namedtuple({n}, {v})",
    "collections.namedtuple('P', [{n}])(1)",
    "collections.defaultdict({f})[{v}]", "collections.Counter({v})", "collections.OrderedDict({v}).move_to_end({v})",
    "collections.deque({v}, {v})", "nn.utils.parametrize.register_parametrization(layer, {n}, {v})",
    "nn.utils.parametrize.register_parametrization(layer, 'weight', {v}), layer.weight",
    "nn.utils.parametrize.remove_parametrizations(layer, {n})", "nn.utils.weight_norm({v}, {n})",
    "nn.utils.spectral_norm({v}, {n})", "nn.utils.remove_weight_norm({v}, {n})",
    "nn.utils.parametrizations.weight_norm({v}, {n})", "nn.utils.parametrizations.spectral_norm({v}, {n})",
    "nn.TransformerEncoderLayer(2, 1, 2, activation={v})", "nn.RNN(2, 2, nonlinearity={v})", "nn.RNNBase({v}, 2, 2)",
    "nn.RNNCell(2, 2, nonlinearity={v})(torch.ones(2))", "nn.GELU({v})(x)", "nn.init.calculate_gain({v}, {v})",
    "nn.TripletMarginWithDistanceLoss(distance_function={f})(x, x, x)", "nn.DataParallel({v})({v})",
    "nn.Upsample(scale_factor={v}, mode={v})(x)", "nn.Parameter({v})", "nn.Buffer({v})", "torch.tensor({v})",
    "torch.tensor([{v}])",
    "torch.zeros({v}, dtype={v})", "torch.ones(2, dtype={v}, device={v})", "torch.as_tensor({v}, dtype={v})",
    "x.to({v})",
    "x.type({v})", "x.new_tensor({v})", "x[{v}]", "x.detach().__setitem__({v}, {v})", "x.view({v})", "x.reshape({v})",
    "x.permute({v})", "x.as_strided({v}, {v}, {v})", "x.expand({v})", "x.detach().clone().set_({v})",
    "torch.Size({v})", "torch.Size([{v}])",
    "torch.device({v})", "torch.finfo({v})", "torch.Generator({v})", "torch.manual_seed({v})",
    "torch.random.set_rng_state({v})",
    "torch.set_default_dtype({v})", "torch.set_printoptions(precision={v})", "torch.set_printoptions({n}, {v})",
    "{c}({v})", "{c}({v}, {v})", "{c}({v}, {v}, {v})", "{c}({v}, out={v})", "{c}(x, {v})", "{c}({v}, **{{{n}: {v}}})",
    "x.{a}({v}, {v})",
    "isinstance({v}, {v})", "issubclass({v}, {v})", "type({v})({v})", "type({v}).{a}", "{v}.__class__({v})",
    "{v} + {v}", "{v} == {v}",
    "pow({v}, {v})", "pow(np.ones(1), liar)", "np.ones(2) ** liar", "np.ones(2) * {v}", "{v} @ {v}", "{v} % {v}",
    "{v} < {v}",
    "np.array({v})", "np.array([{v}, {v}])", "np.array({v}, dtype={v})", "np.ones({v}, {v})", "np.full(2, {v})",
    "np.ones(2)[{v}]",
    "np.where({v}, {v}, {v})", "np.ones(2).{a}({v})", "np.ones(2).astype({v})", "round({v}, {v})", "divmod({v}, {v})",
    "sum([{v}], {v})",
    "int({v}, {v})", "int({v})", "float({v})", "len({v})", "hash({v})", "list({v})", "dict({v})", "set({v})",
    "str({v})", "iter({v})", "next({v})",
    "abs(liar)", "bool({v})", "any({v})", "max({v}, {v})", "range({v})", "slice({v}, {v})", "'a'.join({v})",
    "'a'.{a}({v})", "[1].{a}({v})",
    "opt.add_param_group({v})", "opt.add_param_group({{'params': [p], {n}: {v}}})", "opt.load_state_dict({v})",
    "opt.param_groups[0].update({v})",
    "opt.state.update({v}), opt.step()", "opt.param_groups.append({v}), opt.step()", "type(opt)([p], {v})",
    "type(opt)({v}, lr={v})",
    "torch.autograd.graph.saved_tensors_hooks({f}, {f}).__enter__(), (x * x).sum().backward()",
    "torch.autograd.function.once_differentiable({f})({v})", "Twice.apply({v})", "Twice.apply(x, {v}).sum().backward()",
    "Twice.forward({v}, {v})", "Twice.backward({v}, {v})", "Twice.{a}",
    "setattr(Twice, {n}, {f}), Twice.apply(x).sum().backward()",
    "kept[0].{a}", "setattr(kept[0], {n}, {v})", "kept[0].save_for_backward({v})", "x.grad_fn.{a}",
    "z.grad_fn.next_functions[0][0].{a}",
    "torch.nn.utils.rnn.PackedSequence({v}, {v}, {v}, {v})", "torch.nn.utils.rnn.pad_sequence({v})",
    "random.choice({v})",
    "random.shuffle({v})", "random.Random({v}).sample({v}, {v})", "torch.distributions.Normal({v}, {v}).sample({v})",
    "torch.distributions.Categorical({v})", "torch.distributions.{a}", "torch.distributions.Normal(x, x).{a}",
    "warnings.warn({v}, {v})",
    "warnings.warn({v})", "print({v}, sep={v}, end={v})", "print({v})", "id({o})", "x.data_ptr()", "hash(object())",
    "torch.{a}", "nn.{a}", "F.{a}", "np.{a}",
    "setattr(torch.backends.cudnn, {n}, {v})", "torch.testing.assert_close({v}, {v})", "nn.Module.{a}({v}, {v})",
    "torch.Tensor.{a}({v}, {v})",
    "layer.to({v})", "layer.apply({f})", "layer._apply({f})", "layer.requires_grad_({v})", "net.{a}({f})",
    "layer.forward({v})", "layer({v})", "net({v})",
    "contextlib.ExitStack().{a}", "enum.Enum.{a}", "Liar.{a}", "setattr(Liar, {n}, {v})", "setattr(liar, {n}, {v})",
    "liar.{a}", "{v}[{v}]", "-{v}",
)  # fmt: skip


def fill(door: str, random: Random) -> str:
    """A door with something in each of its places."""
    parts = []
    # To fill them all at once would fill two of a kind with the same.
    for before, kind, _, _ in Formatter().parse(door):
        parts += [before, "" if kind is None else _FILLERS[kind](random)]
    return "".join(parts)


def _object(random: Random) -> str:
    if random.random() < 0.5:
        return random.choice(("layer", "net", "opt", "b", "x", "z.grad_fn", "liar", "kept", "p", "scale", "Twice"))
    return random.choice(atoms.instances())


_FILLERS = {
    "v": lambda random: f"({atoms.value(random)})",
    "n": atoms.quoted,
    "a": atoms.name,
    "f": lambda random: f"({atoms.function(random)})",
    "o": _object,
    "m": atoms.template,
    "c": atoms.op,
}


def tries(random: Random, most: int = 8) -> str:
    """Some doors, each of which is tried whatever came of the others."""
    lines = []
    for _ in range(random.randint(1, most)):
        lines.append(f"t(lambda: ({fill(random.choice(DOORS), random)}))")
    return "\n".join(lines) + "\n"


def program(random: Random) -> str:
    """A whole program of that kind."""
    text = tries(random)
    base = random.choice(("", "", "", "Exception", "nn.Module", "torch.utils.data.Dataset"))
    return atoms.whole(atoms.liar(random, base) + text if "iar" in text else text, random)
