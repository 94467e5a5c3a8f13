"""Do help, manual and completions say of options what the command line takes? options.py ONESTEP MANUAL BASH ZSH FISH

`onestep list --options` is the program's own table; all four are held against it, and the program against the table.
Speaks TAP.
"""
import json
import re
import subprocess
import sys

onestep, manual, bash, zsh, fish = sys.argv[1:]


def said(*arguments):
    return subprocess.run([onestep, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


TABLE = json.loads(said("list", "--options", "--format", "json").stdout)
COMMANDS = [command for command in TABLE["commands"] if command["name"] != "onestep"]
PARAMETERS = TABLE["parameters"]


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def all_options():
    for command in COMMANDS:
        for option in command["options"] + (PARAMETERS if command["takes_parameters"] else []):
            yield command["name"], option


def commands_take_them():
    """An option with a value says that it needs one, a switch that it takes none; others are unknown."""
    for command, option in all_options():
        asked = option["name"] if option["value"] else option["name"] + "=x"
        wanted = f"{option['name']} needs a value" if option["value"] else f"{option['name']} takes no value"
        error = said(command, asked).stderr
        assert wanted in error, (command, option["name"], error)
    every = {option["name"] for _, option in all_options()}
    for command in COMMANDS:
        own = {option["name"] for name, option in all_options() if name == command["name"]}
        for name in every - own:
            assert f"{command['name']} has no option '{name}'" in said(command["name"], name).stderr, (command["name"], name)


def choices_are_all():
    """What is no choice is refused with all of them."""
    for command, option in all_options():
        if option["choices"] and "any" not in option["choices"]:
            *others, last = option["choices"]
            wanted = f"takes {', '.join(others)} or {last}, not 'nothing'"
            assert wanted in said(command, option["name"], "nothing").stderr, (command, option["name"])


def help_names_them():
    for command, option in all_options():
        text = said(command, "--help").stdout
        assert re.search(rf"^  (-\w, )?{option['name']}( {option['value']})?  *\S", text, re.M), (command, option["name"])


def manual_names_them():
    text = text_of(manual)
    assert "@" not in text
    for section, end in (("PARAMETERS", "OPTIONS"), ("OPTIONS", "FORMATS")):
        part = text[text.index(f".Sh {section}\n") : text.index(f".Sh {end}\n")]
        named = PARAMETERS if section == "PARAMETERS" else [option for command in COMMANDS for option in command["options"]]
        for option in named:
            assert re.search(rf"^\.It .*Fl -{option['name'][2:]}( |$)", part, re.M), option["name"]


def completed(*words):
    """What bash offers for the last word."""
    script = (f"source '{bash}'; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _onestep; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    out = subprocess.run(["bash", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    assert out.stderr == "", out.stderr
    return set(out.stdout.split())


def bash_completes():
    for command in COMMANDS:
        offered = completed("onestep", command["name"], "--")
        assert offered == {name["name"] for name in command["options"]} | {"--help", "--version"} | (
            {p["name"] for p in PARAMETERS} if command["takes_parameters"] else set()), (command["name"], offered)
        for option in command["options"]:
            if option["choices"]:
                given = completed("onestep", command["name"], option["name"], "''")
                assert given == set(option["choices"]), (command["name"], option["name"], given)
    assert {"walk", "print", "bench"} <= completed("onestep", "''")


def others_complete():
    """Their shells are not here; what they read names everything, with quotes that close."""
    for path, form in ((zsh, "{}["), (fish, " -l {}")):
        text = text_of(path)
        assert not re.search(r"@[A-Z]+@", text), path
        for _, option in all_options():
            name = option["name"] if path == zsh else option["name"][2:]
            assert form.format(name) in text, (path, name)
        for line in text.split("\n"):
            if "_arguments" not in line and re.match(r"\s*('|complete)", line):
                bare = re.sub(r"'\\''" if path == zsh else r"\\'", "", line)
                assert bare.count("'") % 2 == 0, (path, line)


TESTS = [commands_take_them, choices_are_all, help_names_them, manual_names_them, bash_completes, others_complete]
print(f"1..{len(TESTS)}")
failed = 0
for number, test in enumerate(TESTS, 1):
    try:
        test()
        print(f"ok {number} - {test.__name__.replace('_', ' ')}")
    except AssertionError as error:
        failed += 1
        print(f"not ok {number} - {test.__name__.replace('_', ' ')}\n# {error}")
sys.exit(failed > 0)
