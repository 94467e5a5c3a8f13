# Completions of onestep for fish. Lessons, steps and mistakes come from the program itself.

function __onestep_lessons
    onestep list 2>/dev/null | string match -rg '^\d+ ([a-z_]+):'
end

function __onestep_lesson
    for word in (commandline -opc)
        contains -- $word (__onestep_lessons); and echo $word; and return
    end
end

function __onestep_steps
    set -l lesson (__onestep_lesson)
    onestep list 2>/dev/null | awk -v lesson="$lesson:" '
        /^[0-9]/ { inside = $2 == lesson }
        inside && /^ +[0-9]/ { sub(/^ +[0-9]+ +/, ""); sub(/  .*/, ""); print }'
end

function __onestep_what_ifs
    onestep list --what-ifs 2>/dev/null | string match -rg '^([a-z-]+):'
end

set -l commands walk list print screen check practice verify gpt2 bench help
set -l on_lessons '__fish_seen_subcommand_from walk print screen check practice; or not __fish_seen_subcommand_from list verify gpt2 bench help'

complete -c onestep -f
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a walk -d 'walk through lessons'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a list -d 'lessons and their steps'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a print -d 'print steps and numbers'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a screen -d 'a screen of the walker'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a check -d 'a student\'s numbers against a step'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a practice -d 'exercises in PyTorch, one line each'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a verify -d 'this machine\'s numbers against PyTorch\'s'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a gpt2 -d 'attention at GPT-2\'s size'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a bench -d 'the fast path against the readable one'
complete -c onestep -n "not __fish_seen_subcommand_from $commands" -a help -d 'help about a command'
complete -c onestep -n "$on_lessons" -a '(__onestep_lessons)' -d lesson
complete -c onestep -n '__fish_seen_subcommand_from print' -a all -d 'all lessons'
complete -c onestep -n '__fish_seen_subcommand_from gpt2' -a 'small medium large xl'
complete -c onestep -n '__fish_seen_subcommand_from help' -a 'walk list print screen check practice verify gpt2 bench formulas'
complete -c onestep -n '__fish_seen_subcommand_from check' -F

