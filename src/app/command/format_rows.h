// The table of formats, a row each, in the order in which messages name them. command.h includes this file for the
// enum, command.c for the table: there is no guard.
//
// ROW(format, name, ...): .help[VERB] says what it is for a command that writes it.

// clang-format off
ROW(TORCH, "torch", .add = add_torch, .help = {[VERB_PRINT] = "as PyTorch prints (the default)"})
ROW(PLAIN, "plain", .add = add_plain, .help = {
    [VERB_PRINT] = "one fact a line, for screen readers and grep",
    [VERB_CHECK] = "the answer in words (the default)",
    [VERB_COMPARE] = "the answer in words (the default)",
    [VERB_LIST] = "one fact a line (the default)"})
ROW(JSON, "json", .add = add_json, .help = {
    [VERB_PRINT] = "every number with nine digits, which keep its bits",
    [VERB_CHECK] = "the answer for programs",
    [VERB_COMPARE] = "the answer for programs",
    [VERB_LIST] = "the list for programs"})
ROW(CSV, "csv", .add = add_csv, .holds_one_step = true, .help = {
    [VERB_PRINT] = "one step for a spreadsheet",
    [VERB_CHECK] = "a line for each student of a roster (its default)"})
ROW(NPY, "npy", .add = add_npy, .holds_one_step = true, .help = {[VERB_PRINT] = "one step for NumPy"})
ROW(TEXT, "text", .help = {[VERB_SCREEN] = "the characters alone (the default)"})
ROW(ANSI, "ansi", .help = {[VERB_SCREEN] = "text with colours for a terminal"})
ROW(SVG, "svg", .add = add_svg, .holds_one_step = true, .help = {
    [VERB_PRINT] = "one step as a figure; a lesson as its map",
    [VERB_SCREEN] = "a figure for slides"})
ROW(MARKDOWN, "markdown", .add = add_markdown, .help = {[VERB_PRINT] = "a handout"})
ROW(HTML, "html", .add = add_html, .help = {
    [VERB_PRINT] = "a handout for a browser, in one file",
    [VERB_CHECK] = "a roster as a page for a browser",
    [VERB_SCREEN] = "a page for a browser"})
ROW(PY, "py", .add = add_py, .help = {
    [VERB_PRINT] = "a script that needs only PyTorch, computes every step and compares it with onestep's"})
ROW(IPYNB, "ipynb", .add = add_ipynb, .help = {[VERB_PRINT] = "the same as a notebook"})
ROW(LINES, "lines", .add = add_lesson_lines, .help = {
    [VERB_PRINT] = "its lines of PyTorch, for PyTorch or 'onestep run'"})
ROW(GIFT, "gift", .add = add_gift, .holds_one_step = true, .help = {
    [VERB_PRINT] = "one step as a question for Moodle, with the classic mistakes as wrong answers"})
ROW(LATEX, "latex", .add = add_latex, .holds_one_step = true, .help = {[VERB_PRINT] = "one step as a matrix"})
ROW(LINK, "link", .help = {
    [VERB_SCREEN] = "what to add to the address onestep.html to open this step in a browser, and as LINK here"})
// clang-format on
