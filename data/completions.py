"""Writes the completions of a shell from the program's own list of its options: completions.py bash|zsh|fish ONESTEP OUTPUT

What is here is how a shell is told; commands, options and values come from `onestep list --options`, and so do mistakes:
`onestep list --what-ifs` runs each in all lessons. Lessons and steps are asked of the program while somebody types.
"""
import json
import subprocess
import sys

FILES = {"FILE": "file", "PATH": "file", "CSV": "file", "FOLDER": "folder"}  # by what help calls a value
EVERYWHERE = [{"name": name, "letter": None, "value": None, "choices": [], "again": False, "help": text}
              for name, text in (("--help", "show help"), ("--version", "show the version"))]

BASH = r"""# Completions of onestep for bash. Lessons and steps come from the program itself.

_onestep_lessons() {
    onestep list 2>/dev/null | sed -n 's/^\([0-9][0-9]* \)\{0,1\}\([a-z0-9_]*\): .*/\2/p'
}

# Steps of a lesson as --step takes them, one a line.
_onestep_steps() {
    onestep list "$1" 2>/dev/null | awk '/^ +[0-9]/ { sub(/^ +[0-9]+ +/, ""); sub(/  .*/, ""); print }'
}

_onestep() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=walk lesson='' i
    local IFS=$'\n'
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        @COMMANDS@) command=${COMP_WORDS[i]} ;;
        -*) ;;
        *) [ -n "$lesson" ] || lesson=${COMP_WORDS[i]} ;;
        esac
    done

    case "$command $previous" in
@VALUES@
    esac

    local options='' words=''
    case $command in
@OPTIONS@
    esac
    if [[ $word == -* ]]; then
        words=$options
    elif ((COMP_CWORD == 1)); then
        words=@NAMES@$'\n'$(_onestep_lessons)
    else
        if [ "$command" = check ] && [ -n "$lesson" ]; then
            COMPREPLY=($(compgen -f -- "$word"))
            return
        fi
        case $command in
@NAMED@
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}

complete -o default -F _onestep onestep
"""

ZSH = r"""#compdef onestep
# Completions of onestep for zsh. Lessons and steps come from the program itself.

_onestep_lessons() {
    local -a lessons
    lessons=(${(f)"$(onestep list 2>/dev/null | sed -n 's/^\([0-9][0-9]* \)\{0,1\}\([a-z0-9_]*\): \(.*\)/\2:\3/p')"})
    [[ $words[2] == print ]] && lessons+=('all:all lessons')
    _describe lesson lessons
}

_onestep_steps() {
    local -a steps
    local word
    for word in ${words[2,-1]}; do
        [[ $word == -* ]] && continue
        steps=(${(f)"$(onestep list $word 2>/dev/null | awk '/^ +[0-9]/ { sub(/^ +[0-9]+ +/, ""); sub(/  .*/, ""); print }')"})
        (( $#steps )) && break
    done
    compadd -a steps
}

_onestep() {
    local -a commands parameters
    commands=(
@COMMANDS@
    )
    parameters=(
@PARAMETERS@
    )
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe command commands
        _onestep_lessons
        return
    fi
    case $words[2] in
@CASES@
    esac
}

_onestep "$@"
"""
FISH = r"""# Completions of onestep for fish. Lessons and steps come from the program itself.

function __onestep_lessons
    onestep list 2>/dev/null | string match -rg '^(?:\d+ )?([a-z0-9_]+): '
end

function __onestep_steps
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; and continue
        onestep list $word 2>/dev/null | string match -rg '^ +\d+  (.*?)  '; and return
    end
end

set -l others '__fish_seen_subcommand_from @OTHERS@'
set -l on_lessons '__fish_seen_subcommand_from @RUNNING@; or not __fish_seen_subcommand_from @RESTING@'

complete -c onestep -f
@COMMANDS@
complete -c onestep -n "$on_lessons; or __fish_seen_subcommand_from @TAKING@" -a '(__onestep_lessons)' -d lesson
@NAMED@
complete -c onestep -n '__fish_seen_subcommand_from check' -F

@OPTIONS@
"""


def description(option):
    """The first line of an option's help; that of choices of formats explains the first of them."""
    if option["name"] == "--format":
        return "format"
    return option["help"].split("\n")[0].split(";")[0].rstrip(":,")


def kind_of(option):
    """What follows an option: "step", "file", "folder", a list of words, "" for anything, None for nothing."""
    if option["value"] is None:
        return None
    return "step" if option["name"] == "--step" else option["choices"] or FILES.get(option["value"], "")


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def lines_quoted(words):
    return "$'" + "\\n".join(words) + "'"


def options_of(command, parameters):
    own = {option["name"] for option in command["options"]}
    also = [p for p in parameters if p["name"] not in own] if command["takes_parameters"] else []
    return command["options"] + also


def names_of(option):
    return [name for name in (option["letter"], option["name"]) if name]


