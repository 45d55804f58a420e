"""Precision: what single and half precision take from a gradient that is right in double."""
