# torch.nn.utils.rnn.
import torch


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    longest = max([sequence.shape[0] for sequence in sequences])
    rows = []
    for sequence in sequences:
        padding = torch.full((longest - sequence.shape[0],) + tuple(sequence.shape[1:]), padding_value, dtype=sequence.dtype)
        rows.append(torch.cat([sequence, padding] if padding_side == "right" else [padding, sequence]))
    return torch.stack(rows, 0 if batch_first else 1)
