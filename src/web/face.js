// ---- The face ---------------------------------------------------------------------------------

// The walk in the page's own way: words, matrices as tables, a map, buttons. It places what the program says (face.h) and
// computes nothing. What it has no way of its own for, it shows as the terminal does, in rows of a screen.

// A letter of a cell's marks, and the class that shows it.
const MARKS = {l: "lit", c: "changed", r: "reached", p: "pending", h: "hidden", f: "focus"};

// The names of queries, keys, values and weights, in each of which the last of these words says what it is; and their letters
// in formulas.
const ROLES = {query: "q", queries: "q", key: "k", keys: "k", value: "v", values: "v", weight: "w", weights: "w", score: "", scores: "", context: "", mask: "", sums: ""};
const LETTERS = {Q: "q", K: "k", V: "v", W: "w"};

function roleOf(name) {
    if (/(^|[ :])W_/.test(name)) return ""; // a parameter
    const words = name.toLowerCase().match(/[a-z]+/g) || [];
    return ROLES[words.filter(word => word in ROLES).at(-1)] || "";
}

// How wide the widest number of a panel is, in digits; a point and a sign are narrower.
function digitsOf({cells}) {
    const widths = cells.flat().map(([text, , marks]) => text.length - 0.45 * text.replace(/[^-.]/g, "").length + (/[cr]/.test(marks) ? 1.7 : 0)); // a sign
    return Math.max(1, ...widths);
}

const ANSWERS = { // what is asked: what the button says
    line: "Run", guess: "Guess", number: "Answer", shape: "Answer", prints: "Answer", largest: "The cell with the frame",
};

class Face {
    constructor(page) {
        this.page = page;
        this.root = page.find("face");
        this.parts = {};
        for (const part of this.root.querySelectorAll("[data-part]")) this.parts[part.dataset.part] = part;
        this.shown = null; // the face that is on the page
        this.drawn = ""; // the lesson and the changes whose map is on the page
        this.root.addEventListener("click", event => this.onClick(event));
        this.root.addEventListener("submit", event => this.onSubmit(event));
        this.root.addEventListener("input", event => this.fit(event.target));
        this.root.addEventListener("keydown", event => { // Enter runs a line; with Shift it begins another one
            if (event.target.matches("textarea") && event.key === "Enter" && !event.shiftKey) event.preventDefault(), event.target.form.requestSubmit();
            if (event.target.matches("textarea, #input input") && event.key === "Escape") event.target.blur();
        });
        const {matrices} = this.parts;
        matrices.addEventListener("pointerover", event => this.onPoint(event));
        matrices.addEventListener("pointerleave", () => this.lookAway());
        const back = page.find("controls");
        back.addEventListener("click", event => this.onClick(event));
    }

    // Its lines are buttons, and it is scrolled as any page; or a field is there for what is typed.
    get hasOwnKeys() { return this.isOpen && Boolean(this.hasLines || (this.shown && this.shown.input)); }

    get isOpen() { return !this.root.hidden; }

    make(name, properties = {}, ...content) {
        const made = Object.assign(document.createElement(name), properties);
        made.append(...content);
        return made;
    }

