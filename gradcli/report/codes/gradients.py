"""The codes of what a check can find of a gradient."""

from __future__ import annotations

from .entry import Code

CODES = {
    "G101": Code(
        title="wrong gradient",
        meaning="""\
The backward says one number, and the derivative of what the forward computes
is another: further away than the error of the measurement allows, by as many
error bars as the message says. The place shown is the backward that is wrong,
where it could be found.""",
        wrong="""\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * 2 * x
x = torch.tensor([0.5, -1.2], requires_grad=True)
Cube.apply(x).sum().backward()""",
        right="""\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * 3 * x ** 2
x = torch.tensor([0.5, -1.2], requires_grad=True)
Cube.apply(x).sum().backward()""",
        advice="""\
The signature often names the mistake: a factor, a transposition, the gradient
of another argument. The column `ratio` is the claim divided by the truth: equal
ratios are a missing factor. A spec that means to be wrong (a straight-through
estimator, a surrogate for the gradient of a step, which is 0, a clipped
gradient) says so: `# gradcli: allow wrong`.""",
    ),
    "G102": Code(
        title="wrong gradient at a kink",
        meaning="""\
The function has a kink here: its slopes on the left and on the right differ.
Any number between the two is a gradient, as PyTorch's own conventions are, and
the claim is none of them. Entries that meet the kink together must fit
together, too: where the function is smooth along a direction that moves several
of them at once, the claim has to be exact along it.""",
        wrong="""\
gradcli check 'abs(x)' x=0 --claim 'x=2'""",
        right="""\
gradcli check 'abs(x)' x=0""",
        advice="""\
Compare the claim with the slopes on both sides, or choose another point. If
the gradient at this one does not matter, `# gradcli: allow kink` names it as an
exception.""",
    ),
    "G103": Code(
        title="wrong gradient at the edge of the domain",
        meaning="""\
The function exists on one side of this point only, as sqrt does at 0. The
derivative from that side is the gradient, and the claim is another number.""",
        wrong="""\
gradcli check 'sqrt(x)**3' x=0 --claim 'x=1'""",
        right="""\
gradcli check 'sqrt(x)**3' x=1""",
        advice="""\
Choose a point inside the domain, or correct the backward at its edge.
`# gradcli: allow edge` names an exception.""",
    ),
    "G104": Code(
        title="the function jumps",
        meaning="""\
The values on the two sides of this point do not meet, however small the step:
there is no derivative, and no gradient is right. Rounding, comparisons and
integer conversions jump; so does a function that divides by 0 with a change of
sign.""",
        wrong="""\
gradcli check 'floor(x) + x' x=2""",
        right="""\
gradcli check 'floor(x) + x' x=2.5""",
        advice="""\
Choose a point away from the jump, or name it as an exception:
`# gradcli: allow discontinuity`.""",
    ),
    "G105": Code(
        title="not the same twice",
        meaning="""\
The program was run twice with the same seed and the same inputs, and its result
or its gradient differed in at least one bit: no derivative can be measured.""",
        wrong="",
        right="",
        advice="""\
Look for a backward that keeps a state between calls, or draws random numbers.
The place shown is the first node that differs.""",
    ),
    "G106": Code(
        title="a path around the graph",
        meaning="""\
Every rule in the graph is right, but the program uses an input on a path that
the graph does not have: through detach(), .item(), .data, no_grad, or a Python
`if` on a value. The gradient is that of the graph and not that of the program.
The place shown is where the path left the graph.""",
        wrong="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x * x.detach()).sum()
loss.backward()""",
        right="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (x * x).sum()
loss.backward()""",
        advice="""\
If the path is meant, as in a straight-through estimator or a target that must
not be trained, say so: `# gradcli: allow hidden-path`.""",
    ),
    "G107": Code(
        title="a slope without bound",
        meaning="""\
The slope grows without end as the step gets smaller, as that of sqrt does at 0,
and the claim is a finite number. An infinite claim passes.""",
        wrong="""\
gradcli check 'sign(x) * sqrt(abs(x))' x=0 --claim 'x=1'""",
        right="""\
gradcli check 'sign(x) * sqrt(abs(x))' x=1""",
        advice="""\
Choose a point where the function has a slope, or add what keeps it away from
that point, as in sqrt(x + 1e-12).""",
    ),
    "G108": Code(
        title="an inaccurate gradient",
        meaning="""\
The gradient is right to six digits or more and wrong beyond them: more than
rounding explains. A constant in float32, an approximate formula, or a backward
in which large numbers cancel does that. It passes, unless --strict is given.""",
        wrong="""\
gradcli check 'x * 3' x=2 --claim 'x=3.0000001' --strict""",
        right="""\
gradcli check 'x * 3' x=2 --claim 'x=3' --strict""",
        advice="""\
Write constants with all their digits, and derivatives in a form that does not
cancel. `# gradcli: allow inaccurate` names an exception under --strict.""",
    ),
    "G109": Code(
        title="a gradient too small for the function to feel",
        meaning="""\
The claim and the derivative differ, but by so little that no change of the
input makes the function's value differ in its last digit: a tanh far out, or a
small number added to a large one. It passes, unless --strict is given.""",
        wrong="""\
gradcli check '1e20 + x' x=1 --claim 'x=1.5' --strict""",
        right="""\
gradcli check '1.0 + x' x=1 --strict""",
        advice="""\
Check at a point where the function responds. `# gradcli: allow saturated` names
an exception under --strict.""",
    ),
    "G110": Code(
        title="fewer verified digits than were asked for",
        meaning="""\
The gradient agrees with the measurement, but the measurement is not as close
as `--digits` or `# gradcli: digits=N` wants it to be.""",
        wrong="""\
gradcli check 'sin(x)' x=1 --digits 17""",
        right="""\
gradcli check 'sin(x)' x=1 --digits 10""",
        advice="""\
Ask for fewer digits, or choose a point where less cancels.""",
    ),
    "G111": Code(
        title="the numbers cannot tell",
        meaning="""\
The claim agrees with the measurement, and so would many wrong ones: the error
bar is as wide as the gradient itself. What it comes from is said beside it,
most often cancellation. This is no verdict: the exit code is 2.""",
        wrong="",
        right="",
        advice="""\
Choose inputs of a usual size, or write the program so that less cancels.
`# gradcli: allow unresolved` names an exception.""",
    ),
    "G112": Code(
        title="two measurements disagree",
        meaning="""\
Finite differences and complex step, both with their error bars, say different
numbers, and the claim may be either. This is no verdict: the exit code is 2.""",
        wrong="",
        right="",
        advice="""\
Both numbers are shown: compare them with the derivative that you expect. A
function that is not what its formula says in complex numbers may cause it.
`# gradcli: allow witness-conflict` names an exception.""",
    ),
    "G113": Code(
        title="no number here",
        meaning="""\
The function, or its gradient, is infinite or not a number at this point, or on
both sides of it. There is nothing to compare a claim with: this is no verdict,
and the exit code is 2.""",
        wrong="""\
gradcli check 'log(x)' x=-1""",
        right="""\
gradcli check 'log(x)' x=1""",
        advice="""\
Choose a point inside the domain of the function. `# gradcli: allow domain`
names an exception.""",
    ),
    "G114": Code(
        title="nothing to check",
        meaning="""\
The program ran, and there is no gradient in it that could be wrong: no input
wants one, or no result depends on any. A check that checks nothing is no
success: the exit code is 2.""",
        wrong="""\
import torch
x = torch.tensor([1.0, 2.0])
print((x * x).sum())""",
        right="""\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()""",
        advice="""\
Give an input requires_grad=True and call backward() on a result, or name the
result with --output.""",
    ),
    "G115": Code(
        title="a side that nobody could look at",
        meaning="""\
A branch by value, or a kink of a custom Function, has a side that no point was
found for: neither the given one nor those that were reached by moving the
inputs. With `--require-coverage` the exit code is 1; without it, it is a note.""",
        wrong="""\
gradcli check 'x if x*x > -1 else exp(x)' x=1 --require-coverage""",
        right="""\
gradcli check 'x if x*x > 9 else exp(x)' x=1 --require-coverage""",
        advice="""\
Choose a point nearer to that side, make a spec for each side, or remove a side
that no values lead to. `# gradcli: allow uncovered` names an exception.""",
    ),
    "G116": Code(
        title="wrong tangent",
        meaning="""\
A Function has a jvp, which the forward mode asks for its tangents, and they do
not fit what its backward says: weighed by the same numbers, the two come to
different sums. Differences of the forward say that it is the jvp that is wrong.
The gradient itself is right.""",
        wrong="""\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * 3 * x ** 2
    @staticmethod
    def jvp(ctx, tangent):
        x, = ctx.saved_tensors
        return tangent * 2 * x ** 2
x = torch.tensor([0.5, -1.2], requires_grad=True)
Cube.apply(x).sum().backward()""",
        right="""\
import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x ** 3
    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * 3 * x ** 2
    @staticmethod
    def jvp(ctx, tangent):
        x, = ctx.saved_tensors
        return tangent * 3 * x ** 2
x = torch.tensor([0.5, -1.2], requires_grad=True)
Cube.apply(x).sum().backward()""",
        advice="""\
A jvp is the derivative of the outputs along the tangents of the arguments: what
the backward multiplies by, applied the other way round. A Function with a right
backward needs none where nobody asks for its forward mode.""",
    ),
}
