"""R08 hit 4. Page: codegenes.net stateful LSTM.
ends: ok
"""
import torch
import torch.nn as nn

torch.manual_seed(42)


class StatefulLSTM(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers):
        super(StatefulLSTM, self).__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.lstm = nn.LSTM(input_size, hidden_size, num_layers, batch_first=True)
        self.fc = nn.Linear(hidden_size, 1)
        self.hidden = None

    def reset(self, batch_size):
        self.hidden = (
            torch.zeros(self.num_layers, batch_size, self.hidden_size),
            torch.zeros(self.num_layers, batch_size, self.hidden_size),
        )

    def forward(self, x):
        if self.hidden is None:
            self.reset(x.size(0))
        out, self.hidden = self.lstm(x, self.hidden)
        self.hidden = tuple([h.detach() for h in self.hidden])
        return self.fc(out[:, -1, :])


model = StatefulLSTM(3, 5, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(2):
    model.reset(4)
    for batch in range(3):
        inputs, targets = torch.randn(4, 6, 3), torch.randn(4, 1)
        optimizer.zero_grad()
        outputs = model(inputs)
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
    print(f"Epoch {epoch + 1}, Loss: {loss.item():.4f}")
print(model)
