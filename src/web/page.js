// ---- The page ---------------------------------------------------------------------------------

// Names of keys as the program has them (screen/keys.h). Tab is the browser's own, but in a line that is typed.
const KEYS = {
    ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right", Home: "Home", End: "End", PageUp: "PgUp",
    PageDown: "PgDn", Enter: "Enter", Escape: "Esc", Backspace: "Backspace", Delete: "Delete",
};
const LEAST = {columns: 40, rows: 12}, MOST = {columns: 200, rows: 60};
const MOST_BYTES = (1 << 25) + 1; // one more than the program reads of a file
const MOST_IN_LINK = 2000; // characters of the reader's own tokens
const FORMATS = {
    html: "A handout for a browser", markdown: "A handout as text", png: "An image of this step", svg: "A figure, sharp at any size", torch: "As PyTorch prints it",
    plain: "One fact a line, for screen readers", py: "A script that computes it in PyTorch and compares", ipynb: "The same as a notebook", csv: "This step for a spreadsheet",
    npy: "This step for NumPy", json: "All numbers with nine digits", latex: "This step as a matrix in LaTeX", gift: "This step as a question for Moodle",
};
const MOST_SHOWN = 200000; // characters of a program's output

// The place in the lessons is kept; while the window is open, the reader's own tokens too. Those who forbid to keep anything are
// served all the same.
const store = {
    get: (name, where = "localStorage") => { try { return window[where].getItem(name); } catch { return null; } },
    set: (name, text, where = "localStorage") => { try { window[where].setItem(name, text); } catch { /* not kept */ } },
};

// What comes of a command that was stopped.
function stopped(error) {
    if (error instanceof Stopped) return {};
    throw error;
}

class Files extends Map {
    constructor() {
        super();
        const place = store.get("onestep.progress");
        if (place) super.set(PLACE, encoder.encode(place));
    }
    set(name, bytes) {
        if (name === PLACE) store.set("onestep.progress", decoder.decode(bytes));
        return super.set(name, bytes);
    }
}

// A walk with nothing to go on from: no memory, no steps done since it was copied, which took no time.
const nothing = () => ({memory: null, done: [], took: 0});
const MOST_AGAIN = 300; // milliseconds of steps that are done again after a stop; more, and the memory is copied
const REST = 1000; // milliseconds without a step: nobody waits for the copy then

// Less of a link: without its options, without its step, without its lesson.
const lessOf = link => link.includes("?") ? link.replace(/\?.*/, "") : link.includes("/") ? link.replace(/\/.*/, "") : "#";

function adopted(root, text) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    root.adoptedStyleSheets = [sheet];
}

class Page {
    constructor() {
        this.walk = new Remote();
        this.answers = new Remote(); // of commands that the reader waits for
        this.writer = new Remote(); // of the document
        this.find = id => document.getElementById(id);
        this.walker = this.find("walker");
        this.screen = this.walker.querySelector(".screen");
        this.files = new Files();
        this.tokens = this.tokensKept();
        this.rows = [];
        this.fits = new Map();
        this.widths = new Map();
        this.said = {link: "#"};
        this.kept = nothing();
        this.walk.employ(); // while the browser reads the rest of the page, which is the program
        this.face = new Face(this);
        this.isFirst = this.address === "#";
        this.turnTo(store.get("onestep.view") !== "terminal");
        this.turn = Promise.resolve(); // when all steps that were asked for are done
        this.stops = 0;
    }

    // Begins with the page's text for the program.
    async start(packed) {
        this.code = {packed};
        adopted(document, await this.begin());
        this.measure();
        const opened = this.open(this.takeTokens(this.address), {replaces: true});
        this.listen(); // what is pressed now is done when the first frame is there
        await opened;
        const {unknown} = this, isOne = !unknown.includes(",");
        if (unknown) await this.tell(`The address asks for ${isOne ? "a lesson" : "lessons"} ${unknown}, which ${isOne ? "does" : "do"} not exist.`);
        else if (this.said.own_tokens) await this.tell(`These are your own tokens, from ${this.tokens}. "Your tokens…" leads back to the course's tokens.`);
    }

    // The step that the page's address names. A frame without an address (a notebook's cell) has it as its name.
    get address() { return location.hash || (window.name.startsWith("#") ? window.name : "#"); }

    // Begins a walk through the lessons that the address asks for, or goes on with the one that was kept. Returns the style of
    // its frames.
    async begin() {
        const only = new URLSearchParams(location.search).get("lesson") || "";
        const {module, style, unknown} = await this.walk.ask("begin", this.code, this.files, only, this.kept);
        this.code = {module};
        this.unknown = unknown;
        return style;
    }

