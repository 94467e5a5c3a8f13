"""Writes the module onestep.py: join.py OUTPUT COMPARE ASK MORE... The module begins with the description of ask.py. Then
come compare.py, which notebooks carry too, and the rest of ask.py and of the others."""
import sys

output, *parts = sys.argv[1:]
texts = []
for part in parts:
    with open(part, encoding="utf-8") as file:
        texts.append(file.read())
compare, ask, *others = texts
_, description, asking = ask.split('"""', 2)
with open(output, "w", encoding="utf-8") as file:
    file.write("\n\n".join([f'"""{description}"""\n{compare}', asking.lstrip(), *others]))
