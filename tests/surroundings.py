"""Importing this puts right what tests inherit from whoever started them, and what they start inherits in turn."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile

# `nohup pytest &` is started with interruptions ignored, other runners block signals: both would reach each process.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if sys.platform != "win32":
    for _number in (signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGCHLD):
        if signal.getsignal(_number) is signal.SIG_IGN:
            signal.signal(_number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())

# Whoever wants no compiled files beside the sources gets none, but what hundreds of processes read is compiled once.
if sys.dont_write_bytecode:
    if sys.pycache_prefix is None:
        # The first process of tests makes the place, and clears it away.
        _place = tempfile.mkdtemp(prefix="gradcli-tests-")
        atexit.register(shutil.rmtree, _place, ignore_errors=True)
        os.environ["PYTHONPYCACHEPREFIX"] = sys.pycache_prefix = _place
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
