"""The samples that a vmap computes one after the other, of which PyTorch knows only the batch.

What it does with a batch at once it cannot do by the numbers of one sample: the first sample is watched for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import EngineError
from ..graph import LEAF, next_sequence_number, node_of
from ..modes import mode, vmap_around
from ..numeric.halves import is_half
from ..ops.words_of_writes import ARITHMETIC, AT_ONCE, INDEXED
from ..tape.before import Before
from ..tape.tape import edge_of
from ..tensor import Tensor
from ..writes.inplace import DRAWN, OF_NUMBERS, put, whole
from .at_once import Known, Steps, same
from .captured import captures, referred

_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
_BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
_NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"
# How a number may be read of a tensor, and why not of a sample's.
_READ = {"item": _ITEM, "number": _ITEM, "bool": _BRANCH, "tolist": _NO_STORAGE, "numpy": _NO_STORAGE}

_SHARED = (
    "vmap: {op}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has more "
    "elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over "
    "{where}. Please try to use out-of-place operators instead of {op}. If said operator is being called inside the "
    "PyTorch framework, please file a bug report instead."
)
_HELP = "a function inside of vmap cannot write to what all samples share: hand it on as an argument"


def drawn() -> EngineError:
    """The error for a random number where none may be drawn."""
    return EngineError(
        "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
        "randomness flags on vmap or perform the randomness operation out of vmap"
    )


class Held:
    """A tensor's numbers at a time, to come back to."""

    __slots__ = ("numbers", "tensor", "version")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.numbers = tensor._memory().copy()
        self.version = tensor._counter().n

    def restore(self) -> None:
        """Come back to them, and to the count of writes."""
        if mode.tape is not None:
            mode.tape.before_write(self.tensor._a)
            mode.tape.written(self.tensor, mode.tape.cuts_of((self.tensor,)))
        put(self.tensor, self.numbers)
        self.tensor._counter().n = self.version


