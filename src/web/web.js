"use strict";
// The script of the page. It does for the program what a machine would (files, leaving functions), hands it keys and shows
// its canvases as text. All that is known of lessons, keys and pictures is known by the program. Node can use the first half:
// it has no page.

// ---- The program, unpacked --------------------------------------------------------------------

const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.:+=^!/*?_,>()[]{}@%$#~";

// Five digits of base 85 stand for four bytes.
function bytesOf(length, digits) {
    const values = new Uint8Array(128);
    for (let i = 0; i < DIGITS.length; i++) values[DIGITS.charCodeAt(i)] = i;
    const words = new DataView(new ArrayBuffer(digits.length / 5 * 4));
    for (let at = 0, word = 0; at < digits.length; at++) {
        word = word * 85 + values[digits.charCodeAt(at)];
        if (at % 5 === 4) words.setUint32((at - 4) / 5 * 4, word), word = 0;
    }
    return new Uint8Array(words.buffer, 0, Number(length));
}

// "LENGTH DIGITS LENGTH DIGITS SIZE": a module that expands (expand.c), and the program to be expanded to that size.
async function unpack(text) {
    const [length, digits, packedLength, packedDigits, size] = text.trim().split(" ");
    const {instance: {exports}} = await WebAssembly.instantiate(bytesOf(length, digits));
    const packed = bytesOf(packedLength, packedDigits);
    const start = exports.memory.buffer.byteLength, out = start + packed.length;
    exports.memory.grow(Math.ceil((packed.length + Number(size)) / 65536));
    new Uint8Array(exports.memory.buffer).set(packed, start);
    exports.expand(start, out, Number(size));
    return WebAssembly.compile(new Uint8Array(exports.memory.buffer, out, Number(size)));
}

// ---- A running program ------------------------------------------------------------------------

const HOME = "/home", PLACE = HOME + "/.local/state/onestep/progress";
const DONE = 0, BAD_FILE = 8, IS_FILE = 4; // WASI's numbers
const encoder = new TextEncoder(), decoder = new TextDecoder();

// Thrown to leave a function of the program for a place further out.
class Leaving {
    constructor(place) { this.place = place; }
}

function joined(pieces) {
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0);
    return whole;
}

class Program {
    // Files: a map of names to bytes; what the program writes is put there too.
    static async start(module, files = new Map()) {
        const program = new Program();
        program.files = files;
        program.open = [{at: 0}, {pieces: []}, {pieces: []}]; // by descriptor: input, output, errors
        const instance = await WebAssembly.instantiate(module, program.imports());
        program.exports = instance.exports;
        program.exports._initialize();
        return program;
    }

    get view() { return new DataView(this.exports.memory.buffer); }
    bytes(address, length) { return new Uint8Array(this.exports.memory.buffer, address, length); }

    string(address) {
        const memory = new Uint8Array(this.exports.memory.buffer);
        return decoder.decode(memory.subarray(address, memory.indexOf(0, address)));
    }

    // Calls `use` with the address of a copy of the text.
    with(text, use) {
        const bytes = encoder.encode(text.replaceAll("\0", "\ufffd") + "\0");
        const address = this.exports.allocate(bytes.length);
        this.bytes(address, bytes.length).set(bytes);
        try {
            return use(address);
        } finally {
            this.exports.release(address);
        }
    }

    // A command line, as in a terminal.
    run(argv) {
        const addresses = new Uint32Array(["onestep", ...argv].map(text => {
            const bytes = encoder.encode(text + "\0"), address = this.exports.allocate(bytes.length);
            this.bytes(address, bytes.length).set(bytes);
            return address;
        }).concat(0));
        const list = this.exports.allocate(addresses.byteLength);
        this.bytes(list, addresses.byteLength).set(new Uint8Array(addresses.buffer));
        const status = this.exports.__main_argc_argv(addresses.length - 1, list);
        const [out, errors] = [1, 2].map(fd => joined(this.open[fd].pieces));
        return {status, out, text: decoder.decode(out), errors: decoder.decode(errors), files: this.files};
    }

    imports() {
        const environment = encoder.encode("HOME=" + HOME + "\0");
        const buffers = (list, count) => Array.from({length: count}, (_, i) =>
            this.bytes(this.view.getUint32(list + 8 * i, true), this.view.getUint32(list + 8 * i + 4, true)));
        const set = (address, value) => (this.view.setUint32(address, value, true), DONE);
        const wasi = {
            fd_write: (fd, list, count, written) => {
                const pieces = buffers(list, count).map(piece => piece.slice());
                if (!this.open[fd]) return BAD_FILE;
                this.open[fd].pieces.push(...pieces);
                return set(written, pieces.reduce((sum, piece) => sum + piece.length, 0));
            },
            fd_read: (fd, list, count, read) => {
                const file = this.open[fd];
                if (!file) return BAD_FILE;
                let sum = 0;
                for (const room of buffers(list, count)) {
                    const piece = (file.bytes || []).slice(file.at, file.at + room.length);
                    room.set(piece);
                    file.at += piece.length, sum += piece.length;
                }
                return set(read, sum);
            },
            fd_close: fd => {
                const file = this.open[fd];
                if (!file) return BAD_FILE;
                if (file.pieces) this.files.set(file.name, joined(file.pieces));
                this.open[fd] = null;
                return DONE;
            },
            fd_seek: () => BAD_FILE,
            fd_fdstat_get: (fd, status) => {
                this.bytes(status, 24).fill(0);
                this.bytes(status, 24)[0] = IS_FILE;
                return DONE;
            },
            environ_sizes_get: (count, size) => set(count, 1) || set(size, environment.length),
            environ_get: (list, bytes) => (this.bytes(bytes, environment.length).set(environment), set(list, bytes)),
            proc_exit: status => { throw new Error("exit " + status); },
        };
        const script = {
            attempt: (place, action, context) => {
                const stack = this.exports.__stack_pointer.value;
                try {
                    this.exports.__indirect_function_table.get(action)(context);
                    return 1;
                } catch (thrown) {
                    if (!(thrown instanceof Leaving) || thrown.place !== place) throw thrown;
                    this.exports.__stack_pointer.value = stack;
                    return 0;
                }
            },
            leave: place => { throw new Leaving(place); },
            open: (path, isNew) => {
                const name = this.string(path), bytes = this.files.get(name);
                if (!isNew && !bytes) return -1;
                const free = this.open.indexOf(null);
                const fd = free > 2 ? free : this.open.length;
                this.open[fd] = isNew ? {name, pieces: []} : {name, bytes, at: 0};
                return fd;
            },
            rename: (from, to) => {
                const bytes = this.files.get(this.string(from));
                if (!bytes) return -1;
                this.files.delete(this.string(from));
                this.files.set(this.string(to), bytes);
                return 0;
            },
            remove: path => this.files.delete(this.string(path)) ? 0 : -1,
        };
        return {wasi_snapshot_preview1: wasi, script};
    }
}

// What a command says and writes. Each has a program of its own, so none can spoil another.
async function command(module, argv, files = new Map()) {
    const program = await Program.start(module, new Map(files));
    return program.run(argv);
}

globalThis.onestep = {unpack, Program, command};

// ---- The page ---------------------------------------------------------------------------------

// Names of keys as the program has them (screen/keys.h). Tab is the browser's own.
const KEYS = {
    ArrowUp: "Up", ArrowDown: "Down", ArrowLeft: "Left", ArrowRight: "Right", Home: "Home", End: "End", PageUp: "PgUp",
    PageDown: "PgDn", Enter: "Enter", Escape: "Esc", Backspace: "Backspace", Delete: "Backspace",
};
const LEAST = {columns: 40, rows: 12}, MOST = {columns: 200, rows: 60};
const MOST_BYTES = (1 << 25) + 1; // one more than the program reads of a file

// Those who forbid to keep anything are served all the same.
const store = {
    get: name => { try { return localStorage.getItem(name); } catch { return null; } },
    set: (name, text) => { try { localStorage.setItem(name, text); } catch { /* not kept */ } },
};

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