def bash(commands, parameters):
    actions = {
        "step": 'COMPREPLY=($(compgen -W "$(_onestep_steps "$lesson")" -- "$word")) && '
                'COMPREPLY=("${COMPREPLY[@]// /\\\\ }")',
        "file": 'COMPREPLY=($(compgen -f -- "$word"))', "folder": 'COMPREPLY=($(compgen -d -- "$word"))', "": ""}
    patterns = {}
    for command in commands:
        for option in options_of(command, parameters):
            kind = kind_of(option)
            if kind is not None:
                action = actions[kind] if isinstance(kind, str) else \
                    f'COMPREPLY=($(compgen -W {lines_quoted(kind)} -- "$word"))'
                patterns.setdefault(action, []).extend(f'"{command["name"]} {name}"' for name in names_of(option))
    values = "\n".join(f"    {' | '.join(sorted(set(names)))})\n        {action + chr(10) + '        ' if action else ''}return\n        ;;"
                       for action, names in patterns.items())
    options = "\n".join(
        f"    {command['name']}) options=" + lines_quoted(
            [name for option in options_of(command, parameters) + EVERYWHERE for name in names_of(option)]) + " ;;"
        for command in commands)
    names = [command["name"] for command in commands]
    named = "\n".join(f"        {command['name']}) words=" + (lines_quoted([*command["names"], ""]) if command["names"] else "")
                      + ("$(_onestep_lessons)" if command["takes_lesson"] else "") + " ;;"
                      for command in commands if command["names"] or command["takes_lesson"])
    return (BASH.replace("@COMMANDS@", " | ".join(names)).replace("@NAMES@", lines_quoted(names))
            .replace("@VALUES@", values).replace("@OPTIONS@", options).replace("@NAMED@", named))


def zsh_option(option):
    actions = {"step": "_onestep_steps", "file": "_files", "folder": "_files -/", "": ""}
    kind, text = kind_of(option), description(option).replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    tail = f"[{text}]"
    if kind is not None:
        tail += f":{option['value'].lower()}:" + (actions[kind] if isinstance(kind, str) else f"({' '.join(kind)})")
    star = "*" if option["again"] else ""
    return " ".join(quoted(star + name + tail) for name in names_of(option))


def zsh(commands, parameters):
    def arguments(command):
        own = [zsh_option(option) for option in command["options"] + EVERYWHERE]
        also = ["$parameters"] if command["takes_parameters"] else []
        names = [f"2:name:({' '.join(command['names'])})"] if command["names"] else []
        names = ["2:lesson:_onestep_lessons"] if command["takes_lesson"] else names
        names += ["3:file:_files"] if command["name"] == "check" else []
        names += ["2:a:_files", "3:b:_files"] if command["name"] == "compare" else []
        return " \\\n            ".join(["_arguments", *own, *also, *map(quoted, names)])

    cases = "\n".join(f"    {command['name']})\n        {arguments(command)}\n        ;;" for command in commands)
    walk = next(command for command in commands if command["name"] == "walk")
    cases += f"\n    *)\n        {arguments(walk)}\n        ;;"
    listed = "\n".join("        " + quoted(f"{command['name']}:{command['summary']}") for command in commands)
    own = "\n".join("        " + zsh_option(parameter) for parameter in parameters)
    return ZSH.replace("@COMMANDS@", listed).replace("@PARAMETERS@", own).replace("@CASES@", cases)


def fish_option(option, condition):
    actions = {"step": " -x -a '(__onestep_steps)'", "file": " -r -F", "folder": " -r -F", "": " -x"}
    kind = kind_of(option)
    tail = "" if kind is None else actions[kind] if isinstance(kind, str) else f" -x -a {quoted(' '.join(kind))}"
    letter = f" -s {option['letter'][1:]}" if option["letter"] else ""
    text = description(option).replace("\\", "\\\\").replace("'", "\\'")
    return f"complete -c onestep{condition}{letter} -l {option['name'][2:]}{tail} -d '{text}'"


def fish(commands, parameters):
    names = [command["name"] for command in commands]
    running = [command["name"] for command in commands if command["takes_parameters"]]
    resting = [name for name in names if name not in running]
    text = {command["name"]: command["summary"].replace("'", "\\'") for command in commands}
    listed = "\n".join(f'complete -c onestep -n "not __fish_seen_subcommand_from {" ".join(names)}" -a {name} -d \'{text[name]}\''
                       for name in names)
    named = [f"complete -c onestep -n '__fish_seen_subcommand_from {command['name']}' -a '{' '.join(command['names'])}'"
             for command in commands if command["names"]]
    lines = [fish_option(option, "") for option in EVERYWHERE]
    lines += [fish_option(parameter, ' -n "$on_lessons"') for parameter in parameters]
    for command in commands:
        condition = ' -n "not $others"' if command["name"] == "walk" else f" -n '__fish_seen_subcommand_from {command['name']}'"
        lines += [fish_option(option, condition) for option in command["options"]]
    return (FISH.replace("@COMMANDS@", listed).replace("@OPTIONS@", "\n".join(lines))
            .replace("@OTHERS@", " ".join(name for name in names if name != "walk"))
            .replace("@RUNNING@", " ".join(running)).replace("@RESTING@", " ".join(resting))
            .replace("@TAKING@", " ".join(command["name"] for command in commands if command["takes_lesson"]))
            .replace("@NAMED@", "\n".join(named)))


shell, onestep, output = sys.argv[1:]
said = json.loads(subprocess.run([onestep, "list", "--options", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout)
for parameter in said["parameters"]:
    parameter["letter"] = None
for option in (option for command in said["commands"] for option in command["options"] if option["name"] == "--what-if"):
    option["choices"] = said["what_ifs"]
for command in said["commands"]:
    command["name"] = "help" if command["name"] == "onestep" else command["name"]
with open(output, "w", encoding="utf-8") as file:
    file.write({"bash": bash, "zsh": zsh, "fish": fish}[shell](said["commands"], said["parameters"]))
