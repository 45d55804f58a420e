"""The wall behind the interpreter: what a process that runs a stranger's program gives up, and who watches over it.

Here belongs what holds if the interpreter errs: how such a process is started, heard and ended from outside, the
kernel's own limits on it, and the hook that ends it where the kernel has none. Nothing here knows what a program is.
"""
