# torch.utils.data: one process, in order or shuffled as PyTorch draws it.
import torch


class Dataset:
    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    def __init__(self, *tensors):
        if any([tensor.shape[0] != tensors[0].shape[0] for tensor in tensors]):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self):
        return self.tensors[0].shape[0]


class Subset(Dataset):
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    if sum(lengths) <= 1:
        sizes = [int(len(dataset) * part) for part in lengths]
        for i in range(len(dataset) - sum(sizes)):
            sizes[i % len(sizes)] += 1
        lengths = sizes
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order, parts, start = torch.randperm(len(dataset), generator=generator or torch.default_generator).tolist(), [], 0
    for length in lengths:
        parts.append(Subset(dataset, order[start:start + length]))
        start += length
    return parts


def default_collate(batch):
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(batch, 0)
    if isinstance(first, bool) or isinstance(first, int):
        return torch.tensor(batch)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, str):
        return batch
    if isinstance(first, dict):
        return {key: default_collate([item[key] for item in batch]) for key in first}
    if any([len(item) != len(first) for item in batch]):
        raise RuntimeError("each element in list of batch should be of equal size")
    return [default_collate(list(items)) for items in zip(*batch)]


class DataLoader:
    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, generator=None):
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        self.dataset, self.batch_size, self.shuffle, self.sampler, self.num_workers = dataset, batch_size, bool(shuffle), sampler, num_workers
        self.collate_fn, self.drop_last, self.generator = collate_fn or default_collate, drop_last, generator

    def __len__(self):
        count = len(self.dataset if self.sampler is None else self.sampler)
        return count // self.batch_size if self.drop_last else (count + self.batch_size - 1) // self.batch_size

    def __iter__(self):
        torch.empty((), dtype=torch.int64).random_(generator=self.generator)
        return _Batches(self)


class _Batches:
    def __init__(self, loader):
        self.loader, self.order, self.at = loader, None, 0

    def _draw_order(self):
        loader = self.loader
        if not loader.shuffle:
            return list(range(len(loader.dataset)) if loader.sampler is None else loader.sampler)
        generator = loader.generator
        if generator is None:
            generator = torch.Generator().manual_seed(torch.empty((), dtype=torch.int64).random_().item())
        return torch.randperm(len(loader.dataset), generator=generator).tolist()

    def __iter__(self):
        return self

    def __next__(self):
        loader = self.loader
        if self.order is None:
            self.order = self._draw_order()
        places = self.order[self.at:self.at + loader.batch_size]
        if not places or (loader.drop_last and len(places) < loader.batch_size):
            if loader.shuffle and loader.generator is not None and self.at >= 0:
                torch.randperm(len(loader.dataset), generator=loader.generator)  # PyTorch's sampler draws for a rest of none
            self.at = -1
            raise StopIteration
        self.at += loader.batch_size
        return loader.collate_fn([loader.dataset[i] for i in places])
