import torch
import torch.nn as nn

torch.manual_seed(0)
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-torch.log(torch.tensor(10000.0)) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer('pe', pe.unsqueeze(0))
    def forward(self, x):
        return x + self.pe[:, :x.size(1)]
class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, h, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
    def forward(self, x):
        m = torch.triu(torch.full((x.size(1), x.size(1)), float('-inf')), diagonal=1)
        h = self.ln1(x)
        a, w = self.attn(h, h, h, attn_mask=m, need_weights=True)
        x = x + a
        return x + self.ff(self.ln2(x)), w
pe, b = PositionalEncoding(8), Block(8, 2)
x = torch.randn(2, 4, 8)
y, w = b(pe(x))
print(y.shape, w[0])
y.sum().backward()
print(b.attn.in_proj_weight.grad.norm(), b)
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), 2)
print(enc(x).shape, sum(p.numel() for p in enc.parameters()))
