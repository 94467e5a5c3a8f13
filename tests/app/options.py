"""Do help, manual and completions name the commands, lessons, options and parameters that there are? options.py ONESTEP MANUAL BASH ZSH FISH

`onestep list --options` is the program's own table; all four are held against it, and the program against the table.
Speaks TAP.
"""
import functools
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import tap

onestep, manual, bash, zsh, fish = sys.argv[1:]


@functools.lru_cache(maxsize=None)
def said(*arguments):
    return subprocess.run([onestep, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


TABLE = json.loads(said("list", "--options", "--format", "json").stdout)
COMMANDS = [command for command in TABLE["commands"] if command["name"] != "onestep"]
PARAMETERS = TABLE["parameters"]
LISTED = json.loads(said("list", "--format", "json").stdout)
LESSONS = LISTED["lessons"] + LISTED["models"]  # a model has no number


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
    text = said("--help").stdout
    for command in COMMANDS:
        assert re.search(rf"^  onestep (help |\[)?{command['name']}\b", text, re.M), command["name"]
    for lesson in LESSONS:
        number = f"{lesson['number']:5}" if "number" in lesson else " " * 5
        assert f"\n{number}  {lesson['lesson']} " in text, lesson["lesson"]


def help_about_a_model_names_its_parameters():
    for model in LISTED["models"]:
        text = said("help", model["lesson"]).stdout
        named = {option[2:].replace("-", "_") for option in re.findall(r"^  (--[a-z-]+)", text, re.M)}
        assert named == set(model["parameters"]), named


def section(text, macro, title):
    """What stands below a heading of the manual, up to the next."""
    end = "Sh" if macro == "Sh" else "S[sh]"
    return re.search(rf"^\.{macro} {title}\n(.*?)(?=^\.{end} |\Z)", text, re.M | re.S)[1]


def check_items(text, options):
    for option in options:
        assert re.search(rf"^\.It .*Fl -{option['name'][2:]}( |$)", text, re.M), option["name"]


def manual_names_them():
    text = text_of(manual)
    assert "@" not in text
    commands, synopsis = section(text, "Sh", "COMMANDS"), section(text, "Sh", "SYNOPSIS")
    check_items(section(text, "Sh", "PARAMETERS"), PARAMETERS)
    for command in COMMANDS:
        check_items(section(commands, "Ss", command["name"]), command["options"])
        forms = [form for form in synopsis.split(".Nm\n") if re.search(rf"^\.(Op )?Cm (help )?{command['name']}$", form, re.M)]
        for option in command["options"]:
            assert any(re.search(rf"Fl -{option['name'][2:]}( |$)", form, re.M) for form in forms), (command["name"], option["name"])
        formats = [choice for option in command["options"] if option["name"] == "--format" for choice in option["choices"]]
        for choice in formats:
            assert re.search(rf"^\.It Cm (.*, )?{choice}( ,|$)", section(text, "Sh", "FORMATS"), re.M), \
                f"data/onestep.1 has no '.It Cm {choice}' under FORMATS"


def manual_names_lessons():
    text = text_of(manual)
    for lesson in LESSONS:
        number = f"No {lesson['number']} " if "number" in lesson else ""
        found = re.search(rf"^\.It {number}Cm {lesson['lesson']}\n(.*?)^\.(It|El)", section(text, "Sh", "LESSONS"), re.M | re.S)
        assert found, lesson["lesson"]
        named = re.findall(r"\\-\\-([a-z-]+)", re.search("Parameters: .*", found[1])[0])
        assert {name.replace("-", "_") for name in named} == set(lesson["parameters"]), (lesson["lesson"], named)
    for model in LISTED["models"]:
        check_items(section(text, "Ss", model["lesson"]), [{"name": "--" + name.replace("_", "-")} for name in model["parameters"]])


def manual_has_two_dashes():
    """Fl writes the first dash of the word behind it alone; another word keeps the one that it has."""
    for line in text_of(manual).splitlines():
        words = line[1:].split() if re.match(r"\.(?!B[dl] )", line) else []
        for before, word in zip(words, words[1:]):
            assert not re.match(r"-\w", word) or before == "Fl", line


def completed(*words):
    """What bash offers for the last word."""
    script = (f"source '{bash}'; COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; _onestep; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")
    out = subprocess.run(["bash", "-c", script], env=environment(os.getcwd()), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         encoding="utf-8")
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
    lessons = {lesson["lesson"] for lesson in LESSONS}
    assert completed("onestep", "''") == {command["name"] for command in COMMANDS} | {"help"} | lessons
    for command in TABLE["commands"]:
        name, wanted = command["name"].replace("onestep", "help"), set(command["names"])
        wanted |= lessons if command["takes_lesson"] else set()
        assert completed("onestep", name, "''") == wanted, (name, wanted)


def others_name_everything():
    """What zsh and fish read names everything, with quotes that close."""
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


# What is typed behind `onestep` up to a Tab, and what it becomes: a command, a lesson, a step of it, an option, a choice.
TYPED = {
    "prac": "practice",
    "print caus": "print causal",
    "print causal --step conte": "print causal --step context",
    "print gp": "print gpt",
    "print al": "print all",
    "list gp": "list gpt",
    "print gpt --step perp": "print gpt --step perplexity",
    "gpt --new-": "gpt --new-tokens",
    "check causal --thor": "check causal --thorough",
    "causal --dropout-s": "causal --dropout-seed",
    "print causal --format mark": "print causal --format markdown",
    "print causal --what-if mask-z": "print causal --what-if mask-zero",
    "gpt2 med": "gpt2 medium",
    "help form": "help formulas",
}


def environment(home):
    """Finds this onestep and no settings of whoever runs the tests."""
    place = os.path.dirname(os.path.abspath(onestep))
    return {"PATH": f"{place}:{os.environ['PATH']}", "HOME": home, "ZDOTDIR": home, "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def fish_completes():
    if not shutil.which("fish"):
        raise tap.Skipped("no fish here")
    for typed, wanted in TYPED.items():
        with tempfile.TemporaryDirectory() as home:
            out = subprocess.run(["fish", "--no-config", "-c", f"source '{fish}'; complete -C 'onestep {typed}'"],
                                 env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        assert out.stderr == "", out.stderr
        offered = [line.split("\t")[0] for line in out.stdout.splitlines()]
        assert offered == [wanted.split()[-1]], (typed, offered)


ZSHRC = """
fpath=({folder} $fpath)
autoload -Uz compinit && compinit -u -d ~/compiled
zle-line-init() {{ [[ -e ~/typed ]] || : >~/typed }}
complete-and-note() {{ zle expand-or-complete; print -r -- "$BUFFER" >>~/typed; BUFFER= }}
zle -N zle-line-init
zle -N complete-and-note
bindkey '^I' complete-and-note
"""


def typed_in_zsh(home):
    """The lines that zsh has noted so far; None before it reads keys."""
    path = os.path.join(home, "typed")
    return text_of(path).splitlines() if os.path.exists(path) else None


def zsh_completes():
    """On a terminal of its own: it completes nothing elsewhere. Tab completes the line and notes it, and nothing is typed ahead."""
    if not shutil.which("zsh"):
        raise tap.Skipped("no zsh here")
    if not tap.has_terminals():
        raise tap.Skipped("no pseudo-terminals here")
    with tempfile.TemporaryDirectory() as home:
        with open(os.path.join(home, ".zshrc"), "w", encoding="utf-8") as file:
            file.write(ZSHRC.format(folder=os.path.dirname(os.path.abspath(zsh))))
        child, keys = pty.fork()
        if child == 0:
            os.execvpe("zsh", ["zsh", "-d", "-i"], environment(home))
        left, deadline = [f"onestep {typed}" for typed in TYPED], time.monotonic() + 120
        asked, said = 0, b""
        while time.monotonic() < deadline and len(typed_in_zsh(home) or []) < len(left):
            if typed_in_zsh(home) is not None and len(typed_in_zsh(home)) == asked:
                os.write(keys, f"{left[asked]}\t".encode())
                asked += 1
            if select.select([keys], [], [], 0.05)[0]:
                said += os.read(keys, 65536)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(keys)
        completed_lines = [line.rstrip() for line in typed_in_zsh(home) or []]
        assert completed_lines == [f"onestep {wanted}" for wanted in TYPED.values()], (completed_lines, said.decode())


TESTS = [commands_take_them, choices_are_all, help_names_them, help_about_a_model_names_its_parameters,
         manual_names_them, manual_names_lessons, manual_has_two_dashes, bash_completes, others_name_everything,
         fish_completes, zsh_completes]
sys.exit(tap.run(TESTS))
