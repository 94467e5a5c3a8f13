# Completions of onestep for bash. Lessons, steps and mistakes come from the program itself.

_onestep_lessons() {
    onestep list 2>/dev/null | sed -n 's/^[0-9][0-9]* \([a-z_]*\):.*/\1/p'
}

# Steps of a lesson as --step takes them, one a line.
_onestep_steps() {
    onestep list 2>/dev/null | awk -v lesson="$1:" '
        /^[0-9]/ { inside = $2 == lesson }
        inside && /^ +[0-9]/ { sub(/^ +[0-9]+ +/, ""); sub(/  .*/, ""); print }'
}

_onestep_what_ifs() {
    onestep list --what-ifs 2>/dev/null | sed -n 's/^\([a-z-][a-z-]*\):.*/\1/p'
}

_onestep() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=walk lesson='' i
    local IFS=$'\n'
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        walk | list | print | screen | check | practice | verify | gpt2 | bench | help) command=${COMP_WORDS[i]} ;;
        -*) ;;
        *) [ -n "$lesson" ] || lesson=${COMP_WORDS[i]} ;;
        esac
    done

    case $previous in
    --step)
        COMPREPLY=($(compgen -W "$(_onestep_steps "$lesson")" -- "$word"))
        COMPREPLY=("${COMPREPLY[@]// /\\ }")
        return
        ;;
    --format)
        case $command in
        screen) COMPREPLY=($(compgen -W $'text\nansi\nsvg\nhtml\nlink' -- "$word")) ;;
        print) COMPREPLY=($(compgen -W $'torch\nplain\njson\ncsv\nnpy\nsvg\nmarkdown\nhtml\npy\nipynb\ngift\nlatex' -- "$word")) ;;
        *) COMPREPLY=($(compgen -W $'plain\njson' -- "$word")) ;;
        esac
        return
        ;;
    --code) COMPREPLY=($(compgen -W $'pytorch\nc\nboth\nnone' -- "$word")) && return ;;
    --picture) COMPREPLY=($(compgen -W $'map\nplane\nstrips\ncurve' -- "$word")) && return ;;
    --bernoulli) COMPREPLY=($(compgen -W $'mt19937\nmcg31m1' -- "$word")) && return ;;
    --optimizer) COMPREPLY=($(compgen -W $'adamw\nsgd' -- "$word")) && return ;;
    --color) COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$word")) && return ;;
    --what-if) COMPREPLY=($(compgen -W "$(_onestep_what_ifs)" -- "$word")) && return ;;
    --input | -o | --output | --roster) COMPREPLY=($(compgen -f -- "$word")) && return ;;
    --seed | --dropout-seed | --d-out | --d-model | --hidden | --vocabulary | --heads | --dropout | --query | --context-length | --batch | --text | --updates | --lr | --digits | --min-decimals | --tokens | --threads | --keys | --size | --cell)
        return
        ;;
    esac

    local options=$'--help\n--version'
    local parameters=$'--input\n--seed\n--dropout-seed\n--d-out\n--d-model\n--hidden\n--vocabulary\n--heads\n--dropout\n--bernoulli\n--bias\n--query\n--context-length\n--batch\n--eval\n--text\n--updates\n--optimizer\n--lr\n--digits\n--what-if\n--color'
    case $command in
    walk) options+=$'\n--step\n'$parameters ;;
    print) options+=$'\n--step\n--format\n--steps\n--seeds\n--code\n--blank-values\n--picture\n--summary\n--requires-grad\n--blanks\n--solution\n-o\n'$parameters ;;
    screen) options+=$'\n--step\n--cell\n--keys\n--size\n--format\n-o\n'$parameters ;;
    check) options+=$'\n--step\n--format\n--quiet\n--thorough\n--watch\n--min-decimals\n--roster\n'$parameters ;;
    practice) options+=$'\n-o' ;;
    list) options+=$'\n--what-ifs\n--format' ;;
    gpt2) options+=$'\n--batch\n--tokens\n--seed\n--bias\n--dropout\n--bernoulli\n--eval\n--randn\n--layers-first\n--threads\n-o' ;;
    bench) options+=$'\n--threads' ;;
    esac

    local words=''
    if [[ $word == -* ]]; then
        words=$options
    elif ((COMP_CWORD == 1)); then
        words=$'walk\nlist\nprint\nscreen\ncheck\npractice\nverify\ngpt2\nbench\nhelp\n'$(_onestep_lessons)
    else
        case $command in
        walk | screen | practice) words=$(_onestep_lessons) ;;
        print) words=$'all\n'$(_onestep_lessons) ;;
        check)
            if [ -z "$lesson" ]; then
                words=$(_onestep_lessons)
            else
                COMPREPLY=($(compgen -f -- "$word"))
                return
            fi
            ;;
        gpt2) words=$'small\nmedium\nlarge\nxl' ;;
        help) words=$'walk\nlist\nprint\nscreen\ncheck\npractice\nverify\ngpt2\nbench\nformulas' ;;
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}

complete -o default -F _onestep onestep
