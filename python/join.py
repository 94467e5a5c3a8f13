"""Writes the module onestep.py: join.py OUTPUT COMPARE ASK. The module begins with the description of ask.py. Then come
compare.py, which notebooks carry too, and the rest of ask.py."""
import sys

output, compare, ask = sys.argv[1:]
with open(compare, encoding="utf-8") as file:
    carried = file.read()
with open(ask, encoding="utf-8") as file:
    _, description, asking = file.read().split('"""', 2)
with open(output, "w", encoding="utf-8") as file:
    file.write(f'"""{description}"""\n{carried}\n\n{asking.lstrip()}')