class Page {
    constructor(module) {
        this.module = module;
        this.find = id => document.getElementById(id);
        this.walker = this.find("walker");
        this.screen = this.walker.querySelector(".screen");
        this.files = new Files();
        this.tokens = "";
        this.rows = [];
        this.fits = new Map();
        this.said = {};
    }

    // A program of its own, with the lessons that the address asks for.
    async begin() {
        this.program = await Program.start(this.module, this.files);
        const only = new URLSearchParams(location.search).get("lesson") || "";
        this.handle = this.program.with(only, names => this.program.exports.page(names));
    }

    async start() {
        await this.begin();
        this.program.exports.style(this.handle);
        this.find("style").textContent = this.result();
        this.measure();
        this.open(location.hash || "#");
        this.frame({replaces: true});
    }

    result() {
        const {exports} = this.program;
        return decoder.decode(this.program.bytes(exports.said(this.handle), exports.said_length(this.handle)));
    }

    // Does something in the program, and shows what came of it. If memory ends, or a mistake of ours stops the program, the
    // walk begins anew where it was.
    async act(action, options) {
        let reason = "something went wrong";
        try {
            if (action()) return this.frame(options);
            reason = this.result();
        } catch (error) {
            console.error(error);
        }
        const link = this.said.link || "#";
        await this.begin();
        this.open(link);
        this.tell(`This step was opened anew: ${reason}.`);
        this.frame();
    }

