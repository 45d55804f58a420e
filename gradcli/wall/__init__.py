"""The wall behind the interpreter: what a process that runs a stranger's program gives up before it starts.

Here belongs what holds if the interpreter errs: the kernel's own limits on a process, the hook that ends one where the
kernel has none, and whatever starts, watches and ends such a process. Nothing here knows what a program is.
"""