    get module() { return this.code.module; }

    // ---- Steps of the walk

    get canvas() { return {...this.size, heat: !matchMedia("(forced-colors: active)").matches, face: this.face.isOpen}; }

    // Does a step of Engine in its turn, and shows the frame that comes of it. Was it done?
    act(step, options) {
        const {stops} = this;
        const done = this.turn.then(() => stops === this.stops && this.perform(step, options));
        this.turn = done.catch(() => false);
        return done;
    }

    async perform(step, options) {
        const [name, link] = step;
        const done = this.wait(this.find("busy"), name === "open" ? "Computing " + link : "Computing");
        try {
            await this.walked(step, options);
            this.keepSoon();
            return true;
        } catch (error) {
            await this.recover(name === "open" ? link : this.said.link, error.message);
            return false;
        } finally {
            done();
        }
    }

    // Copies the walk's memory when the reader rests, if its steps would take long to be done again.
    keepSoon() {
        clearTimeout(this.keeping);
        if (this.kept.took > MOST_AGAIN) this.keeping = setTimeout(() => this.turn = this.turn.then(() => this.keep()).catch(() => false), REST);
    }

    async keep() {
        try {
            this.kept = {...nothing(), memory: await this.walk.ask("memory")};
        } catch {
            await this.begin(); // it was stopped
        }
    }

    async walked(step, options) {
        const {canvas} = this, answer = await this.walk.ask("act", step, canvas);
        if (answer.reason) throw new Error(answer.reason);
        this.kept.done.push([step, canvas]);
        this.kept.took += answer.took;
        if (answer.place) this.files.set(PLACE, answer.place);
        if (step[0] === "open" || step[0] === "go") this.tokens = answer.tokens;
        if (step[0] === "go") this.keepTokens();
        for (const [name, bytes] of answer.written) this.download(name, bytes);
        for (const [character, columns] of answer.widths) this.widths.set(character, columns);
        this.frame(answer, options);
    }

    // Goes on with the walk as it was before a step that was not done, for a reason. Where there is none yet, or that is stopped
    // too, less of the link is opened.
    async recover(link, reason) {
        for (const wanted = link;;) {
            const isFirst = !this.kept.memory && this.kept.done.length === 0;
            try {
                await this.begin();
                if (isFirst) link = lessOf(link), await this.walked(["open", link, null], {replaces: true});
                await this.walked(["tell", `${reason}: ${isFirst ? "this step opened instead of " + wanted : "the screen has not changed"}.`], {replaces: true});
                return;
            } catch (error) {
                if (isFirst && link === "#") throw error;
                this.kept = nothing();
            }
        }
    }

    // Ends what is computed, and forgets the keys that wait.
    stop() {
        this.stops++;
        this.walk.stop();
    }

    // Says in a place of the page how long something takes, if it takes a moment. Returns what ends that.
    wait(place, what) {
        const began = performance.now();
        const timer = setInterval(() => {
            if (place.hidden) this.find("spoken").textContent = what + ". Escape stops it.";
            place.hidden = false;
            place.querySelector("span").textContent = `${what}: ${Math.round((performance.now() - began) / 1000)} s`;
        }, 250);
        return () => {
            clearInterval(timer);
            place.hidden = true;
        };
    }

    // What changes nothing in the walk, and need not be done again after a stop.
    look(...at) { return this.walk.ask("look", ...at).catch(stopped); }
    // The face of another step, without going there.
    async faceOf(link) {
        try {
            await this.writer.ask("begin", this.code, this.files, "", nothing());
            return await this.writer.ask("act", ["go", link, null], this.canvas);
        } catch (error) {
            return stopped(error);
        }
    }
    map() { return this.walk.ask("map").catch(stopped); }

    // Shows the walk in the page's own way, or as the program in a terminal does.
    turnTo(isFace) {
        this.find("face").hidden = !isFace;
        this.find("app").classList.toggle("face", isFace);
        this.find("tab").setAttribute("aria-pressed", String(!isFace));
    }

    async turnOver() {
        this.turnTo(!this.face.isOpen);
        store.set("onestep.view", this.face.isOpen ? "page" : "terminal");
        this.measure();
        await this.act(["stay"], {replaces: true});
        if (!this.face.isOpen) this.walker.focus({preventScroll: true}), this.wantDocument();
    }

    // ---- Links

    get ownFile() { return this.tokens ? [this.tokens, this.files.get(this.tokens)] : null; }

    open(link, options) { return this.act(["open", link, this.ownFile], options); }

