"""Writes the manual from onestep.1 and the program's own list of its options: manual.py ONESTEP TEMPLATE OUTPUT

A line `@print -step@` of the template becomes the options of a command as the synopsis names them, but --step;
`@parameters@` the items of all parameters; `@options@` those of each command's options.
"""
import json
import re
import subprocess
import sys

MANY = 6  # choices that have a section of their own
CHOICE = re.compile(r"\n(?=\w+: )")  # a line of help that explains one


def escaped(text):
    """Words as lines of mdoc, a sentence each; `these` in quotes."""
    text = re.sub(r"`([^`]*)`", r"\\(oq\1\\(cq", text.replace("\\", "\\e"))
    sentences = re.split(r"(?<=\.) (?=[A-Z\\(])", " ".join(text.split()))
    return "\n".join("\\&" + line if line[0] in ".'" else line for line in sentences)


def sentence(text):
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def usage(option):
    value = option["value"]
    if option["choices"] and len(option["choices"]) < MANY:
        value = "Cm " + " | ".join(option["choices"])
    elif value is not None:
        value = "Ar " + value.lower().replace(",", " , Ns Ar ")
    return f"Fl -{option['name'][2:]}" + (f" {value}" if value else "")


def items(options):
    for option in options:
        letter = f"Fl {option['letter'][1:]} , " if option.get("letter") else ""
        yield f".It {letter}{usage(option)}"
        is_explained = len(option["choices"]) < MANY
        yield escaped(sentence(CHOICE.sub("; ", option["help"]))) if is_explained else "See\n.Sx FORMATS ."
        if option.get("walked"):
            yield escaped(sentence(f"{option['values']}; in the walker at most {option['walked']}"))
        if option.get("more"):
            yield escaped(option["more"])


def synopsis(command, but):
    for option in command["options"]:
        if option["name"] not in but:
            yield f".Op {usage(option)}"
    if command["takes_parameters"]:
        yield ".Op Ar parameters"


onestep, template, output = sys.argv[1:]
said = json.loads(subprocess.run([onestep, "list", "--options", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
commands = {command["name"]: command for command in said["commands"]}


def filled(line):
    match = re.fullmatch(r"@(\w+)((?: -[\w-]+)*)@", line)
    if not match:
        return [line]
    if match[1] == "parameters":
        return items(said["parameters"])
    if match[1] != "options":
        return synopsis(commands[match[1]], ["-" + name for name in match[2].split()])
    lines = []
    for name, command in commands.items():
        if command["options"]:
            lines += [f".Ss {name}", ".Bl -tag -width Ds", *items(command["options"]), ".El"]
    return lines


with open(template, encoding="utf-8") as file:
    lines = [new for line in file.read().splitlines() for new in filled(line)]
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
