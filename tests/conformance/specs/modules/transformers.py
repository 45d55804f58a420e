# Encoders and decoders of attention.
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, dropout=0.0, batch_first=True)
print(layer)
encoder = nn.TransformerEncoder(layer, num_layers=2)
x = torch.randn(2, 5, 8)
out = encoder(x)
print(out.shape, out[0, 0])
mask = nn.Transformer.generate_square_subsequent_mask(5)
print(mask)
print(encoder(x, mask=mask)[0, 1])
padding = torch.tensor([[False, False, False, True, True], [False] * 5])
print(encoder(x, src_key_padding_mask=padding)[0, 1])
encoder.eval()
with torch.no_grad():
    print(encoder(x, src_key_padding_mask=padding)[0])
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, norm_first=True), 1, nn.LayerNorm(8))
memory, target = torch.randn(4, 2, 8), torch.randn(3, 2, 8)
decoded = decoder(target, memory, tgt_mask=nn.Transformer.generate_square_subsequent_mask(3))
print(decoded[0, 0])
(decoded**2 * torch.arange(8.0)).sum().backward()
print(decoder.layers[0].linear1.weight.grad[:2, :3])
layers = {"num_encoder_layers": 1, "num_decoder_layers": 1, "dim_feedforward": 16}
model = nn.Transformer(d_model=8, nhead=2, batch_first=True, **layers)
print(model(torch.randn(2, 3, 8), torch.randn(2, 4, 8))[0, 0])
print(sum(p.numel() for p in model.parameters()), len(model.state_dict()))
try:
    model(torch.ones(1, 2, 8), torch.ones(2, 2, 8))
except RuntimeError as error:
    print(error)