    // A reload finds the reader's own tokens again.
    keepTokens() {
        const kept = this.tokens ? [this.tokens, decoder.decode(this.files.get(this.tokens))] : null;
        store.set("onestep.tokens", JSON.stringify(kept), "sessionStorage");
    }

    tokensKept() {
        const kept = JSON.parse(store.get("onestep.tokens", "sessionStorage"));
        if (kept) this.files.set(kept[0], encoder.encode(kept[1]));
        return kept ? kept[0] : "";
    }

    tell(text) { return this.act(["tell", text]); }

    // The address follows the walk: a new step is a new place to come back to, a new cell is not. Browsers allow no more
    // than a few changes a second, so what is walked in haste is one. In a frame, to go back is the business of the page around.
    follow(link, replaces) {
        const pause = 350; // milliseconds
        clearTimeout(this.following);
        const wait = (this.followedAt || -pause) + pause - performance.now();
        if (wait > 0 && !replaces) {
            this.following = setTimeout(() => this.follow(link, replaces), wait);
            return;
        }
        if (link === location.hash || !link.startsWith("#")) return;
        this.followedAt = performance.now();
        const step = address => address.replace(/[?&]cell=[^&]*/, "");
        try {
            const change = replaces || window !== parent || step(link) === step(location.hash) ? "replaceState" : "pushState";
            history[change](null, "", link);
        } catch { /* a frame may forbid it */ }
    }

    // ---- Frames

    // The size of the letters, and with it of the canvas, follows the window.
    measure() {
        const probe = document.createElement("span");
        probe.textContent = "0".repeat(100);
        probe.style.cssText = "position:absolute;visibility:hidden;white-space:pre;font-size:100px";
        this.screen.append(probe);
        const ratio = probe.getBoundingClientRect().width / 10000 || 0.6;
        probe.remove();
        const border = 4; // of #walker: the frame that shows the focus
        const [width, height] = this.face.isOpen ? this.face.room : [this.walker.clientWidth - 2 * border, this.walker.clientHeight - border];
        const usual = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.9375;
        const size = Math.max(Math.min(usual, width / LEAST.columns / ratio), Math.min(width / MOST.columns / ratio, height / 24 / 1.28), 5);
        const fit = (room, each, limits) => Math.max(limits[0], Math.min(limits[1], Math.floor(room / each + 0.001)));
        const line = Math.floor(size * 1.28 * 4) / 4;
        const columns = room => fit(room, size * ratio, [LEAST.columns, MOST.columns]);
        this.size = {columns: columns(width), rows: fit(height, line, [LEAST.rows, MOST.rows]), beside: columns(this.face.roomBeside)};
        this.letter = {width: size * ratio, height: line};
        if (this.screen.style.fontSize !== size + "px") this.fits.clear(), this.rows = [];
        this.find("rows").style.cssText = `--row:${line}px;--size:${size}px`;
        this.screen.style.cssText = `--row:${line}px;font-size:${size}px;line-height:${line}px;width:${this.size.columns * size * ratio}px`;
    }

    // A frame of the same walk in another size is nothing new: to the address, nor to who listens.
    frame({markup, said, ...own}, {replaces = false, isNew = true} = {}) {
        const before = this.said;
        this.said = said;
        if (isNew) this.find("spoken").textContent = this.said.spoken;
        this.find("lesson").textContent = this.said.title;
        if (this.face.isOpen) this.face.show({...own, markup}); // it asks for a layout of the page, so these words come first
        else this.show(markup), this.place();
        if (JSON.stringify(this.said.keys) !== JSON.stringify(before.keys) || this.said.typing !== before.typing) this.showKeys();
        this.followTyping();
        document.title = `${this.said.step} – ${this.said.title} – onestep`;
        this.follow(this.said.link, replaces);
        const shown = this.said.link.replace(/[?&]cell=[^&]*/, "");
        if (shown !== this.shown && !this.face.isOpen) this.shown = shown, this.wantDocument();
    }

    show(rows) {
        while (this.screen.querySelectorAll(":scope > div").length > rows.length) this.screen.lastChild.remove();
        const lines = this.screen.querySelectorAll(":scope > div");
        rows.forEach((markup, i) => {
            if (this.rows[i] === markup && lines[i]) return;
            const line = lines[i] || this.screen.appendChild(document.createElement("div"));
            line.innerHTML = markup; // the program's own, and escaped there
            this.align(line);
        });
        this.rows = rows;
    }

