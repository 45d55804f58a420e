"""Complex tensors: their parts, and what other families do to them. Nothing here is read before there is one."""