class Samples:
    """The samples of one vmap, and what each of them writes to: not to what its samples have in common."""

    def __init__(self, function: Any, mapped_over: list[Tensor], size: int, randomness: str) -> None:
        self._function = function
        self.randomness = randomness
        # The counters of memory in which each sample has a place of its own; those that were written to alike.
        self._own = {x._counter() for x in mapped_over}
        self._alike: set[Any] = set()
        # Of those, as they were before: each sample begins with that, and writes to it itself.
        self._before: dict[Any, Held] = {}
        self._written: dict[Any, int] = {}
        self._size = size
        self._watch: Watch | None = None
        # Those of the samples that are watched, the last one last.
        self._watches: list[Watch] = []
        # Where they wait for each other, if they may: an InStep.
        self.in_step: Any = None
        self.now = 0
        # What the present sample was given, each with the batch that it is of and the axis of that.
        self.given: list[tuple[Tensor, Tensor, int]] = []
        # Nodes that were there before, and have run for a sample for the last time that was asked for.
        self._spent: list[Any] = []
        # Where the first sample's tensors lay in their memory, each time it was asked, and how often each sample asked.
        self._offsets: list[int | None] = []
        # What was drawn for all samples at once, with how it was drawn, and how often each sample has drawn.
        self._drawn: list[tuple[Any, ...]] = []
        self._turns: dict[int, int] = {}
        self._asked: dict[int, int] = {}

    def __enter__(self) -> Samples:
        self._began = next_sequence_number()
        mode.samples += 1
        mode.transforms += 1
        self.level = mode.transforms
        self._levels = set() if mode.duals is None else set(mode.duals.levels)
        mode.writes = (*mode.writes, self)
        return self

    def __exit__(self, *_: object) -> None:
        mode.samples -= 1
        mode.transforms -= 1
        mode.writes = mode.writes[:-1]
        for watch in self._watches:
            watch.forget()
        outer = vmap_around()
        if outer is not None:
            outer.spend(self._spent)
        else:
            for node in self._spent:
                node.saved = None

    def spend(self, nodes: Sequence[Any]) -> None:
        """Free nodes that have run; those that were there before the samples have to run for the others, too."""
        for node in nodes:
            if node.kind != LEAF and node.saved:
                if node.seq < self._began:
                    self._spent.append(node)
                else:
                    node.saved = None

    def left(self) -> list[Tensor] | None:
        """All tensors that the function refers to, if the first sample has left one of its own among them."""
        seen = [*referred(self._function)]
        return seen if any(map(self.depends, seen)) else None

    def escaped(self, seen: Sequence[Tensor] | None) -> list[Tensor]:
        """Tensors of samples that the function has left where it refers to them; ``seen`` after the first sample."""
        if seen is None:
            return []
        known = set(map(id, seen))
        return [t for t in referred(self._function) if self.depends(t) or id(t) not in known]

    def watched(self) -> Watch:
        """A watch for a sample: the first one, or another that it is compared with."""
        watch = Watch(mode.tape, self)
        self._watch = self._watch or watch
        self._watches.append(watch)
        return watch

    def depends(self, t: Any) -> bool:
        """Tell whether a tensor depends on the sample, as far as the first one is watched."""
        return self._watch is not None and self._watch.depends(t)

    def add(self, t: Tensor) -> None:
        """Note that a tensor depends on the sample."""
        if self._watch is not None:
            self._watch.add(t)

    def refuse(self, t: Any, words: str, error: type[Exception] = EngineError) -> None:
        """Refuse what cannot be done with a tensor that depends on the sample."""
        if self._watch is not None and self._watch.depends(t):
            raise error(words)

    def draws(self) -> None:
        """See that a random number is drawn."""
        if self.randomness == "error":
            raise drawn()

    def part_of_draws(self, draw: Callable[..., Any], n: int, how: tuple[Any, ...]) -> Any:
        """The ``n`` numbers of the present sample among those that ``draw`` gives all of them at once.

        Samples draw the same in the same order. One that does not, by the numbers it has, draws for itself.
        """
        turn = self._turns.get(self.now, 0)
        self._turns[self.now] = turn + 1
        if self.now == 0:
            count = max(self._size, 1)
            self._drawn.append((draw, n, how, draw(count * n, *how).reshape(count, n)))
        *kind, numbers = self._drawn[turn] if turn < len(self._drawn) else (None, None)
        return numbers[self.now].copy() if kind == [draw, n, how] else draw(n, *how)

    def may_be_one(self, made: Sequence[Any]) -> bool:
        """Tell whether the whole batch may be computed at once, as the first sample was, which came to this."""
        steps = None if self._watch is None else self._watch.steps
        return steps is not None and steps.are_all and not any(isinstance(x, Tensor) and x.requires_grad for x in made)

    def by_the_first(self, made: Sequence[Any]) -> list[Any] | None:
        """For each thing that the first sample came to, those of all; None for what all share.

        It is None where the first sample alone does not tell what all have in common.
        """
        if not self._size:
            # The sample that stands for those of an empty batch is none of them.
            return None
        (first,) = self._watches
        known = Known(first.common, first.batch.copy(), self._size)
        return known.of_one(first.steps, made, lambda: referred(self._function))

    def of_this(self, t: Tensor) -> Any:
        """A tensor of the first sample as it is for all of them, as far as that is known by now; None otherwise."""
        if self._watch is None or self.now or not self._watch.depends(t):
            return None
        found = self.by_the_first([t])
        return None if found is None else found[0]

    def of_batch(self, made: Sequence[Any], also: Sequence[Any]) -> list[Any] | None:
        """For each thing that the first sample came to, those of all; None for what all share.

        ``also``: what the other one came to that was watched. It is None where samples have to be computed one by one.
        """
        first, last = self._watches
        known = Known(first.common, first.batch, self._size)
        return known.of_batch(first.steps, last.steps, made, also)

    def _is_not_all(self) -> None:
        """Note that a sample does more than what ops make."""
        if self._watches:
            self._watches[-1].steps.are_all = False

    def writes(self, t: Tensor, function: Any, args: Sequence[Any], name: str) -> bool:
        """Tell whether a write is to be made: to memory that all samples share, in the same way, by the first alone."""
        self._is_not_all()
        counter = t._counter()
        if counter in self._own:
            return True
        if self._watch is not None and self.now == 0:
            if self._watch.depends(t):
                return True
            if self.randomness == "different" and getattr(function, "op", None) in DRAWN:
                raise EngineError(
                    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like "
                    "same randomness. If this is necessary for your usage, please file an issue with functorch."
                )
            if any(map(self._watch.depends, _flat(args))):
                if self._watch.is_common(t) or captures(self._function, t):
                    raise EngineError(self._why(t, function), help=_HELP)
                self._watch.add(whole(t))
                self._written[counter] = 0
                self._alike.discard(counter)
                self._before.pop(counter, None)
            elif counter not in self._written:
                # What is made anew for each sample is written to by each.
                was_there = id(whole(t)._a) not in self._watch.made
                if was_there and counter not in self._alike and self._is_of_numbers(t, args):
                    self._before[counter] = Held(whole(t))
                self._alike.add(counter)
            return True
        if counter in self._before:
            return True
        if counter in self._alike:
            return False
        if self._written.setdefault(counter, self.now) != self.now:
            raise EngineError(self._why(t, function), help=_HELP)
        return True

    def _is_of_numbers(self, t: Tensor, args: Sequence[Any]) -> bool:
        """Tell whether a write changes numbers alone: no place in a graph, and no tangents of levels around."""
        followed = [x for x in (whole(t), *_flat(args)) if isinstance(x, Tensor)]
        if mode.grad and any(x.requires_grad for x in followed):
            return False
        return not any(x._tangents and self._levels.intersection(x._tangents) for x in followed)

    def held(self) -> list[Held]:
        """The tensors that samples write to alike, as they are now."""
        return [Held(held.tensor) for held in self._before.values()]

    def back(self, to: Sequence[Held] = ()) -> None:
        """Let what samples write to alike be as it was before the first did, or as it was held then."""
        for held in {**self._before, **{held.tensor._counter(): held for held in to}}.values():
            held.restore()

    def reshapes(self, t: Tensor, name: str) -> None:
        """See that a tensor becomes another view of its own memory: each sample has its own."""
        self._is_not_all()

    def beyond_the_first(self, t: Tensor, offset: int) -> int | None:
        """The number of places after the first sample's tensor at which one lies; None of what all samples share.

        Samples ask for the same tensors in the same order.
        """
        k = self._asked.get(self.now, 0)
        self._asked[self.now] = k + 1
        if self.now == 0:
            self._offsets.append(offset if self.depends(t) else None)
        first = self._offsets[k]
        return None if first is None else offset - first

    def made(self, t: Tensor) -> None:
        """See a tensor that is made of nothing: what all samples share."""
        if self._watch is not None and self.now == 0:
            a = t._held()
            self._watch.common[id(a)] = self._watch.made[id(a)] = a

    def begins(self, t: Tensor) -> None:
        """See memory that each sample makes for itself, whatever it will hold."""
        if self._watch is not None and self.now == 0:
            self._watch.made[id(t._held())] = t._held()

    def made_like(self, t: Tensor, x: Any) -> None:
        """See a tensor that is made in the place of another."""
        if self._watch is not None and self.now == 0:
            del self._watch.common[id(t._held())]
            if self._watch.depends(x):
                self._watch.add(t, self._of_each(t._a))

    def _of_each(self, a: Any) -> Any:
        """An array that all samples have in common, for each of them; None of what is no plain array."""
        plain = isinstance(a, (np.ndarray, np.generic)) and not is_half(a.dtype)
        return np.broadcast_to(a, (self._size, *a.shape)) if plain else None

    def moved(self, number: Any, memory: Any) -> None:
        """See a number of a tensor put where others may share it."""
        if self._watches:
            self._watches[-1].moved(number, memory)

    def looks(self, look: Any, args: Sequence[Any]) -> None:
        """See numbers being looked at for an error: ``look(*args)`` raises it."""
        if self._watches:
            self._watches[-1].steps.add(look, args, ())

    def _why(self, t: Tensor, function: Any) -> str:
        name = getattr(function, "__name__", "").removesuffix("_written")
        if name in AT_ONCE:
            shape = list(t.shape)
            return f"output with shape {shape} doesn't match the broadcast shape {[self._size, *shape]}"
        if function in OF_NUMBERS or name == "index_put":
            return _SHARED.format(op="index_put_" if name == "index_put" else "fill_", where="in a vmap")
        if name in ARITHMETIC:
            return _SHARED.format(op="inplace arithmetic", where="in a vmap")
        if name == "bernoulli_by":
            return _SHARED.format(op="inplace bernoulli", where="in a vmap")
        if name in INDEXED:
            return _SHARED.format(op=f"{name}_", where="in a vmap")
        return _SHARED.format(op=f"aten::{name}_", where=f"at level {mode.samples}")


