# Embeddings looked up by index; rows that were not used stay at zero.
import torch
import torch.nn as nn

vocab = {word: i for i, word in enumerate("the cat sat on a mat".split())}
sentences = [["the", "cat", "sat"], ["a", "mat"]]
torch.manual_seed(0)
emb = nn.Embedding(len(vocab), 3)
print(emb)
vectors = []
for words in sentences:
    idx = torch.tensor([vocab[w] for w in words], dtype=torch.long)
    vectors.append(emb(idx).mean(0))
stacked = torch.stack(vectors)
print(stacked)
stacked.sum().backward()
print(emb.weight.grad[:, 0])
unused = [w for w in vocab if emb.weight.grad[vocab[w]].abs().sum() == 0]
print(unused)
padded = nn.Embedding(4, 2, padding_idx=0)
print(padded(torch.tensor([0, 0])).tolist())