    // Pixels for the rows of a screen: of all of it, width and height; and the width beside the matrices of a step.
    get room() {
        const {paddingLeft, paddingRight} = getComputedStyle(this.root);
        return [this.root.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight), this.root.clientHeight - 24];
    }

    get roomBeside() {
        const MOST = 38; // rem, as in the style of .listing
        return Math.min(this.room[0], MOST * parseFloat(getComputedStyle(document.documentElement).fontSize));
    }

    // A button that presses keys or does one of the actions below.
    button(label, action, title = "") {
        const made = this.make("button", {type: "button", title}, label);
        made.dataset.action = action;
        return made;
    }

    // ---- A frame

    show({face, shown, markup, lines}) {
        const {parts} = this, title = face ? [face.label, face.heading].join() : lines ? lines.title : "";
        const isNew = !title || title !== this.title;
        if (isNew) this.root.scrollTop = this.parts.matrices.scrollLeft = 0;
        this.title = title;
        this.shown = face;
        const hasStep = Boolean(face), {said} = this.page;
        this.welcome(said.is_offered && this.page.isFirst);
        const isWalk = said.on_step || Boolean(face && face.asks);
        for (const part of ["words", "matrices", "picture", "map", "beside", "facts", "cell"]) parts[part].hidden = !hasStep;
        this.hasLines = Boolean(lines);
        this.root.classList.toggle("plain", !hasStep);
        this.page.find("controls").hidden = !isWalk;
        this.page.find("keys").hidden = (isWalk && !said.typing) || Boolean(face && face.settings);
        this.showRows(hasStep ? shown : lines ? [] : [[0, markup.length]], markup);
        this.root.classList.toggle("listing", hasStep && (shown.length > 0 || this.hasLines));
        this.showLines(lines);
        for (const made of this.page.find("controls").querySelectorAll("[data-for]")) made.hidden = (made.dataset.for === "program") !== said.is_program;
        this.showInput(face && face.input);
        if (!hasStep) return;
        for (const [action, isThere] of [["I", face.has_call], ["O", face.is_in_call]]) {
            const made = this.page.find("controls").querySelector(`[data-action=${action}]`);
            made.hidden ||= !isThere;
            made.classList.toggle("primary", action === "I" && isThere);
        }
        this.showWords(face);
        this.showMatrices(face);
        this.showStops(face);
        this.showMap(face);
        this.arrange(isNew);
        this.scrollHere();
    }

    // A picture of matrices that is too wide and too high wraps, as nothing of it might be in sight. One that is only too wide begins
    // with the cell's matrix in sight.
    arrange(isNew) {
        const {matrices} = this.parts;
        if (matrices.scrollWidth <= matrices.clientWidth + 1) return;
        if (matrices.clientHeight > this.root.clientHeight) return matrices.classList.remove("composed");
        const cell = isNew && matrices.querySelector(".focus");
        if (!cell) return;
        const around = matrices.getBoundingClientRect(), whole = cell.closest(".panel").getBoundingClientRect();
        const beyond = Math.min(whole.right - around.right, cell.getBoundingClientRect().left - around.left);
        if (beyond > 0) matrices.scrollLeft = beyond;
    }

    // Brings into sight where the walk is: the step's mark, its place on the map, the cell. Each of these asks for a layout of the
    // page, so all come when it is whole, and none without need.
    scrollHere() {
        const {stops, map, matrices} = this.parts, stop = stops.querySelector("[aria-current]"), link = map.querySelector(".here");
        const isOther = [stop !== this.stopHere, link !== this.linkHere];
        [this.stopHere, this.linkHere] = [stop, link];
        const left = stop && isOther[0] ? stop.offsetLeft - stops.clientWidth / 2 : null;
        const box = link && isOther[1] ? link.getBoundingClientRect() : null, around = box && map.getBoundingClientRect();
        if (left !== null) stops.scrollLeft = left;
        if (box) {
            map.scrollTop += box.top + box.height / 2 - around.top - around.height / 2;
            map.scrollLeft += box.left + box.width / 2 - around.left - around.width / 2;
        }
        if (this.isMoved) matrices.querySelector(".focus").scrollIntoView({block: "nearest", inline: "nearest"});
        this.isMoved = false;
    }

    // What the page is, to whoever opens it for the first time: a sentence and the weights that lesson 0 has learned.
    async welcome(isFirst) {
        const {sight, welcome} = this.parts;
        this.root.classList.toggle("first", isFirst);
        welcome.hidden = !isFirst;
        this.page.find("controls").classList.toggle("first", isFirst);
        if (!isFirst || sight.firstChild) return;
        const answer = await this.page.faceOf("#why/weights");
        if (!answer.face || sight.firstChild) return;
        const table = this.panel(answer.face.panels.find(panel => panel.step >= 0), 0);
        for (const cell of table.querySelectorAll("td[data-at]")) delete cell.dataset.at, cell.classList.remove(...Object.values(MARKS)), cell.classList.add("number");
        for (const [i, row] of [...table.querySelectorAll("tbody tr")].entries()) row.style.animationDelay = `${0.4 + 0.5 * i}s`;
        sight.replaceChildren(table);
    }

    // Rows of the terminal's screen.
    showRows(ranges, markup) {
        const lines = (first, count) => {
            const rows = markup.slice(first, first + count).map(row => {
                const line = document.createElement("div");
                line.innerHTML = row; // the program's own, and escaped there
                this.page.align(line);
                return line;
            });
            while (rows.length && !rows.at(-1).textContent.trim()) rows.pop();
            const box = this.make("div", {className: "screen rows"}, ...rows);
            box.dataset.first = first;
            return box;
        };
        this.parts.rows.replaceChildren(...ranges.map(([first, count]) => lines(first, count)));
        this.parts.rows.hidden = ranges.length === 0;
        (this.shown ? this.parts.words : this.page.find("numbers")).append(this.parts.rows);
    }

    // The lines of a view: choices, each a button; words, which wrap; code as it is; and matrices. What stands behind a list is of
    // the chosen line.
    showLines(lines) {
        const {lines: box, words} = this.parts, active = document.activeElement, had = box.contains(active) && active.dataset.action;
        if (this.shown) words.append(box);
        else this.page.find("numbers").prepend(box);
        box.hidden = !lines;
        box.classList.toggle("tight", Boolean(lines && lines.panels));
        if (!lines) return box.replaceChildren();
        const figure = this.make("figure");
        figure.innerHTML = lines.svg || ""; // the program's own, and escaped there
        this.hasFigure = Boolean(lines.svg);
        this.colour(figure);
        this.fitFigure(figure);
        if (figure.querySelector("a")) this.showHere(figure);
        box.classList.toggle("wide", this.hasFigure);
        const content = this.shown ? [] : [this.make("h2", {}, lines.title), this.make("p", {className: "quiet"}, lines.svg ? "" : lines.right)];
        let list = null, code = null, chosen = null, blank = "";
        for (const [kind, text, style, more, marks, number] of lines.lines) {
            const isChoice = kind === "choice" || kind === "chosen";
            if (kind !== "code") code = null;
            if (isChoice && style === "title") content.push(this.make(/^ /.test(text) ? "h4" : "h3", {}, text.trim())), list = null;
            else if (isChoice) {
                if (!list) content.push(list = this.make("ul"));
                const made = this.button("", "pick:" + number), item = this.make("li", {className: style + (/^  /.test(text) && !style ? " step" : "")}, made);
                made.append(this.make("span", {}, (marks.includes("*") ? "* " : "") + text.trim()), this.make("small", {}, more));
                if (marks) made.setAttribute("aria-pressed", String(marks[1] === "x"));
                if (kind === "chosen") made.setAttribute("aria-current", "true"), chosen = item;
                list.append(item);
            } else if (kind === "code") {
                if (!text.trim()) blank = code ? "\n" : "";
                else {
                    if (!code) content.push(code = this.make("pre", {tabIndex: 0})), blank = "";
                    code.append(blank, this.make("span", {className: style}, text + "\n"));
                    blank = "";
                }
            } else {
                const [, before, label] = text.match(/^(.*) \[\d: (.*)\]$/) || [null, text];
                const isTitle = style === "bold" && !/[.)]$|=/.test(text);
                const made = this.make(isTitle ? "h3" : /^[-+] /.test(text) ? "code" : "p", {className: style}, before.trim());
                if (label) made.append(" ", this.button(label, String.fromCharCode(number)));
                if (list && chosen) chosen.append(made);
                else content.push(made);
            }
        }
        if (lines.svg) content.splice(2, 0, figure);
        box.replaceChildren(...content);
        if (!this.shown) this.showMatrices({panels: lines.panels || [], label: lines.title});
        if (had) [...box.querySelectorAll("button")].find(made => made.dataset.action === had)?.focus({preventScroll: true});
        if (chosen) chosen.firstChild.scrollIntoView({block: "nearest"});
    }

    // Scrolls a page of text, where a key does so in a terminal. Has it?
    scrolls(key) {
        if (!this.hasLines || this.shown || this.parts.lines.querySelector("ul")) return false;
        const LINE = 40, screen = this.root.clientHeight - LINE;
        const by = {ArrowDown: LINE, ArrowUp: -LINE, PageDown: screen, " ": screen, PageUp: -screen, Home: -1e6, End: 1e6}[key];
        if (by) this.root.scrollBy(0, by);
        return Boolean(by);
    }

    paragraphs(text, className) {
        const pieces = (text || "").split(/(?:^|\n)([^\n]*\n\s*\^+\s*)(?=\n|$)/); // a line of code with the place of an error below it
        return pieces.flatMap((piece, i) => i % 2 ? this.make("pre", {tabIndex: 0}, piece) :
            piece.split("\n").filter(line => line).map(line => this.make("p", {className}, ...this.whole(line))));
    }

    // A text, `code` in it as code, whose lines do not break inside of -log, GPT-2 or 1e-5, nor between a bar, its name and its number.
    whole(text) {
        if (text.includes("`")) return text.split(/`([^`]+)`/).flatMap((part, i) => i % 2 ? this.make("code", {}, part) : this.whole(part));
        const term = words => this.make("span", {className: "term"}, ...words.split(/(█+)/).map((part, i) => i % 2 ? this.make("i", {}, part) : part));
        if (text.includes("█")) return text.split(/( {2,})/).map((part, i) => i % 2 ? part : term(part));
        const SHORT = 16; // characters
        return text.split(/(\S*-\S+)/).map((word, i) => i % 2 && word.length < SHORT ? this.make("span", {className: "whole"}, word) : word);
    }

    showWords(face) {
        const {parts} = this;
        const isAsked = Boolean(face.asks);
        const at = face.stops.filter(([step]) => step < face.number).length; // calls are one step each
        parts.place.textContent = this.page.said.is_program ? `Step ${at} of ${face.stops.length}, number ${face.number}` : `Step ${face.number} of ${face.count}${face.section ? " · " + face.section : ""}`;
        parts.heading.replaceChildren(this.make("span", {}, ...this.whole(face.heading || "")), " ", this.make("code", {}, face.label));
        parts.changed.hidden = !face.badge;
        if (face.badge) parts.changed.replaceChildren(this.make("span", {}, "Changed: " + face.badge), this.button("Undo", "u", "Back to the numbers before the change (u)"));
        const prose = [...this.paragraphs(face.opening, "opening"), ...this.paragraphs(face.wrong, "wrong"), ...this.paragraphs(face.prose, ""), ...this.paragraphs(face.words, "")];
        if (face.drawing) prose.push(this.make("pre", {className: "drawing", tabIndex: 0}, face.drawing));
        parts.prose.replaceChildren(...prose);
        if (face.printed) parts.prose.append(this.make("pre", {tabIndex: 0}, face.printed));
        this.showProgram(face);
        parts.formula.hidden = !face.formula || this.page.said.is_program; // a program's is its line
        const pieces = (face.formula || "").split(/\b([QKVW])(?![A-Za-z_])/);
        parts.formula.replaceChildren(...pieces.map((piece, i) => i % 2 ? this.make("b", {className: "role-" + LETTERS[piece]}, piece) : piece));
        parts.turn.hidden = !isAsked;
        if (isAsked) parts.turn.replaceChildren(...this.turn(face));
        this.showSettings(face.settings);
        this.showLine(face);
        parts.facts.textContent = face.facts ? `${face.label}: ${face.facts}${face.sentence ? `, “${face.sentence}”` : ""}${face.memory ? ". " + face.memory : ""}` : "";
        parts.beside.replaceChildren(...face.beside.map((name, i) => {
            const made = this.button(name, "step:" + (face.first + i), "This step of the screen (;)");
            if (face.first + i === face.number - 1) made.setAttribute("aria-current", "step");
            return made;
        }));
        if (face.page && !face.asks) parts.beside.append(this.make("span", {className: "pager"}, this.button("‹", ",", "The page before (,)"), face.page, this.button("›", ".", "The next page (.)")));
        this.showCell(face);
    }

    // The reader's own program, with the lines of the step marked.
    showProgram(face) {
        const {program} = this.parts, {said} = this.page;
        program.hidden = !said.is_program;
        if (!said.is_program) return;
        const [first, last] = face.lines || [0, 0];
        program.replaceChildren(...this.page.program.split("\n").map((line, i) =>
            this.make(i + 1 >= first && i + 1 <= last ? "mark" : "span", {}, line + "\n")));
        const mark = program.querySelector("mark");
        if (mark) program.scrollTop = mark.offsetTop - program.offsetTop - program.clientHeight / 2;
    }

    showCell(face) {
        const {cell} = this.parts;
        cell.replaceChildren(...this.paragraphs(face.failure, "wrong"), ...this.paragraphs(face.cell, face.is_message ? "message" : ""));
        for (const [key, words] of face.offers || []) cell.append(this.button(words, key), " ");
    }

    // The step's line of PyTorch, to be changed and run; what a change made of it; and the lines of C.
    showLine(face) {
        const {line, code, changes, c} = this.parts;
        line.hidden = face.line === undefined || Boolean(face.asks);
        if (this.line !== face.line || document.activeElement !== code) {
            this.line = code.value = face.line || "";
            this.fit(code);
        }
        const isOther = face.changed && face.changed.some(text => text.startsWith("≠"));
        const shown = isOther ? face.changed.join("\n") : face.asks ? face.pytorch : "";
        changes.hidden = !shown;
        changes.textContent = shown;
        c.hidden = !face.c;
        if (this.showsC !== face.shows_c) c.open = this.showsC = Boolean(face.shows_c);
        if (face.c) c.replaceChildren(this.make("summary", {}, "In C: " + face.file), this.make("pre", {tabIndex: 0}, face.c.trimEnd()));
    }

    // Goes into the field of the step's line, if there is one.
    edit() {
        const {code, line} = this.parts;
        if (!this.shown || line.hidden) return false;
        code.focus();
        return true;
    }

    // A field as high as what is in it, where the browser does not see to that itself.
    fit(field) {
        if (CSS.supports("field-sizing: content")) return;
        field.style.height = "auto";
        field.style.height = field.scrollHeight + 2 + "px";
    }

    // ---- Parameters

    // A field for each, and a slider where there is a range. The lesson follows while it moves, where that is quick.
    showSettings(settings) {
        const {parameters} = this.parts;
        parameters.hidden = !settings;
        if (!settings) return this.settings = null;
        const names = settings.map(({name}) => name).join();
        if (this.settings !== names) {
            const ends = this.make("p", {}, this.button("Done", "<Esc>", "Closes the settings (Esc)"), " ", this.button("Undo all", "u", "Back to the course's numbers (u)"));
            this.settings = names;
            parameters.replaceChildren(...settings.map((setting, i) => this.setting(setting, i)), ends);
        }
        settings.forEach((setting, i) => {
            const row = parameters.children[i];
            row.classList.toggle("given", setting.is_given);
            for (const field of row.querySelectorAll("input, select")) {
                if (field.type === "checkbox") field.checked = setting.value !== "no";
                else if (field !== document.activeElement || field.type === "range") field.value = setting.value;
            }
        });
    }

    setting({name, value, help, field, most, choices}, number) {
        const id = "set_" + name, row = this.make("div", {className: "setting"}, this.make("label", {htmlFor: id}, name));
        const set = value => this.page.act(["set", number, value]);
        const add = made => (row.append(made), made);
        if (field === "switch") {
            const box = add(this.make("input", {id, type: "checkbox"}));
            box.addEventListener("change", () => set(box.checked ? "yes" : "no"));
        } else if (field === "choice") {
            const list = add(this.make("select", {id}, ...[...new Set([...choices, value])].map(choice => new Option(choice))));
            list.addEventListener("change", () => set(list.value));
        } else {
            const box = add(this.make("input", {id, type: "text", size: 8, autocomplete: "off"}));
            box.addEventListener("change", () => set(box.value));
            const MOST = 1000; // no more can be pointed at
            if (field !== "text") {
                const [min, max, step] = field === "probability" ? [0, 0.95, 0.05] : [field === "size" ? 1 : 0, Math.min(most, MOST), 1];
                const slider = add(this.make("input", {type: "range", min, max, step, ariaLabel: name}));
                slider.addEventListener("input", () => this.slide(slider, set));
                slider.addEventListener("change", () => set(slider.value));
            }
        }
        row.append(this.make("small", {}, help));
        return row;
    }

    // Follows a slider that moves: the newest value, as soon as the one before is there; not in a lesson that takes long.
    async slide(slider, set) {
        const SLOW = 120; // milliseconds
        if (this.sliding || this.took > SLOW) return;
        this.sliding = true;
        const began = performance.now();
        await set(slider.value);
        this.took = performance.now() - began;
        this.sliding = false;
    }

    // What is asked, and how it is answered. Its heading and words stand above.
    turn(face) {
        const hasCells = face.panels.some(panel => panel.step === face.number - 1);
        const others = face.asks === "guess" ? [...hasCells ? [this.button("The cell with the frame is the largest", " ", "Click the cell first")] : [], this.button(hasCells ? "Show all" : "Show it", "r", "What is asked for (r)"), this.button("Close", "<Esc>")]
            : [this.button("Hint", "h", "A hint (h)"), this.button("Show it", "n", "Goes on without an answer (n)")];
        if (face.asks === "sign") return [this.button("+ positive", "+"), this.button("− negative", "-"), ...others];
        if (face.asks === "largest") return [this.button(ANSWERS.largest, "<Enter>", "Click the cell first"), ...others];
        const lines = (face.asked_line || "").split("\n");
        const before = lines.slice(0, -1).join("\n");
        const field = this.make("textarea", {name: "answer", rows: 1, spellcheck: false, autocapitalize: "off"});
        field.setAttribute("aria-label", "Your answer");
        if (face.asks === "line") field.value = lines.at(-1).replace(/^>>> /, "");
        return [...before ? [this.make("pre", {}, before)] : [], this.make("form", {}, field, this.make("button", {className: "primary"}, ANSWERS[face.asks])), ...others];
    }

    // ---- Matrices

    showMatrices(face) {
        const {matrices} = this.parts;
        const places = key => [...new Set(face.panels.map(panel => panel[key]))].sort((a, b) => a - b);
        const lefts = places("left"), tops = places("top");
        const isTall = face.panels.every(panel => panel.cells.length > 1); // matrices below each other may as well stand side by side
        matrices.classList.toggle("composed", tops.length > 1 && (lefts.length > 1 || !isTall));
        const before = this.panels || [];
        this.panels = face.panels.map((panel, i) => {
            const key = JSON.stringify({...panel, cells: panel.cells.map(line => line.map(([text, color]) => [text, color]))});
            const isSame = before[i] && before[i].key === key; // but for its marks
            const made = isSame ? before[i].made : this.panel(panel, i);
            const cells = isSame ? panel.cells.flat() : [];
            cells.forEach((cell, at) => made.cells[at].className = this.classOf(cell));
            made.style.gridColumn = 1 + lefts.indexOf(panel.left);
            made.style.gridRow = 1 + tops.indexOf(panel.top);
            this.measurePanel(made, panel, face.panels);
            return {key, made};
        });
        if (this.panels.length !== before.length || this.panels.some(({made}, i) => made !== before[i].made)) matrices.replaceChildren(...this.panels.map(({made}) => made));
        matrices.hidden = face.panels.length === 0;
        const {picture} = this.parts;
        picture.hidden = !face.picture;
        picture.innerHTML = face.picture || ""; // the program's own, and escaped there
        this.fitFigure(picture);
        const cell = matrices.querySelector(".focus"), focused = cell && [face.label, cell.dataset.at].join();
        this.isMoved = Boolean(this.focused && focused && this.focused !== focused && this.focused.startsWith(face.label + ","));
        this.focused = focused;
    }

    // Gives the style the digits of a cell, the columns, and letters and digits a column. Matrices above each other with as many
    // columns have them above each other.
    measurePanel(made, panel, panels) {
        const above = panels.filter(other => other.left === panel.left && other.columns.length === panel.columns.length);
        const digits = Math.max(...above.map(digitsOf)), columns = Math.max(1, (panel.cells[0] || []).length);
        const wide = panel.columns.reduce((sum, label) => sum + Math.max(digits, label.length), 0) / columns || digits;
        for (const [name, value] of Object.entries({digits, columns, wide})) made.style.setProperty("--" + name, value);
        made.style.justifySelf = above.length > 1 ? "end" : "";
    }

    panel(panel, number) {
        const [firstRow, rows, firstColumn, columns] = panel.sight;
        const role = roleOf(panel.name);
        const caption = this.make("caption", {}, this.make("b", {className: role && "role-" + role}, panel.name));
        for (const words of [panel.note, panel.crossed]) if (words) caption.append(" ", this.make("span", {}, words));
        const cut = (what, before, there, all) => there === all ? "" : there === 1 ? `${what} ${before + 1} of ${all}` : `${what}s ${before + 1} to ${before + there} of ${all}`;
        const cuts = [cut("row", firstRow, panel.cells.length, rows), cut("column", firstColumn, (panel.cells[0] || []).length, columns)];
        for (const words of cuts) if (words) caption.append(" ", this.make("span", {}, words));
        const table = this.make("table", {}, caption);
        if (panel.columns.length > 0) {
            const axes = [panel.rows_axis ? panel.rows_axis + " ↓" : "", panel.columns_axis ? panel.columns_axis + " →" : ""].filter(Boolean);
            const corner = panel.rows.length > 0 ? [this.make("td", {className: "corner"}, this.make("span", {}, axes.join("\n")))] : [];
            caption.append(" ", this.make("span", {className: "axes"}, axes.join(" ")));
            table.append(this.make("thead", {}, this.make("tr", {}, ...corner, ...panel.columns.map(label => this.make("th", {scope: "col"}, label)))));
        }
        const body = this.make("tbody");
        panel.cells.forEach((cells, row) => {
            const line = this.make("tr");
            if (panel.rows.length > 0) line.append(this.make("th", {scope: "row"}, panel.rows[row]));
            cells.forEach(([text, color, marks], column) => {
                const cell = this.make("td", {className: this.classOf([text, color, marks])}, text);
                cell.dataset.at = [number, firstRow + row, firstColumn + column];
                line.append(cell);
            });
            body.append(line);
        });
        table.append(body);
        const MANY = 8; // columns, which may have to be scrolled
        const box = this.make("div", {className: "panel"}, table);
        box.cells = body.querySelectorAll("td");
        if (panel.columns.length > MANY) Object.assign(box, {tabIndex: 0, role: "group", ariaLabel: panel.name});
        return box;
    }

    classOf([, color, marks]) { return [color, ...[...marks].map(mark => MARKS[mark])].join(" ").trim(); }

    cells() { return this.parts.matrices.querySelectorAll("td[data-at]"); }

    // What a number was computed from is marked while the pointer is on it, and its arithmetic stands below.
    async onPoint(event) {
        const cell = event.target.closest("td[data-at]");
        if (!cell || !this.shown || this.shown.asks) return;
        const at = this.at = cell.dataset.at;
        const {face, operand} = await this.page.look(...at.split(",").map(Number));
        if (this.at !== at || !this.shown) return;
        if (face) this.mark(face);
        else if (operand) this.showCell({cell: operand});
    }

    lookAway() {
        this.at = null;
        if (this.shown) this.mark(this.shown);
    }

    mark(face) {
        const marks = new Map();
        face.panels.forEach((panel, number) => {
            const same = this.shown.panels[number];
            if (!same || same.name !== panel.name || String(same.sight) !== String(panel.sight)) return;
            panel.cells.forEach((cells, row) => cells.forEach((cell, column) =>
                marks.set([number, panel.sight[0] + row, panel.sight[2] + column].join(), cell[2])));
        });
        for (const cell of this.cells()) {
            const found = marks.get(cell.dataset.at) || "";
            cell.classList.toggle("lit", found.includes("l"));
            cell.classList.toggle("looked", face !== this.shown && found.includes("f"));
        }
        this.showCell(face);
    }

    // Marks the numbers of the step that differ from those that were checked; the positions count row by row.
    markWrong(positions) {
        const own = this.shown ? this.shown.panels.findIndex(panel => panel.step === this.shown.number - 1) : -1;
        if (own < 0) return;
        const [, rows, , columns] = this.shown.panels[own].sight, first = (this.shown.page_number || 0) * rows * columns;
        const wrong = new Set(positions.map(position => [own, Math.floor((position - first) / columns), (position - first) % columns].join()));
        for (const cell of this.cells()) cell.classList.toggle("wrong", wrong.has(cell.dataset.at));
    }

    // The input, one number of which can be typed.
    showInput(input) {
        const {input: box} = this.parts, isTyped = box.contains(document.activeElement);
        box.hidden = !input;
        if (!input) return box.replaceChildren();
        const tables = input.panels.map((panel, i) => {
            const made = this.panel(panel, this.shown.panels.length + i);
            this.measurePanel(made, panel, input.panels);
            return made;
        });
        const field = this.make("input", {id: "number", size: 8, value: input.answer, autocomplete: "off", inputMode: "text"});
        const form = this.make("form", {}, this.make("label", {htmlFor: field.id}, input.asked + " ="), field,
            this.make("button", {className: "primary"}, "Change"));
        box.replaceChildren(form, ...tables);
        if (isTyped) field.focus({preventScroll: true}), field.select();
    }

    // ---- Where the walk is

    showStops(face) {
        const {stops} = this.parts, current = face.number - 1, names = JSON.stringify(face.stops.map(([step, , name]) => [step, name]));
        if (this.stops !== names) {
            this.stops = names;
            stops.replaceChildren(...face.stops.map(([step, mark, name]) => Object.assign(this.button("", "step:" + step, name), {ariaLabel: name})));
        }
        face.stops.forEach(([step, mark], i) => {
            const made = stops.children[i], end = i + 1 < face.stops.length ? face.stops[i + 1][0] : face.count;
            const isHere = current >= step && current < end;
            if (made.textContent !== mark) made.textContent = mark, made.className = mark === "≠" ? "differs" : "";
            if (isHere === made.hasAttribute("aria-current")) return;
            if (!isHere) return made.removeAttribute("aria-current");
            made.setAttribute("aria-current", "step");
        });
    }

    // A figure of the width of a phone shrinks with it, a larger one can be scrolled.
    fitFigure(figure) {
        const MOST = 480; // pixels
        const svg = figure.querySelector("svg");
        if (svg) svg.classList.toggle("narrow", svg.width.baseVal.value <= MOST);
    }

    // The step of the walk, in a map that is a view of its own.
    async showHere(figure) {
        const here = figure.querySelector(".here");
        if (here) return here.scrollIntoView({block: "nearest", inline: "nearest"});
        const answer = await this.page.map();
        const link = answer && figure.querySelector(`[href="#${answer.here}"]`);
        if (!link) return;
        link.classList.add("here");
        link.scrollIntoView({block: "center", inline: "center"});
    }

    // Queries, keys, values and weights have their colours in a map, too.
    colour(map) {
        for (const link of map.querySelectorAll("a")) {
            const role = roleOf(link.textContent.trim());
            if (role) link.classList.add("role-" + role);
        }
    }

    async showMap(face) {
        const {said} = this.page, wanted = [said.lesson, face.badge, face.within, ...face.stops.map(stop => stop[2])].join();
        const {map} = this.parts;
        map.hidden = Boolean(face.asks); // it has the shapes
        const isOther = this.drawn !== wanted;
        if (isOther) {
            this.drawn = wanted;
            const answer = await this.page.map();
            if (this.drawn !== wanted || !answer) return;
            map.innerHTML = answer.svg; // the program's own, and escaped there
            map.style.maxHeight = map.querySelector("svg").height.baseVal.value + 2 + "px"; // and its border
            this.colour(map);
            this.addresses = answer.steps;
        }
        const here = "#" + (this.addresses || [])[this.shown ? this.shown.number - 1 : 0];
        for (const link of map.querySelectorAll("a")) link.classList.toggle("here", link.getAttribute("href") === here);
        if (isOther) this.scrollHere();
    }

    // ---- What is clicked and typed

    onClick(event) {
        const target = event.target, at = target.closest("td[data-at]");
        const link = target.closest("#map a, #lines a"), action = target.closest("[data-action]");
        if (action) this.act(action.dataset.action);
        else if (at) this.clickCell(at);
        else if (link) event.preventDefault(), this.follow(link.getAttribute("href").slice(1));
        else if (target.closest(".rows") && getSelection().isCollapsed) this.clickRow(event, target.closest(".rows"));
    }

    async follow(address) {
        if (address.startsWith("pick:")) return this.act(address);
        const {steps} = await this.page.map();
        this.act("step:" + steps.indexOf(address));
    }

    // The first click puts the cursor on a cell, the second one asks where its number is from.
    clickCell(cell) {
        if (!getSelection().isCollapsed || !this.shown) return;
        if (this.shown.input) return this.chooseNumber(cell);
        const isAgain = cell.classList.contains("focus") && !this.shown.asks;
        if (isAgain) this.page.press("<Enter>");
        else this.page.act(["click", ...cell.dataset.at.split(",").map(Number)]);
    }

    // A number of the input is typed at once.
    async chooseNumber(cell) {
        if (!cell.closest("#input")) return;
        await this.page.act(["click", ...cell.dataset.at.split(",").map(Number)]);
        const field = this.root.querySelector("#number");
        if (field) field.focus(), field.select();
    }

    clickRow(event, box) {
        const {height, width} = this.page.letter, around = box.getBoundingClientRect();
        const row = Number(box.dataset.first) + Math.floor((event.clientY - around.top) / height);
        this.page.act(["choose", row, Math.floor((event.clientX - around.left) / width), this.page.size.rows]);
    }

    act(action) {
        const [name, step] = action.split(":");
        if (name === "step" && step !== undefined) this.page.act(["goTo", Number(step)]);
        else if (name === "pick") this.page.act(["pick", Number(step), this.page.size.rows]);
        else if (name === "play") this.play();
        else if (name === "welcomed") this.page.act(["goTo", 0]);
        else if (name === "own") this.page.askForProgram();
        else if (name === "check") this.page.askToCheck();
        else if (name === "more") this.more();
        else this.page.press(action);
    }

    // What else there is to do at a step.
    more() {
        const {page} = this, list = this.make("div", {className: "more"}, ...page.said.more.map(({code, key, help}) => {
            const [, name, rest] = help.match(/^([^:]*): (.*)$/) || [null, help, ""];
            const made = this.make("button", {type: "button", title: key}, this.make("span", {}, name), this.make("small", {}, rest));
            made.addEventListener("click", () => (page.close(), page.pressKey(code)));
            return made;
        }));
        page.ask("More at this step", list, page.buttons());
    }

    onSubmit(event) {
        event.preventDefault();
        const field = event.target.querySelector("textarea, input");
        if (!field.value.trim()) return;
        if (this.shown.asks === "guess") this.page.press(field.value.trim() + "<Enter>");
        else this.page.act(["type", field.value]);
        field.blur();
    }

    // Fills the result row by row, in the recorded order, until it is whole or something else is pressed. Who asked for less motion
    // goes through the rows one by one: Next.
    async play() {
        const PAUSE = 700; // milliseconds
        const {page} = this;
        if (matchMedia("(prefers-reduced-motion: reduce)").matches) return page.press("i");
        if (this.playing) {
            this.playing = false;
            return;
        }
        this.playing = true;
        const step = this.shown.number;
        const isPending = () => this.shown && this.shown.number === step && this.shown.panels.some(panel => panel.cells.flat().some(cell => cell[2].includes("p")));
        await page.press("i");
        while (this.playing && isPending()) {
            await new Promise(resolve => setTimeout(resolve, PAUSE));
            if (this.playing && isPending()) await page.press("n");
        }
        if (this.playing && this.shown && this.shown.number === step) await page.press("<Esc>");
        this.playing = false;
    }
}
