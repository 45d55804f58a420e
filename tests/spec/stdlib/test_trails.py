"""The lines that led to an error, and what a program warns of, as Python tells of them."""

from __future__ import annotations

import io
import linecache
import sys
import warnings
from contextlib import redirect_stdout

import pytest

from gradcli.errors import GradcliError
from tests.spec.running import printed, program

LED = [
    """\
def f(d, k):
    return d[k] + 1
def g(x):
    try:
        return f({}, x)
    except KeyError:
        raise
def h():
    try:
        g('k')
    except KeyError as e:
        raise ValueError('bad') from e
try: h()
except ValueError: print(traceback.format_exc(), traceback.format_exc(limit=1), traceback.format_exc(chain=False))
""",
    """\
try:
    try:
        1/0
    except ZeroDivisionError:
        [].foo
except AttributeError as e:
    traceback.print_exception(e, file=sys.stdout)
    print(traceback.format_exception(ValueError('never raised')))
""",
    """\
class Both:
    def __enter__(self): return self
    def __exit__(self, *error): return False
def k(a):
    try:
        with Both():
            a.append(
                len(3))
    finally:
        a = 1
try: k([])
except TypeError as e:
    try: raise e
    except TypeError: traceback.print_exc(file=sys.stdout)
""",
    """\
def f(i): return 1 // i
def gen():
    yield 1
    yield f(0)
def through(): yield from gen()
many = [lambda: [f(i) for i in (1, 0)], lambda: list(through())]
for t in (*many, lambda: sum(f(i) for i in (0,)), lambda: {f(0) for i in [1]}):
    try: t()
    except ZeroDivisionError: print(traceback.format_exc())
""",
    """\
def again(e): raise e
try: assert 1 == 2, 'no'
except AssertionError as e:
    try: again(e)
    except AssertionError: print(traceback.format_exc())
def here(): traceback.print_stack(file=sys.stdout, limit=2)
here()
""",
    """\
def f(): return 1 // 0
def g(): return f()
try: g()
except ZeroDivisionError as e:
    tb = sys.exc_info()[2]
    print(tb.tb_lineno, tb.tb_next.tb_next.tb_lineno, tb.tb_next.tb_frame.f_code.co_name, tb.tb_next.tb_next.tb_next)
    print(tb.tb_frame.f_code.co_filename, [n for _, n in traceback.walk_tb(tb)])
    print([tuple(frame) for frame in traceback.extract_tb(tb)], traceback.format_tb(e.__traceback__, 1))
    print(traceback.format_list([('a.py', 3, 'f', 'x = 1')]))
    print(list(traceback.TracebackException.from_exception(e).format()))
""",
]


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="which frames there are is told as Python 3.11 does")
@pytest.mark.parametrize("text", LED)
def test_the_lines_that_led_to_an_error(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"import sys, traceback\n{text}"
    monkeypatch.setitem(linecache.cache, "spec.py", (len(text), None, text.splitlines(keepends=True), "spec.py"))
    expected = io.StringIO()
    with redirect_stdout(expected):
        exec(compile(text, "spec.py", "exec", dont_inherit=True), {"__name__": "__main__"})
    assert printed(text) == expected.getvalue()


def test_lines_end_where_pythons_do() -> None:
    with pytest.raises(GradcliError) as caught:
        printed("text = 'a\x0cb\x1cc'\r\n\x0c\r\ndef f(): return 1 / 0\r\nf()\r\n")
    assert caught.value.notes == ("f was called in line 4: f()",)


WARNED = """\
import warnings
class Own(UserWarning): pass
def f(): warnings.warn("of the caller", stacklevel=2)
f()
for _ in range(2): warnings.warn("once at a place")
with warnings.catch_warnings(record=True) as kept:
    warnings.simplefilter("always")
    f()
    warnings.warn(Own("own"))
print([(str(w.message), w.category.__name__, w.lineno, w.filename) for w in kept])
warnings.filterwarnings("ignore", "not", Own)
warnings.warn("not this", Own)
warnings.warn("but this", Own)
warnings.filterwarnings("ignore", module="elsewhere")
warnings.warn("here", DeprecationWarning)
warnings.filterwarnings("ignore")
warnings.warn("no more")
"""


def test_what_a_program_warns_of() -> None:
    with warnings.catch_warnings(record=True) as shown:
        said = printed(WARNED)
    assert said == "[('of the caller', 'UserWarning', 8, 'spec.py'), ('own', 'Own', 9, 'spec.py')]\n"
    assert [(str(w.message), w.category.__name__, w.lineno) for w in shown] == [
        ("of the caller", "UserWarning", 4), ("once at a place", "UserWarning", 5), ("but this", "Own", 13),
        ("here", "DeprecationWarning", 15),
    ]  # fmt: skip


def test_what_a_program_filters_ends_with_it() -> None:
    before = list(warnings.filters)
    program("import warnings\nwarnings.simplefilter('ignore')\nwarnings.warn('unseen')\n").run()
    assert list(warnings.filters) == before
