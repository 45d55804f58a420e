"""Specs: small PyTorch programs, read and run by our own interpreter."""
