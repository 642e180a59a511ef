"""Fine-tunes a small classifier with the whole model in half precision."""

import torch
from torch import nn
from torch.optim import AdamW

from data import loader


def main():
    model = nn.Sequential(nn.Linear(512, 512), nn.GELU(), nn.Linear(512, 4)).cuda().half()
    optimizer = AdamW(
        model.parameters(),
        lr=2e-4,  # found with a sweep in fp32
        betas=(0.9, 0.98),
    )
    loss_fn = nn.CrossEntropyLoss()
    for step, (x, y) in enumerate(loader(), start=1):
        loss = loss_fn(model(x.cuda().half()).float(), y.cuda())
        if not torch.isfinite(loss):
            raise FloatingPointError(f"loss is {loss.item()} at step {step}")
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)


if __name__ == "__main__":
    main()