    // ---- Links

    tryLink(link) {
        return Boolean(this.program.with(link, address =>
            this.program.with(this.tokens, tokens => this.program.exports.open(this.handle, address, tokens))));
    }

    // Opens a link, or as much of it as can be, and then says what could not be.
    open(link) {
        if (this.tryLink(link)) return true;
        const reason = this.result();
        const [path, options = ""] = link.slice(link.indexOf("#") + 1).split(/\?(.*)/s);
        const paths = [path, path.split("/")[0], ""];
        let kept = paths.map(part => "#" + part).find(part => this.tryLink(part));
        if (kept === undefined) this.tokens = "", kept = "#", this.tryLink(kept);
        for (const option of options.split("&").slice(0, 32)) {
            const more = kept + (kept.includes("?") ? "&" : "?") + option;
            if (option && this.tryLink(more)) kept = more;
        }
        this.tryLink(kept);
        this.tell("This link can't be opened as it is: " + reason + ".");
        return false;
    }

    tell(text) { this.program.with(text, address => this.program.exports.tell(this.handle, address)); }

    // The address follows the walk: a new step is a new place to come back to, a new cell is not. Browsers allow no more
    // than a few changes a second, so what is walked in haste is one.
    follow(link, replaces) {
        const pause = 350; // milliseconds
        clearTimeout(this.following);
        const wait = (this.followedAt || -pause) + pause - performance.now();
        if (wait > 0 && !replaces) {
            this.following = setTimeout(() => this.follow(link, replaces), wait);
            return;
        }
        if (link === location.hash) return;
        this.followedAt = performance.now();
        const step = address => address.replace(/[?&]cell=[^&]*/, "");
        try {
            const change = replaces || step(link) === step(location.hash) ? "replaceState" : "pushState";
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
        const width = this.walker.clientWidth - 2 * border, height = this.walker.clientHeight - border;
        const usual = parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.9375;
        const size = Math.max(Math.min(usual, width / LEAST.columns / ratio), Math.min(width / MOST.columns / ratio, height / 24 / 1.28), 5);
        const fit = (room, each, limits) => Math.max(limits[0], Math.min(limits[1], Math.floor(room / each + 0.001)));
        const line = Math.floor(size * 1.28 * 4) / 4;
        this.size = {columns: fit(width, size * ratio, [LEAST.columns, MOST.columns]), rows: fit(height, line, [LEAST.rows, MOST.rows])};
        this.letter = {width: size * ratio, height: line};
        if (this.screen.style.fontSize !== size + "px") this.fits.clear(), this.rows = [];
        this.screen.style.cssText = `--row:${line}px;font-size:${size}px;line-height:${line}px;width:${this.size.columns * size * ratio}px`;
    }

    // A frame of the same walk in another size is nothing new: to the address, nor to who listens.
    frame({replaces = false, isNew = true} = {}) {
        const {exports} = this.program;
        const heat = !matchMedia("(forced-colors: active)").matches;
        exports.draw(this.handle, this.size.rows, this.size.columns, heat);
        this.show(this.result().split("\n").slice(0, this.size.rows));
        exports.describe(this.handle);
        const before = this.said;
        this.said = JSON.parse(this.result());
        this.place();
        if (isNew) this.find("spoken").textContent = this.said.spoken;
        if (JSON.stringify(this.said.keys) !== JSON.stringify(before.keys) || this.said.typing !== before.typing) this.showKeys();
        document.title = `${this.said.step} – ${this.said.title} – onestep`;
        this.follow(this.said.link, replaces);
        const shown = this.said.link.replace(/[?&]cell=[^&]*/, "");
        if (shown !== this.shown) this.shown = shown, this.wantDocument();
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

    columnsOf(part) { return Math.max(1, this.program.exports.columns_of(part.codePointAt(0))); }

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

    press(keys) {
        return this.act(() => this.program.with(keys, address => this.program.exports.press(this.handle, address, this.size.rows)));
    }

    pressKey(code) { return this.act(() => this.program.exports.press_key(this.handle, code, this.size.rows)); }

    point(lines, row = 0, column = 0) {
        return this.act(() => this.program.exports.point(this.handle, lines, row, column, this.size.rows));
    }

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
        const keys = [...this.said.keys].sort((a, b) => b.weight - a.weight).filter(key => key.label !== "quit");
        const made = keys.map(key => button(key.label, `${key.help} (${key.key})`, () => this.pressKey(key.code)));
        const arrows = [["←", "Left"], ["↓", "Down"], ["↑", "Up"], ["→", "Right"]].map(([sign, name]) => {
            const arrow = button(sign, name, () => this.press(`<${name}>`));
            arrow.setAttribute("aria-label", name);
            return arrow;
        });
        bar.replaceChildren(...(this.said.typing ? [this.typed()] : []), ...made.slice(0, 3), ...arrows, ...made.slice(3));
    }

    // Where there is no keyboard, a field brings one up.
    typed() {
        const field = document.createElement("input");
        field.id = "typed";
        field.setAttribute("aria-label", "Type here");
        field.autocapitalize = field.autocomplete = "off";
        field.value = " ";
        field.addEventListener("input", () => {
            const text = field.value.replace(/[\x00-\x1f]/g, "");
            field.value = " ";
            if (text === "") this.press("<Backspace>");
            for (const character of text.replace(" ", "")) this.press(character);
        });
        if (matchMedia("(pointer: coarse)").matches) setTimeout(() => field.focus());
        return field;
    }

    onKey(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
        const {target} = event;
        const isTyped = target.id === "typed" && (event.key === "Enter" || event.key === "Escape");
        if (!isTyped && target !== this.walker && target !== document.body && target !== document.documentElement) return;
        const key = KEYS[event.key] ? `<${KEYS[event.key]}>` : [...event.key].length === 1 ? event.key : "";
        if (!key) return;
        event.preventDefault();
        this.press(key);
        if (isTyped) this.walker.focus();
    }

    cellAt(event) {
        const box = this.screen.getBoundingClientRect();
        return [Math.floor((event.clientY - box.top) / this.letter.height), Math.floor((event.clientX - box.left) / this.letter.width)];
    }

    listen() {
        document.addEventListener("keydown", event => this.onKey(event));
        this.walker.addEventListener("click", event => {
            if (this.said.mouse && getSelection().isCollapsed) this.point(0, ...this.cellAt(event));
        });
        let turned = 0;
        this.walker.addEventListener("wheel", event => {
            if (event.ctrlKey || !this.said.mouse || this.walker.scrollHeight > this.walker.clientHeight + 12) return;
            event.preventDefault();
            turned += event.deltaY * (event.deltaMode === 1 ? 33 : 1);
            for (; Math.abs(turned) >= 100; turned -= Math.sign(turned) * 100) this.point(Math.sign(turned));
        }, {passive: false});
        let began = null;
        this.walker.addEventListener("touchstart", event => {
            began = event.touches.length === 1 ? [event.touches[0].clientX, event.touches[0].clientY, Date.now()] : null;
        }, {passive: true});
        this.walker.addEventListener("touchend", event => {
            const touch = event.changedTouches[0];
            if (!began || !touch || Date.now() - began[2] > 600 || !getSelection().isCollapsed) return;
            const across = touch.clientX - began[0], down = touch.clientY - began[1];
            if (Math.abs(across) > 60 && Math.abs(across) > 2 * Math.abs(down)) this.press(across < 0 ? "n" : "b");
            else if (Math.abs(down) > 60 && Math.abs(down) > 2 * Math.abs(across)) this.press(down < 0 ? "<PgDn>" : "<PgUp>");
        });
        new ResizeObserver(() => this.resize()).observe(this.walker);
        matchMedia("(forced-colors: active)").addEventListener("change", () => this.frame());
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
            else this.takeText(event.clipboardData.getData("text"));
        });
        const on = (id, action) => this.find(id).addEventListener("click", action);
        on("lessons", () => (this.walker.focus(), this.press("<Tab>")));
        on("help", () => (this.walker.focus(), this.press("?")));
        on("check", () => this.askForFile("Check your numbers"));
        on("tokens", () => this.askForFile("Walk with tokens of your own"));
        on("save", () => this.askToSave());
        on("share", () => this.share());
        this.find("file").addEventListener("change", event => {
            if (event.target.files[0]) this.take(event.target.files[0]);
            event.target.value = "";
        });
        if (window === parent) this.walker.focus({preventScroll: true}); // in a frame, the page around has it
    }

    resize() {
        const before = JSON.stringify([this.size, this.letter]);
        this.measure();
        if (JSON.stringify([this.size, this.letter]) !== before) this.frame({replaces: true, isNew: false});
    }

    arrive() {
        const link = location.hash || "#";
        clearTimeout(this.following);
        if (link === this.said.link) return;
        this.act(() => (this.open(link), true), {replaces: true});
    }

    // ---- The step as a document

    wantDocument() {
        clearTimeout(this.waiting);
        this.waiting = setTimeout(() => this.showDocument(), 250);
    }

    // The handout's headings and tables, in a corner of their own where their style stays.
    async showDocument() {
        const link = this.said.link;
        const {status, text} = await this.command(["print", link, "--format", "html"]);
        if (status !== 0 || link !== this.said.link) return;
        const handout = new DOMParser().parseFromString(text, "text/html");
        const style = document.createElement("style");
        style.textContent = handout.querySelector("style").textContent.replace(/(^|[\s,}])(:root|html|body)(?=[\s,{])/g, "$1:host") +
            ":host { display: block; max-width: 60rem; margin: 0 auto; padding: 0 1.25rem 3rem; }";
        const section = this.find("document");
        const root = section.shadowRoot || section.attachShadow({mode: "open"});
        root.replaceChildren(style, ...handout.querySelectorAll("article"));
    }

    // ---- Files

    command(argv) { return command(this.module, argv, this.files); }

    // The link without the step; the options that add the reader's own tokens.
    get lessonLink() { return this.said.link.replace(/\/[^?]*/, ""); }
    get ownTokens() { return this.tokens && this.usesTokens ? ["--input", this.tokens] : []; }

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

    buttons(...labels) {
        const box = this.element("div", "", {className: "buttons"});
        for (const [label, action] of [...labels, ["Close", () => this.close()]])
            box.append(this.element("button", label, {onclick: action}));
        return box;
    }

    askForFile(title) {
        const field = this.element("textarea", "", {placeholder: "0.2098 0.2006\n0.1385 0.2379", spellcheck: false});
        field.setAttribute("aria-label", "Numbers");
        const words = this.element("p", "Choose a file, drop one anywhere, or paste numbers here. Nothing leaves this machine.");
        this.ask(title, words, field, this.buttons(["Choose a file…", () => this.find("file").click()],
            ["Use what is pasted", () => this.takeText(field.value)]));
        field.focus();
    }

    takeText(text) {
        if (text.trim()) this.take(new File([text], "pasted.txt"));
    }

    // A file of the reader's: to be checked, or to be walked with.
    async take(file) {
        const name = file.name.replace(/[\0/]/g, "_");
        this.files.set(name, new Uint8Array(await file.slice(0, MOST_BYTES).arrayBuffer()));
        const {step, title} = this.said;
        this.ask(name, this.element("p", `What is to be done with it? It stays on this machine.`),
            this.buttons([`Check it against ${step} (${title})`, () => this.check(name)],
                ["Walk with these tokens", () => this.walkWith(name)]));
    }

    async check(name) {
        const {status, text, errors} = await this.command(["check", this.said.link, ...this.ownTokens, "--", name]);
        this.answer = {status, text, errors};
        this.ask("Checked: " + name, this.element("pre", text + errors, {tabIndex: 0}), this.buttons());
    }

    walkWith(name) {
        const before = this.tokens;
        this.tokens = name;
        this.close();
        const could = this.tryLink(this.said.link.replace(/[?&]cell=[^&]*/, ""));
        const reason = could ? "" : this.result();
        this.usesTokens = could;
        if (!could) this.tokens = before, this.open(this.said.link), this.tell(reason);
        this.frame();
        this.walker.focus();
    }

    askToSave() {
        const formats = ["html", "markdown", "torch", "plain", "json", "py", "ipynb", "csv", "npy", "svg", "latex", "gift"];
        const select = this.element("select");
        select.setAttribute("aria-label", "Format");
        select.append(...formats.map(format => new Option(format)));
        this.ask("Save as a file", select, this.buttons(
            ["This step", () => this.save(select.value, this.said.link)],
            ["The whole lesson", () => this.save(select.value, this.lessonLink)]));
    }

    async save(format, link) {
        const suffix = {torch: "txt", plain: "plain.txt", markdown: "md", latex: "tex", gift: "gift.txt"}[format] || format;
        const what = link === this.said.link ? `${this.said.lesson}.${this.said.step.replace(/[^\w-]+/g, "-")}` : this.said.lesson;
        const {status, out, errors} = await this.command(["print", link, ...this.ownTokens, "--format", format]);
        if (status !== 0) {
            const reason = errors.includes("holds one step") ? `A file of the format ${format} holds one step.` : errors.split("\n")[0];
            this.ask("Save as a file", this.element("p", reason), this.buttons());
            return;
        }
        const address = URL.createObjectURL(new Blob([out]));
        this.element("a", "", {href: address, download: `${what}.${suffix}`}).click();
        setTimeout(() => URL.revokeObjectURL(address), 10000);
        this.close();
    }

    async share() {
        const address = location.href.split("#")[0] + this.said.link;
        try {
            await navigator.clipboard.writeText(address);
            this.tell("Copied: the address of this step.");
            this.frame();
        } catch {
            const field = this.element("input", "", {value: address, readOnly: true, style: "width:100%"});
            field.setAttribute("aria-label", "Address");
            this.ask("The address of this step", field, this.buttons());
            field.select();
        }
    }
}

async function startPage() {
    const page = new Page(await unpack(document.getElementById("program").textContent));
    await page.start();
    page.listen();
    globalThis.onestep.page = page;
    document.documentElement.dataset.ready = "";
    globalThis.onestep.openedAfter = performance.now(); // milliseconds
    return page;
}

if (typeof document !== "undefined") globalThis.onestep.ready = startPage();
