"""The memory under tensors: storages, the order of elements in them, the device they are on, and who shares them."""
