"""Writes a C file that holds the bytes of other files: embed.py OUTPUT NAME=FILE ..."""
import sys


def embed(name, data):
    rows = [", ".join(f"'\\x{byte:02x}'" for byte in data[i : i + 12]) for i in range(0, len(data), 12)]
    body = ",\n    ".join(rows + ["'\\0'"])
    return (f"const char data_{name}[] = {{\n    {body}}};\n"
            f"const size_t data_{name}_length = {len(data)};\n")


output, *files = sys.argv[1:]
parts = ['#include "trace/run/data.h"\n']
for item in files:
    name, _, path = item.partition("=")
    with open(path, "rb") as file:
        parts.append(embed(name, file.read()))
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(parts))
