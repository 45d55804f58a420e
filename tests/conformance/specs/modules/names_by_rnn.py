import torch
import torch.nn as nn

torch.manual_seed(0)
class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(input_size + hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)
    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        hidden = self.i2h(combined)
        output = self.softmax(self.i2o(combined))
        return output, hidden
    def initHidden(self):
        return torch.zeros(1, self.hidden_size)
import string

all_letters = string.ascii_letters + " .,;'"
n_letters = len(all_letters)
def lineToTensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][all_letters.find(letter)] = 1
    return tensor
rnn = RNN(n_letters, 16, 3)
criterion = nn.NLLLoss()
def train(category_tensor, line_tensor):
    hidden = rnn.initHidden()
    rnn.zero_grad()
    for i in range(line_tensor.size()[0]):
        output, hidden = rnn(line_tensor[i], hidden)
    loss = criterion(output, category_tensor)
    loss.backward()
    for p in rnn.parameters():
        p.data.add_(p.grad.data, alpha=-0.05)
    return output, loss.item()
for name, cat in [("Satoshi", 0), ("Jackson", 1), ("Albert", 2)] * 2:
    out, l = train(torch.tensor([cat], dtype=torch.long), lineToTensor(name))
    top_n, top_i = out.topk(1)
    print(name, cat, top_i[0].item(), f"{l:.4f}")
