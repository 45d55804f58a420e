"""The command line: one file per command; read, compute, show."""
