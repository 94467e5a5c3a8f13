// The table of formats, a row each, in the order in which messages name them. command.h includes this file for the
// enum, command.c for the table: there is no guard.
//
// ROW(format, name, commands that write it, ...)

// clang-format off
ROW(TORCH, "torch", IN(VERB_PRINT), .add = add_torch, .help = "as PyTorch prints (the default)")
ROW(PLAIN, "plain", IN(VERB_PRINT) | IN(VERB_CHECK) | IN(VERB_LIST), .add = add_plain,
    .help = "one fact a line, for screen readers and grep")
ROW(JSON, "json", IN(VERB_PRINT) | IN(VERB_CHECK) | IN(VERB_LIST), .add = add_json,
    .help = "every number with nine digits, which keep its bits")
ROW(CSV, "csv", IN(VERB_PRINT) | IN(VERB_CHECK), .add = add_csv, .holds_one_step = true,
    .help = "one step for a spreadsheet")
ROW(NPY, "npy", IN(VERB_PRINT), .add = add_npy, .holds_one_step = true, .help = "one step for NumPy")
ROW(TEXT, "text", IN(VERB_SCREEN))
ROW(ANSI, "ansi", IN(VERB_SCREEN))
ROW(SVG, "svg", IN(VERB_PRINT) | IN(VERB_SCREEN), .add = add_svg, .holds_one_step = true,
    .help = "one step as a figure; a lesson as its map")
ROW(MARKDOWN, "markdown", IN(VERB_PRINT), .add = add_markdown, .help = "a handout")
ROW(HTML, "html", IN(VERB_PRINT) | IN(VERB_CHECK) | IN(VERB_SCREEN), .add = add_html,
    .help = "a handout for a browser, in one file")
ROW(PY, "py", IN(VERB_PRINT), .add = add_py,
    .help = "a script that needs only PyTorch, computes every step and compares it with onestep's")
ROW(IPYNB, "ipynb", IN(VERB_PRINT), .add = add_ipynb, .help = "the same as a notebook")
ROW(GIFT, "gift", IN(VERB_PRINT), .add = add_gift, .holds_one_step = true,
    .help = "one step as a question for Moodle, with the classic mistakes as wrong answers")
ROW(LATEX, "latex", IN(VERB_PRINT), .add = add_latex, .holds_one_step = true,
    .help = "one step as a matrix")
ROW(LINK, "link", IN(VERB_SCREEN))
// clang-format on