    // Letters that the font lacks come from another one, of other widths: they get a box as wide as their columns.
    align(line) {
        if (/^[ -~]*$/.test(line.textContent)) return;
        for (const span of line.children) {
            const parts = span.textContent.match(/[ -~]+|\P{M}\p{M}*/gsu) || [];
            if (parts.every(part => this.fitting(part))) continue;
            span.replaceChildren(...parts.map(part => {
                if (this.fitting(part)) return part;
                const box = document.createElement("span");
                box.className = "fit";
                box.style.width = this.columnsOf(part) * this.letter.width + "px";
                box.textContent = part;
                return box;
            }));
        }
    }

    columnsOf(part) { return Math.max(1, this.widths.get(String.fromCodePoint(part.codePointAt(0)))); }

    fitting(part) {
        if (/^[ -~]/.test(part)) return true;
        if (!this.fits.has(part)) {
            this.pen = this.pen || document.createElement("canvas").getContext("2d");
            const style = getComputedStyle(this.screen);
            this.pen.font = `100px ${style.fontFamily}`;
            const each = this.pen.measureText("0").width;
            this.fits.set(part, Math.abs(this.pen.measureText(part).width - this.columnsOf(part) * each) < 0.5);
        }
        return this.fits.get(part);
    }

    place() {
        const {row, column} = this.said;
        const cursor = this.find("cursor");
        cursor.style.transform = `translate(${column * this.letter.width}px,${row * this.letter.height}px)`;
        cursor.hidden = row >= this.size.rows - 1;
    }

    // ---- Keys, mouse, touch

    press(keys) { return this.where(keys).then(isDone => isDone || this.act(["press", keys, this.size.rows])); }
    pressKey(code) { return this.where(String.fromCharCode(code)).then(isDone => isDone || this.act(["pressKey", code, this.size.rows])); }

    // The tour teaches the keys of the terminal, and is taken there. A line has its field on the page, a file its dialog. Is this all?
    async where(key) {
        if (!this.face.isOpen) return false;
        if (key === "T" && this.said.keys.some(({label}) => label === "tour")) await this.turnOver();
        if (key === "S" && this.said.on_step) return this.askToSave(), true;
        return key === "y" && this.said.on_step && this.face.edit();
    }
    point(row, column) { return this.act(["point", row, column, this.size.rows]); }

    showKeys() {
        const bar = this.find("keys");
        const button = (label, help, action) => {
            const made = document.createElement("button");
            made.append(label);
            made.title = help;
            made.addEventListener("pointerdown", event => event.preventDefault()); // the walker keeps the focus
            made.addEventListener("click", action);
            return made;
        };
        const isOwn = this.face.hasOwnKeys;
        const hasNext = this.said.keys.some(({label}) => label === "next");
        const isNeeded = ({key, label}) => !["Enter", "?", "1"].includes(key) && (this.face.shown || hasNext || !["next page", "back"].includes(label));
        const keys = (isOwn ? this.said.keys.filter(isNeeded) : [...this.said.keys]).sort((a, b) => b.weight - a.weight);
        const made = keys.map(key => button(key.label, `${key.help} (${key.key})`, () => this.pressKey(key.code)));
        const arrows = [["←", "Left"], ["↓", "Down"], ["↑", "Up"], ["→", "Right"]].map(([sign, name]) => {
            const arrow = button(sign, name, () => this.press(`<${name}>`));
            arrow.setAttribute("aria-label", name);
            return arrow;
        });
        bar.replaceChildren(...(this.said.typing ? [this.typed()] : []), ...made.slice(0, 3), ...isOwn && !this.face.hasFigure ? [] : arrows, ...made.slice(3));
    }

    // Where there is no keyboard, a field brings one up. It has what was typed behind a space, so that there is something to take back.
    typed() {
        const field = document.createElement("input");
        field.id = "typed";
        field.setAttribute("aria-label", "Type here");
        field.autocapitalize = field.autocomplete = "off";
        let before = field.value = " " + (this.said.typed || "");
        field.addEventListener("focus", () => before = field.value);
        field.addEventListener("input", () => {
            const text = field.value.replace(/[\x00-\x1f]/g, "");
            let same = 0;
            while (same < before.length && before[same] === text[same]) same++;
            for (const _ of before.slice(same)) this.press("<Backspace>");
            for (const character of text.slice(same)) this.press(character);
            if (!text) field.value = " ";
            before = field.value;
        });
        if (matchMedia("(pointer: coarse)").matches) setTimeout(() => field.focus());
        return field;
    }

    // What was typed elsewhere stands in the field, too.
    followTyping() {
        const field = this.find("typed");
        if (field && field !== document.activeElement) field.value = " " + (this.said.typed || "");
    }

