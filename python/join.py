"""Writes the module onestep.py: join.py OUTPUT COMPARE ASK. Its description stands first, then what notebooks carry."""
import sys

output, compare, ask = sys.argv[1:]
with open(compare, encoding="utf-8") as file:
    carried = file.read()
with open(ask, encoding="utf-8") as file:
    _, description, asking = file.read().split('"""', 2)
with open(output, "w", encoding="utf-8") as file:
    file.write(f'"""{description}"""\n{carried}\n\n{asking.lstrip()}')
