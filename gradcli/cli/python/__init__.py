"""Targets of ``--python``: functions of somebody's own code, which only that flag imports and runs."""
