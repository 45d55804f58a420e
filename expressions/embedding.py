"""Embedding: a table whose rows are looked up, and the gradient that comes back to the rows.

A word that occurs twice receives two gradients, added up; a word that does not occur receives none,
its row stays zero. The same lookup is a product with one-hot rows, at a higher price.
"""

import torch
import torch.nn.functional as F

words = ["the", "cat", "sat", "on", "mat"]
sentence = ["the", "cat", "sat", "on", "the"]
rows = torch.tensor([words.index(word) for word in sentence])

table = torch.linspace(-1, 1, 10).reshape(5, 2).requires_grad_()
vectors = F.embedding(rows, table)
print(vectors)

loss = (vectors * torch.tensor([[1.0, 2.0]])).sum()
loss.backward()
for word, row in zip(words, table.grad.tolist()):
    print(f"{word:>4} occurs {sentence.count(word)} times: gradient {row}")

one_hot = F.one_hot(rows, num_classes=5).to(table.dtype)
print("as a product:", torch.equal(one_hot @ table, vectors))