complete -c onestep -l help -d 'show help'
complete -c onestep -l version -d 'show the version'
complete -c onestep -n "$on_lessons" -l step -x -a '(__onestep_steps)' -d 'a step'
complete -c onestep -n '__fish_seen_subcommand_from print' -l format -x -a 'torch plain json csv npy svg markdown html py ipynb gift latex' -d 'format'
complete -c onestep -n '__fish_seen_subcommand_from check' -l watch -d 'check again whenever the file changes'
complete -c onestep -n '__fish_seen_subcommand_from print' -l requires-grad -d 'print grad_fn and requires_grad'
complete -c onestep -n '__fish_seen_subcommand_from print' -l summary -d 'how a lesson ends'
complete -c onestep -n '__fish_seen_subcommand_from print' -l picture -x -a 'map plane strips curve' -d 'a picture of it'
complete -c onestep -n '__fish_seen_subcommand_from check' -l quiet -d 'do not print the right numbers'
complete -c onestep -n '__fish_seen_subcommand_from check' -l thorough -d 'search until all mistakes are tried'
complete -c onestep -n '__fish_seen_subcommand_from check' -l min-decimals -x -d 'decimals that are required'
complete -c onestep -n '__fish_seen_subcommand_from check' -l roster -r -F -d 'a class'
complete -c onestep -n '__fish_seen_subcommand_from print' -l steps -x -d 'a part of the lesson'
complete -c onestep -n '__fish_seen_subcommand_from print' -l seeds -x -d 'seeds of questions'
complete -c onestep -n '__fish_seen_subcommand_from print' -l code -x -a 'pytorch c both none' -d 'programs'
complete -c onestep -n '__fish_seen_subcommand_from print' -l blank-values -d 'a worksheet'
complete -c onestep -n '__fish_seen_subcommand_from print' -l blanks -d 'as exercises'
complete -c onestep -n '__fish_seen_subcommand_from print' -l solution -d 'exercises with their solution'
complete -c onestep -n '__fish_seen_subcommand_from list check' -l format -x -a 'plain json' -d 'format'
complete -c onestep -n '__fish_seen_subcommand_from screen' -l format -x -a 'text ansi svg html link' -d 'format'
complete -c onestep -n '__fish_seen_subcommand_from screen' -l keys -x -d 'keys pressed before'
complete -c onestep -n '__fish_seen_subcommand_from screen' -l cell -x -d 'cell under the cursor, row,column'
complete -c onestep -n '__fish_seen_subcommand_from screen' -l size -x -d 'columns and rows, 80x24'
complete -c onestep -n '__fish_seen_subcommand_from print screen gpt2' -s o -l output -r -F -d 'write to a file'
complete -c onestep -n '__fish_seen_subcommand_from list' -l what-ifs -d 'the classic mistakes'
complete -c onestep -n "$on_lessons" -l what-if -x -a '(__onestep_what_ifs)' -d 'a classic mistake, on purpose'
complete -c onestep -n "$on_lessons" -l input -r -F -d 'token vectors, CSV'
complete -c onestep -n "$on_lessons; or __fish_seen_subcommand_from gpt2" -l seed -x -d 'replaces every seed'
complete -c onestep -n "$on_lessons" -l dropout-seed -x -a none -d 'seed before each mask'
complete -c onestep -n "$on_lessons" -l d-out -x -d 'width of queries, keys and values'
complete -c onestep -n "$on_lessons" -l d-model -x -d "width of the model's vectors"
complete -c onestep -n "$on_lessons" -l hidden -x -d 'width of the model's feed-forward block'
complete -c onestep -n "$on_lessons" -l vocabulary -x -d 'size of the model's vocabulary'
complete -c onestep -n "$on_lessons" -l heads -x -d 'number of heads'
complete -c onestep -n "$on_lessons; or __fish_seen_subcommand_from gpt2" -l dropout -x -d 'probability, 0 ... 1'
complete -c onestep -n "$on_lessons; or __fish_seen_subcommand_from gpt2" -l bernoulli -x -a 'mt19937 mcg31m1' -d 'stream of masks'
complete -c onestep -n "$on_lessons; or __fish_seen_subcommand_from gpt2" -l bias -d 'bias in the query, key and value projections'
complete -c onestep -n "$on_lessons" -l query -x -d 'query that a lesson follows'
complete -c onestep -n "$on_lessons" -l context-length -x -d 'size of the causal mask'
complete -c onestep -n "$on_lessons; or __fish_seen_subcommand_from gpt2" -l batch -x -d 'copies in the batch'
complete -c onestep -n "$on_lessons" -l text -x -d 'what the model reads'
complete -c onestep -n "$on_lessons" -l updates -x -d 'updates in training'
complete -c onestep -n "$on_lessons" -l optimizer -x -a 'adamw sgd' -d 'how parameters are updated'
complete -c onestep -n "$on_lessons" -l lr -x -d 'learning rate'
complete -c onestep -n "$on_lessons; or __fish_seen_subcommand_from gpt2" -l eval -d 'evaluation mode'
complete -c onestep -n "$on_lessons" -l digits -x -d 'digits after the point'
complete -c onestep -n "$on_lessons" -l color -x -a 'auto always never' -d 'colour'
complete -c onestep -n '__fish_seen_subcommand_from gpt2' -l randn -d 'draw the input from randn'
complete -c onestep -n '__fish_seen_subcommand_from gpt2' -l layers-first -d 'create the layer before the input'
complete -c onestep -n '__fish_seen_subcommand_from gpt2' -l tokens -x -d 'tokens in a sentence'
complete -c onestep -n '__fish_seen_subcommand_from gpt2 bench' -l threads -x -d 'threads'
