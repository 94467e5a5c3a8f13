"""Writes the manual from onestep.1 and the program's own list of its options: manual.py ONESTEP TEMPLATE OUTPUT

A line `@print -step@` of the template becomes the options of a command as the synopsis names them, but --step;
`@parameters@` the items of all parameters; `@commands@` the help of each command and model; `@lessons@` the lessons.
"""
import json
import re
import subprocess
import sys

MANY = 6  # choices that have a section of their own


def escaped(text):
    """Words as lines of mdoc, a sentence each; `these` in quotes."""
    text = re.sub(r"`([^`]*)`", r"\\(oq\1\\(cq", text.replace("\\", "\\e"))
    text = re.sub(r"(?<!\w)--?(?=\w)", lambda dashes: r"\-" * len(dashes[0]), text)
    text = re.sub(r"[^\x00-\x7f]", lambda sign: f"\\[u{ord(sign[0]):04X}]", text)
    sentences = re.split(r"(?<=\.) (?=[A-Z\\(])", " ".join(text.split()))
    return "\n".join("\\&" + line if line[0] in ".'" else line for line in sentences)


def sentence(text):
    """With a capital, unless it begins with a name, "torch: "."""
    first = re.match(r"(\w+)[,:]", text)
    is_name = first is not None and first[1] in names
    return (text if is_name else text[0].upper() + text[1:]) + ("" if text.endswith(".") else ".")


def usage(option):
    value = option["value"]
    if option["choices"] and len(option["choices"]) < MANY:
        value = "Cm " + " | ".join(option["choices"])
    elif value is not None:
        value = "Ar " + value.lower().replace(",", " , Ns Ar ")
    return f"Fl -{option['name'][2:]}" + (f" {value}" if value else "")


def explained(option):
    """What an option does: a sentence or two, or an item for each of many choices."""
    choices = "|".join(option["choices"]) or "$^"
    explanations = re.split(rf"\n(?=(?:{choices})[\w, ]*: )", option["help"])
    if len(option["choices"]) < MANY:
        return [escaped(sentence("; ".join(explanations).replace(":; ", ": ")))]
    lines = [".Bl -tag -width markdown -compact"]
    for explanation in explanations:
        chosen, about = explanation.split(": ", 1)
        lines += [f".It Cm {chosen.replace(', ', ' , ')}", escaped(sentence(about))]
    return [*lines, ".El", "See also", ".Sx FORMATS ."]


def items(options):
    for option in options:
        letter = f"Fl {option['letter'][1:]} , " if option.get("letter") else ""
        yield f".It {letter}{usage(option)}"
        yield from explained(option)
        if option.get("walked"):
            yield escaped(sentence(f"{option['values']}; in the walker at most {option['walked']}"))
        if option.get("more"):
            yield escaped(option["more"])


def literal(text):
    return [".Bd -literal", escaped_lines(text), ".Ed"]


def escaped_lines(text):
    return "\n".join("\\&" + line.replace("\\", "\\e").replace("-", "\\-") for line in text.splitlines())


def paragraphs(text):
    """Paragraphs of help; lines of an example are indented."""
    for paragraph in filter(None, (text or "").strip("\n").split("\n\n")):
        yield from literal(paragraph) if paragraph.startswith(" ") else [".Pp", escaped(paragraph)]


def command_lines(name, command):
    usage_lines, _, prose = command["help"].partition("\n\n")
    yield f".Ss {name}"
    yield from literal(usage_lines)
    yield from paragraphs(prose)
    if command["options"]:
        yield from [".Bl -tag -width Ds", *items(command["options"]), ".El"]
    yield from paragraphs(command["more"])


def parameters_of(lesson):
    return [parameter for parameter in said["parameters"] if parameter["name"][2:].replace("-", "_") in lesson["parameters"]]


def lesson_lines():
    """The parts of the course, a list of lessons for each; the models stand behind the lessons of their part."""
    every = listed["lessons"] + listed["models"]
    for part in dict.fromkeys(lesson["part"] for lesson in every):
        yield from [f".Ss {sentence(part)[:-1]}", ".Bl -tag -width Ds"]
        for lesson in every:
            if lesson["part"] == part:
                yield " ".join([".It", *([f"No {lesson['number']}"] if "number" in lesson else []), "Cm", lesson["lesson"]])
                yield escaped(f"{sentence(lesson['title'])} {sentence(lesson['summary'])}")
                if lesson["book"]:
                    yield escaped(f"Book: {sentence(lesson['book'])}")
                yield escaped(f"Parameters: {', '.join(p['name'] for p in parameters_of(lesson))}.")
        yield ".El"


def synopsis(command, but):
    for option in command["options"]:
        if option["name"] not in but:
            yield f".Op {usage(option)}"
    if command["takes_parameters"]:
        yield ".Op Ar parameters"


onestep, template, output = sys.argv[1:]
said, listed = (json.loads(subprocess.run([onestep, "list", *more, "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
                for more in (["--options"], []))
names = {choice for command in said["commands"] for option in command["options"] for choice in option["choices"]}
names |= {model["name"] for model in said["models"]}
commands = {command["name"]: command for command in said["commands"]}
models = {model["name"]: {**model, "options": parameters_of(lesson)} for model, lesson in zip(said["models"], listed["models"])}


def filled(line):
    match = re.fullmatch(r"@(\w+)((?: -[\w-]+)*)@", line)
    if not match:
        return [line]
    if match[1] == "parameters":
        return items(said["parameters"])
    if match[1] == "lessons":
        return lesson_lines()
    if match[1] != "commands":
        return synopsis(commands[match[1]], ["-" + name for name in match[2].split()])
    return [line for name, command in [*commands.items(), *models.items()] if name != "onestep" for line in command_lines(name, command)]


with open(template, encoding="utf-8") as file:
    lines = [new for line in file.read().splitlines() for new in filled(line)]
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(lines) + "\n")