    // Into a line of PyTorch go several lines as they are.
    paste(text) {
        const edits = this.said.keys.some(({label}) => label === "complete");
        for (const character of text.replace(/\r\n?/g, "\n").replace(edits ? /$^/ : /\s*\n\s*/g, " ")) this.press(character);
    }

    onKey(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
        const {target} = event;
        const isTyped = target.id === "typed" && (event.key === "Enter" || event.key === "Escape");
        const isButton = target.closest("button, a, summary"), isField = target.closest("textarea, input, select, dialog");
        const isFree = this.face.isOpen ? !isField && !(isButton && (event.key === "Enter" || event.key === " "))
            : target === this.walker || target === document.body || target === document.documentElement;
        if (!isTyped && !isFree) return;
        const completes = event.key === "Tab" && !event.shiftKey && this.said.keys.some(({label}) => label === "complete");
        const key = completes ? "<Tab>" : KEYS[event.key] ? `<${KEYS[event.key]}>` : [...event.key].length === 1 ? event.key : "";
        if (!key) return;
        event.preventDefault();
        if (this.face.isOpen && this.face.scrolls(event.key)) return;
        if (key === "<Esc>" && !this.find("busy").hidden) this.stop();
        else this.press(key);
        if (isTyped) this.walker.focus();
    }

    cellAt(event) {
        const box = this.screen.getBoundingClientRect();
        return [Math.floor((event.clientY - box.top) / this.letter.height), Math.floor((event.clientX - box.left) / this.letter.width)];
    }

