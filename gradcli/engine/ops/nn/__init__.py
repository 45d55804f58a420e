"""The functions of neural networks: activations, normalisation, convolution, attention, embeddings, resampling."""
