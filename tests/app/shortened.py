"""Many numbers, or a long text, as its beginning and a CRC-32 of all of it."""
import zlib

MOST = {"bits": 4, "printed": 80}  # what is kept of them


def shortened(result):
    """A result of PyTorch's, as data/parts.json has it."""
    short = dict(result)
    for key, most in MOST.items():
        if len(result.get(key, "")) > most:
            short[key] = result[key][:most]
            short[key + " crc"] = f"{zlib.crc32(str(result[key]).encode()):08x}"
    return short
