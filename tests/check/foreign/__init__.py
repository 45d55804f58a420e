"""Functions that were not written for gradcli."""