    listen() {
        document.addEventListener("keydown", event => this.onKey(event));
        this.walker.addEventListener("click", event => {
            if (this.said.mouse && getSelection().isCollapsed) this.point(...this.cellAt(event));
        });
        let began = null;
        this.walker.addEventListener("touchstart", event => {
            began = event.touches.length === 1 ? [event.touches[0].clientX, event.touches[0].clientY, Date.now()] : null;
        }, {passive: true});
        this.walker.addEventListener("touchend", event => {
            const touch = event.changedTouches[0];
            if (!began || !touch || Date.now() - began[2] > 600 || !getSelection().isCollapsed) return;
            const across = touch.clientX - began[0], down = touch.clientY - began[1];
            if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) this.press(across < 0 ? "n" : "b");
        });
        new ResizeObserver(() => this.resize()).observe(this.find("app"));
        matchMedia("(forced-colors: active)").addEventListener("change", () => this.act(["stay"]));
        addEventListener("popstate", () => this.arrive());
        addEventListener("dragover", event => event.preventDefault());
        addEventListener("drop", event => {
            event.preventDefault();
            const file = event.dataTransfer.files[0];
            if (file) this.take(file);
            else this.takeText(event.dataTransfer.getData("text"));
        });
        addEventListener("paste", event => {
            if (event.target.matches && event.target.matches("input, textarea")) return;
            const file = event.clipboardData.files[0];
            if (file) this.take(file);
            else if (this.said.typing) this.paste(event.clipboardData.getData("text").trimEnd());
            else this.takeText(event.clipboardData.getData("text"));
        });
        const on = (id, action) => this.find(id).addEventListener("click", action);
        on("lessons", () => (this.walker.focus(), this.press("L")));
        on("tab", () => this.turnOver());
        on("help", () => (this.walker.focus(), this.press("?")));
        on("check", () => this.askToCheck());
        on("run", () => this.askForProgram());
        on("tokens", () => this.askForFile("Walk with tokens of your own", "a line for each token, with its numbers",
            "token,d1,d2,d3\nYour,0.43,0.15,0.89\njourney,0.55,0.87,0.66", ["Walk with these", name => this.walkWith(name)],
            ...this.tokens ? [["Back to the course's tokens", () => this.walkWith("")]] : []));
        on("save", () => this.askToSave());
        on("share", () => this.share());
        on("about", () => this.ask("About", this.find("about_words").content.cloneNode(true), this.buttons()));
        on("stop", () => (this.walker.focus(), this.stop()));
        this.find("dialog").addEventListener("close", () => this.walker.focus({preventScroll: true}));
        this.find("file").addEventListener("change", event => {
            if (event.target.files[0]) this.take(event.target.files[0]);
            event.target.value = "";
        });
        if (window === parent && !this.face.isOpen) this.walker.focus({preventScroll: true}); // in a frame, the page around has it
    }

    resize() {
        const before = JSON.stringify([this.size, this.letter]);
        this.measure();
        if (JSON.stringify([this.size, this.letter]) !== before) this.act(["stay"], {replaces: true, isNew: false});
    }

    arrive() {
        const link = location.hash || "#";
        clearTimeout(this.following);
        if (link === this.said.link) return;
        this.close();
        this.open(this.takeTokens(link), {replaces: true});
    }

    // ---- The step as a document

    wantDocument() {
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.showDocument(), 250);
    }

    // The handout's headings and tables, in a corner of their own where their style stays.
    async showDocument() {
        const link = this.said.link;
        if (this.writer.isBusy) this.writer.stop();
        const {status, text} = await this.command(["print", link, "--format", "html"], this.writer).catch(stopped);
        if (status !== 0 || link !== this.said.link) return;
        const [, style, rest] = text.match(/<style>(.*?)<\/style>(.*)/s);
        const handout = new DOMParser().parseFromString(rest, "text/html");
        const section = this.find("document");
        const root = section.shadowRoot || section.attachShadow({mode: "open"});
        adopted(root, style.replace(/(^|[\s,}])(:root|html|body)(?=[\s,{])/g, "$1:host") +
            ":host { display: block; max-width: 60rem; margin: 0 auto; padding: 0 1.25rem 3rem; }");
        root.replaceChildren(...handout.querySelectorAll("article"));
    }

    // ---- Files

    command(argv, remote = this.answers) { return remote.ask("command", this.code, argv, this.files); }

    // The answer of a command that the reader waits for, in a dialog that ends it when it is closed.
    async asked(title, argv) {
        const line = this.element("p", "");
        line.append(this.element("span", "A moment…"));
        const box = this.element("div", "", {className: "buttons"});
        box.append(this.element("button", "Stop", {onclick: () => this.close()}));
        this.ask(title, line, box);
        const dialog = this.find("dialog"), stop = () => dialog.open || this.answers.stop(); // it may close and open at once
        dialog.addEventListener("close", stop);
        const done = this.wait(line, "Computing");
        try {
            return await this.command(argv).catch(stopped);
        } finally {
            done();
            dialog.removeEventListener("close", stop);
        }
    }

    // The link without the step; the options that add the reader's own tokens.
    get lessonLink() { return this.said.link.replace(/\/[^?]*/, ""); }
    get ownTokens() { return this.said.own_tokens ? ["--input", this.tokens] : []; }

    ask(title, ...content) {
        const dialog = this.find("dialog");
        const heading = document.createElement("h2");
        heading.id = "dialog_title";
        heading.textContent = title;
        dialog.replaceChildren(heading, ...content);
        if (!dialog.open) dialog.showModal();
    }

    close() { this.find("dialog").close(); }

    element(name, text, properties = {}) {
        const made = Object.assign(document.createElement(name), properties);
        if (text) made.textContent = text;
        return made;
    }

    // The first of them is what most readers want.
    buttons(...labels) {
        const box = this.element("div", "", {className: "buttons"});
        for (const [label, action] of [...labels, ["Close", () => this.close()]])
            box.append(this.element("button", label, {onclick: action}));
        if (labels.length > 0) box.firstChild.className = "primary";
        return box;
    }

    askForFile(title, what, placeholder, use, ...more) {
        const field = this.element("textarea", "", {placeholder, spellcheck: false});
        field.setAttribute("aria-label", "Numbers");
        const words = this.element("p", `Paste ${what}, choose a file, or drop one anywhere. Nothing leaves this machine.`);
        this.ask(title, words, field, this.buttons([use[0], () => field.value.trim() && use[1](this.keep("pasted.txt", encoder.encode(field.value)))],
            ["Choose a file…", () => this.find("file").click()], ...more));
        field.focus();
    }

    keep(name, bytes) {
        this.files.set(name, bytes);
        return name;
    }

    // Numbers that are compared with the step on the page.
    askToCheck() {
        this.askForFile(`Check your numbers against ${this.said.step} (${this.said.title})`, "what your code printed",
            "tensor([[0.2098, 0.2006],\n        [0.1385, 0.2379]])", ["Check", name => this.check(name)]);
    }

    takeText(text) {
        if (text.trim()) this.take(new File([text], "pasted.txt"));
    }

    // A file of the reader's: to be checked, to be walked with, or to be run.
    async take(file) {
        const name = file.name.replace(/[\0/]/g, "_");
        this.files.set(name, new Uint8Array(await file.slice(0, MOST_BYTES).arrayBuffer()));
        const {step, title} = this.said;
        const uses = [[`Check it against ${step} (${title})`, () => this.check(name)],
            ["Walk with these tokens", () => this.walkWith(name)], ["Run this program", () => this.run(name)], ["Walk through this program", () => this.walkThrough(name)]];
        this.ask(name, this.element("p", `What should onestep do with this file? It stays on this machine.`),
            this.buttons(.../\.(py|ipynb)$/.test(name) ? uses.reverse() : uses));
    }

    // A program to be run: the last one, to be changed, or a new one.
    askForProgram(reason = "") {
        const field = this.element("textarea", "", {value: this.program || "", placeholder: "import torch\nprint(torch.ones(2, 3))", spellcheck: false});
        field.setAttribute("aria-label", "Program");
        const words = this.element("p", "Write or paste a program in Python, choose a file, or drop one anywhere. It needs no PyTorch, and nothing leaves this machine.");
        this.ask("Your code", words, ...reason ? [this.element("p", reason, {className: "wrong"})] : [], field, this.buttons(["Walk through it", () => this.walkText(field.value)], ["Only run it", () => this.runText(field.value)],
            ["Choose a file…", () => this.find("file").click()]));
        field.focus();
    }

    runText(text) {
        this.files.set("program.py", encoder.encode(text));
        return this.run("program.py");
    }

    // Walks through a program: each of its lines that makes a tensor is a step.
    walkText(text) {
        this.files.set("program.py", encoder.encode(text));
        return this.walkThrough("program.py");
    }

    async walkThrough(name) {
        const text = this.program = decoder.decode(this.files.get(name));
        this.close();
        const isWalked = await this.act(["walkProgram", name, this.files.get(name)]);
        const reason = this.face.shown ? this.face.shown.cell || "" : "", [, line] = reason.match(/^[^:]*:(\d+): /) || [];
        if (isWalked || !line) return;
        this.askForProgram(reason.replace(/: the screen has not changed\.$/, ""));
        const before = text.split("\n").slice(0, line - 1).join("\n").length + (line > 1);
        this.find("dialog").querySelector("textarea").setSelectionRange(before, before + text.split("\n")[line - 1].length);
    }

    // What the program prints, and where it ends with an error, as in a terminal.
    async run(name) {
        this.program = decoder.decode(this.files.get(name));
        const {status, text, errors} = await this.asked("Running: " + name, ["run", "--", name]);
        if (status === undefined) return;
        this.answer = {status, text, errors};
        const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}\n(and ${text.length - MOST_SHOWN} more characters)\n` : text;
        this.ask((status === 0 ? "Ran: " : "Failed: ") + name, this.element("pre", shown + errors, {tabIndex: 0}),
            this.buttons(["Change the program…", () => this.askForProgram()]));
    }

    async check(name) {
        const argv = ["check", this.said.link, ...this.ownTokens], {step} = this.said;
        const {status, text, errors} = await this.asked("Checking: " + name, [...argv, "--", name]);
        if (status === undefined) return;
        this.answer = {status, text, errors};
        this.ask("Checked: " + name, this.element("pre", text + errors, {tabIndex: 0}), this.buttons());
        if (!this.face.isOpen || status !== 1) return;
        const told = await this.command([...argv, "--format", "json", "--", name]).catch(stopped);
        if (told.status === 1 && this.said.step === step) this.face.markWrong(JSON.parse(told.text).different_at);
    }

    // Walks with the tokens of a file, or with the course's ("").
    async walkWith(name) {
        this.close();
        this.walker.focus();
        const link = this.said.link.replace(/[?&]cell=[^&]*/, "");
        await this.act(["go", link, name ? [name, this.files.get(name)] : null]);
    }

    askToSave() {
        const select = this.element("select");
        select.setAttribute("aria-label", "Format");
        select.append(...Object.entries(FORMATS).map(([format, words]) => new Option(`${words} (${format})`, format)));
        this.ask("Save as a file", select, this.buttons(
            ["This step", () => this.save(select.value, this.said.link)],
            ["The whole lesson", () => this.save(select.value, this.lessonLink)]));
    }

    async save(format, link) {
        if (format === "png") return this.savePicture();
        const suffix = {torch: "txt", plain: "plain.txt", markdown: "md", latex: "tex", gift: "gift.txt"}[format] || format;
        const what = link === this.said.link ? `${this.said.lesson}.${this.said.step.replace(/[^\w-]+/g, "-")}` : this.said.lesson;
        const {status, out, errors} = await this.asked("Saving: " + what, ["print", link, ...this.ownTokens, "--format", format]);
        if (status === undefined) return;
        if (status !== 0) {
            const reason = errors.includes("holds one step") ? `A file of the format ${format} holds one step.` : errors.split("\n")[0];
            this.ask("Save as a file", this.element("p", reason), this.buttons());
            return;
        }
        this.download(`${what}.${suffix}`, out);
        this.close();
    }

    // The figure of the step in light colours, as it is on paper, twice as large.
    async savePicture() {
        const {said} = this, SCALE = 2;
        const {status, text} = await this.asked("Saving: " + said.step, ["print", said.link, ...this.ownTokens, "--format", "svg"]);
        if (status === undefined) return;
        const image = new Image();
        image.src = URL.createObjectURL(new Blob([text.replace("prefers-color-scheme:dark", "max-width:0")], {type: "image/svg+xml"}));
        await image.decode();
        const canvas = this.element("canvas", "", {width: image.naturalWidth * SCALE, height: image.naturalHeight * SCALE}), pen = canvas.getContext("2d");
        pen.fillStyle = "#fff";
        pen.fillRect(0, 0, canvas.width, canvas.height);
        pen.drawImage(image, 0, 0, canvas.width, canvas.height);
        URL.revokeObjectURL(image.src);
        const file = await new Promise(resolve => canvas.toBlob(resolve));
        this.download(`${said.lesson}.${said.step.replace(/[^\w-]+/g, "-")}.png`, await file.arrayBuffer());
        this.close();
    }

    // A link may carry the reader's own tokens: they become a file. What is left of the link.
    takeTokens(link) {
        const [, text] = link.match(/[?&]tokens=([^&]*)/) || [];
        if (text === undefined) return link;
        try {
            this.tokens = this.keep("shared.csv", encoder.encode(decodeURIComponent(text)));
            this.keepTokens();
        } catch { /* no text */ }
        return link.replace(/([?&])tokens=[^&]*&?/, "$1").replace(/[?&]$/, "");
    }

    get linkWithTokens() {
        const {link, own_tokens} = this.said, text = own_tokens ? encodeURIComponent(decoder.decode(this.files.get(this.tokens))) : "";
        return text && text.length < MOST_IN_LINK ? `${link}${link.includes("?") ? "&" : "?"}tokens=${text}` : "";
    }

    download(name, bytes) {
        const address = URL.createObjectURL(new Blob([bytes]));
        this.element("a", "", {href: address, download: name}).click();
        setTimeout(() => URL.revokeObjectURL(address), 10000);
    }

    // The step that is on the page: its address, a frame of it for another page, and a picture.
    share() {
        const {title, step, own_tokens} = this.said;
        const address = location.href.split("#")[0] + this.said.link;
        const quoted = address.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
        const frame = `<iframe src="${quoted}" title="onestep: ${step}" width="820" height="560"></iframe>`;
        if (this.said.is_program) {
            this.ask("Share: your own program", this.element("p", "A program of your own has no link: it is in no address. Send its file, which this page walks through as well."), this.buttons());
            return;
        }
        const local = location.protocol === "file:" ? [this.element("p", "This page is a file on this machine, so the link works only here. Put onestep.html where others can open it, and share from there.")] : [];
        const others = own_tokens ? [this.element("p", `It does not contain your own tokens: they are in ${this.tokens}.`)] : [];
        const said = this.element("p", "", {role: "status"});
        const pictures = this.buttons(["Save an image (PNG)", () => this.savePicture()], ["Save a picture (SVG)", () => this.save("svg", this.said.link)]);
        pictures.firstChild.className = ""; // but for the link
        const line = (label, text) => {
            const field = this.element("input", "", {value: text, readOnly: true});
            field.setAttribute("aria-label", label);
            const copy = this.element("button", "Copy", {className: label === "Link" ? "primary" : "", onclick: () => this.copy(field, said)});
            const box = this.element("div", "", {className: "buttons"});
            box.append(this.element("span", label), field, copy);
            return box;
        };
        this.ask(`Share: ${step} (${title})`, line("Link", address), line("Frame", frame), ...this.linkWithTokens ? [line("With tokens", location.href.split("#")[0] + this.linkWithTokens)] : [], ...local, ...others, said, pictures);
    }

    // Copies what is in a field, or chooses it, where copying is forbidden.
    async copy(field, said) {
        field.select();
        try {
            await navigator.clipboard.writeText(field.value);
            said.textContent = `Copied: ${field.getAttribute("aria-label")}.`;
        } catch {
            said.textContent = "Chosen: Ctrl-C copies it.";
        }
    }
}

async function startPage() {
    const page = globalThis.onestep.page = new Page();
    await new Promise(resolve => document.addEventListener("DOMContentLoaded", resolve));
    await page.start(document.getElementById("program").textContent);
    document.documentElement.dataset.ready = "";
    globalThis.onestep.openedAfter = performance.now(); // milliseconds
    return page;
}

if (typeof document !== "undefined") globalThis.onestep.ready = startPage();
