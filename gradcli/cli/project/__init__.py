"""Beside a single check: parts of one on several machines, and what is known of a project from before."""
