"""Decision trees, as scikit-learn grows them: targets that are added up, samples in its order, node by node."""