class Watch(Before):
    """Stands where a tape does, and before one: sees what is computed of the samples, and what is read of that."""

    def __init__(self, tape: Any, samples: Samples) -> None:
        super().__init__(tape)
        self._samples = samples
        # What depends on the sample: arrays by their id(), which are held so that no other has it, and nodes.
        self._arrays: dict[int, Any] = {}
        self._nodes: set[Any] = set()
        # What does not, by what it is made of: arrays by their id().
        self.common: dict[int, Any] = {}
        # What was not there before the sample, whatever it depends on.
        self.made: dict[int, Any] = {}
        self.steps = Steps()
        # For the array of this sample, by its id(), that of all.
        self.batch: dict[int, Any] = {}

    def __enter__(self) -> Watch:
        mode.use(self)
        return self

    def __exit__(self, *_: object) -> None:
        mode.use(self.tape)

    def forget(self) -> None:
        """Let go of all that was seen."""
        self._arrays.clear()
        self._nodes.clear()
        self.common.clear()
        self.made.clear()
        self.batch.clear()
        self.steps.steps.clear()

    def add(self, t: Tensor, batch: Any = None) -> None:
        """Note that a tensor depends on the sample, and what it is for all of them."""
        a = t._held()
        self._arrays[id(a)] = a
        if batch is not None:
            self.batch[id(a)] = batch

    def depends(self, t: Any) -> bool:
        """Tell whether a tensor depends on the sample."""
        if not isinstance(t, Tensor):
            return False
        if id(t._held()) in self._arrays or (t._base is not None and id(t._base._a) in self._arrays):
            return True
        return node_of(edge_of(t)) in self._nodes

    def is_common(self, t: Tensor) -> bool:
        """Tell whether a tensor is known not to depend on the sample."""
        return id((t if t._base is None else t._base)._a) in self.common

    def record(self, node: Any, op: Any, args: Sequence[Any], outs: Sequence[Any], names: Sequence[str] = ()) -> None:
        """See an op that is recorded."""
        if self.tape is not None:
            self.tape.record(node, op, args, outs, names)
        else:
            node.entry = None
        if self._see(args, outs):
            self._nodes.add(node)
        self.steps.add(op, args, outs)

    def several_unrecorded(self, results: Sequence[Tensor | None], args: Sequence[Any], op: Any = None) -> None:
        """See results that are not recorded."""
        if self.tape is not None:
            self.tape.several_unrecorded(results, args, op)
        for t in results:
            if t is not None:
                self._see_unrecorded(t, args, op)

    def unrecorded(self, t: Tensor, args: Sequence[Any], op: Any = None) -> None:
        """See a result that is not recorded."""
        if self.tape is not None:
            self.tape.unrecorded(t, args, op)
        self._see_unrecorded(t, args, op)

    def _see_unrecorded(self, t: Tensor, args: Sequence[Any], op: Any) -> None:
        if isinstance(t._a, np.bool_):
            # NumPy has one True and one False for all: this one is to be told from others.
            t._a = np.asarray(t._a)
        self._see(args, (t._a,))
        self.steps.add(op, args, (t._a,))

    def _see(self, args: Sequence[Any], made: Sequence[Any]) -> bool:
        """Note arrays that were made of some arguments; tell whether these depend on the sample."""
        self.made.update({id(a): a for a in made})
        given = [x for x in _flat(args) if isinstance(x, Tensor)]
        depends = any(map(self.depends, given))
        if depends:
            self._arrays.update({id(a): a for a in made})
        elif all(map(self.is_common, given)):
            self.common.update({id(a): a for a in made})
        return depends

    def cut(self, t: Tensor, source: Tensor, reason: str) -> None:
        """See a tensor that leaves the graph."""
        if self.tape is not None:
            self.tape.cut(t, source, reason)
        self.moved(source._a, t._a)
        if self.depends(source):
            self.add(t)

    def moved(self, a: Any, to: Any) -> None:
        """See an array that has the numbers of another one."""
        if to is not a:
            for seen in (self._arrays, self.common):
                if id(a) in seen:
                    seen[id(to)] = to
            self.steps.add(same, (a,), (to,))

    def escaped(self, source: Tensor, how: str) -> None:
        """Refuse to read numbers of a sample."""
        self._samples.refuse(source, _READ[how])
        if self.tape is not None:
            self.tape.escaped(source, how)


def _flat(args: Sequence[Any]) -> list[Any]:
    """The arguments of an op, those in lists one by one."""
    return [x for a in args for x in (a if type(a) in (list, tuple) else (a,))]
