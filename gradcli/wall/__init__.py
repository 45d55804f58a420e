"""What stands around a process that runs a stranger's program: how it is started, watched, heard and ended."""
