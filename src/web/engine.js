// ---- The engine -------------------------------------------------------------------------------

// All that computes: a walk, and commands. It knows nothing of the page, and is asked and answers in plain data, so that it
// can work in a worker, and the page stays free for keys.
class Engine {
    // `code` is {packed}, the page's text for the program, or {module}, unpacked before.
    async load(code) {
        this.module = this.module || code.module || await unpack(code.packed);
        return this.module;
    }

    // Begins a walk through the lessons named in `only` ("": all). `kept` is a walk to go on with: its memory, if any, and the
    // requests that it has done since.
    async begin(code, files, only, {memory, done}) {
        this.files = new Map(files);
        this.program = await Program.start(await this.load(code), this.files);
        const {exports} = this.program;
        this.handle = this.program.with(only, names => exports.page(names));
        const unknown = this.said();
        exports.style(this.handle);
        const style = this.said();
        if (memory) {
            const missing = memory.byteLength - exports.memory.buffer.byteLength;
            if (missing > 0) exports.memory.grow(missing / 65536);
            new Uint8Array(exports.memory.buffer).set(new Uint8Array(memory));
        }
        this.widths = new Map();
        for (const [step, canvas] of done) this.act(step, canvas);
        return {module: this.module, style, unknown};
    }

    // The walk's memory: all there is to know of it between two requests.
    memory() { return this.program.exports.memory.buffer.slice(0); }

    // Does a step, which is the name of a method below and what it is given, and draws the frame that comes of it. A walk that
    // could not do a step is of no use any more.
    act([name, ...given], {rows, columns, beside, heat, face}) {
        const began = performance.now(), {exports} = this.program;
        const place = this.files.get(PLACE), names = new Set(this.files.keys());
        if (!this[name](...given)) return {reason: this.said()};
        if (face) exports.face(this.handle, rows, columns, beside, heat);
        else exports.draw(this.handle, rows, columns, heat);
        const {markup: text, ...own} = face ? JSON.parse(this.said()) : {markup: this.said()};
        const markup = text.split("\n").slice(0, -1);
        exports.describe(this.handle);
        const answer = {...own, markup, said: JSON.parse(this.said()), widths: this.newWidths(markup), tokens: this.tokens};
        if (this.files.get(PLACE) !== place) answer.place = this.files.get(PLACE);
        return {...answer, written: this.written(names), took: performance.now() - began};
    }

    press(keys, rows) { return this.program.with(keys, address => this.program.exports.press(this.handle, address, rows)); }
    pressKey(code, rows) { return this.program.exports.press_key(this.handle, code, rows); }
    point(row, column, rows) { return this.program.exports.point(this.handle, row, column, rows); }
    tell(text) { return this.program.with(text, address => this.program.exports.tell(this.handle, address)); }
    choose(row, column, rows) { return this.program.exports.choose(this.handle, row, column, rows); }
    pick(number, rows) { return this.program.exports.pick(this.handle, number, rows); }
    click(panel, row, column) { return this.program.exports.click(this.handle, panel, row, column); }
    goTo(step) { return this.program.exports.go(this.handle, step); }
    type(text) { return this.program.with(text, address => this.program.exports.type(this.handle, address)); }
    set(number, value) { return this.program.with(value, address => this.program.exports.set(this.handle, number, address)); }
    stay() { return true; }

    // What the face says of a cell of one of its matrices; the lesson's map as SVG, and the style of both. They change nothing.
    look(panel, row, column) { return this.program.exports.look(this.handle, panel, row, column) ? JSON.parse(this.said()) : {}; }
    map() { return this.program.exports.map(this.handle) ? JSON.parse(this.said()) : null; }

    // Opens a link. `tokens` is a file of the reader's own, [name, bytes], or null.
    go(link, tokens) {
        const [name, bytes] = tokens || [""];
        if (name) this.files.set(name, bytes);
        this.tokens = name;
        return Boolean(this.program.with(link, address =>
            this.program.with(name, own => this.program.exports.open(this.handle, address, own))));
    }

    // Walks through a program of the reader's, as if it were a lesson. It reports why it can't, and the walk stays as it is.
    walkProgram(name, bytes) {
        this.files.set(name, bytes);
        this.tokens = "";
        return Boolean(this.program.with(name, path => this.program.with("", own => this.program.exports.open(this.handle, path, own))));
    }

    // Opens a link, or as much of it as can be, and then says what could not be. One that leads nowhere leads to the beginning.
    open(link, tokens) {
        if (this.go(link, tokens)) return true;
        const reason = this.said();
        const [path, options = ""] = link.slice(link.indexOf("#") + 1).split(/\?(.*)/s);
        const paths = [path, path.split("/")[0] + "/1", this.program.string(this.program.exports.first_lesson(this.handle)) + "/1"];
        let kept = paths.map(part => "#" + part).find(part => this.go(part, tokens));
        if (kept === undefined) tokens = null, kept = "#" + paths[2], this.go(kept);
        for (const option of options.split("&").slice(0, 32)) {
            const more = kept + (kept.includes("?") ? "&" : "?") + option;
            if (option && this.go(more, tokens)) kept = more;
        }
        // The program speaks of a command line, and says behind a semicolon what to type there.
        const words = reason.split(";")[0].replace(/--(?=[a-z])/g, "");
        return this.go(kept, tokens) && this.tell(`This link does not open as written: ${words}. This step opened instead.`);
    }

    // What the last call left to be read.
    said() {
        const {exports} = this.program;
        return decoder.decode(this.program.bytes(exports.said(this.handle), exports.said_length(this.handle)));
    }

    // The files that a step has written for the reader: those that had none of these names. They are handed over, and gone.
    written(names) {
        const found = [...this.files].filter(([name]) => !names.has(name) && name !== PLACE);
        for (const [name] of found) this.files.delete(name);
        return found;
    }

    // Columns of the characters that were in no frame before.
    newWidths(markup) {
        const found = [];
        for (const [character] of markup.join("").matchAll(/[^\x00-\x7f]/gu)) {
            if (this.widths.has(character)) continue;
            this.widths.set(character, this.program.exports.columns_of(character.codePointAt(0)));
            found.push([character, this.widths.get(character)]);
        }
        return found;
    }

    // What a command says and writes.
    async command(code, argv, files) { return command(await this.load(code), argv, files); }
}

// What a worker is made of.
const ownScript = typeof document === "undefined" ? null : document.currentScript;

// What a request comes to that was stopped.
class Stopped extends Error {
    constructor() { super("Stopped"); }
}

// An engine in a worker, which is made of the page's script when it is first asked. Where a browser allows no worker, the
// engine works in the page itself: then nothing can be stopped.
class Remote {
    constructor() {
        this.waiting = new Map(); // by number: a request, and what to do with its answer
        this.number = 0;
    }

    get isBusy() { return this.waiting.size > 0; }

    // Asks for a method of Engine. The promise is rejected with Stopped after stop(), and with what the method threw.
    ask(...request) {
        return new Promise((resolve, reject) => {
            this.waiting.set(++this.number, {request, resolve, reject});
            if (!this.worker && !this.engine) this.employ();
            this.send(this.number);
        });
    }

    send(number) {
        const {request} = this.waiting.get(number);
        if (this.worker) this.worker.postMessage([number, ...request]);
        else answered(this.engine, request).then(answer => this.take(number, answer));
    }

    take(number, {answer, thrown}) {
        const {resolve, reject} = this.waiting.get(number) || {};
        this.waiting.delete(number);
        if (thrown !== undefined) console.error(thrown);
        if (!resolve) return; // it was stopped
        if (thrown !== undefined) reject(new Error(thrown));
        else resolve(answer);
    }

    employ() {
        try {
            Remote.address = Remote.address || URL.createObjectURL(new Blob([ownScript.textContent], {type: "text/javascript"}));
            this.worker = new Worker(Remote.address);
        } catch {
            this.manage();
            return;
        }
        this.worker.onmessage = ({data: [number, answer]}) => this.take(number, answer);
        this.worker.onerror = () => { // it could not begin
            this.manage();
            for (const number of this.waiting.keys()) this.send(number);
        };
    }

    // Goes on without a worker.
    manage() {
        this.worker = null;
        this.engine = new Engine();
    }

    // Ends what is being done. The next request finds a new engine.
    stop() {
        if (this.worker) this.worker.terminate();
        this.worker = null;
        const stopped = [...this.waiting.values()];
        this.waiting.clear();
        for (const {reject} of stopped) reject(new Stopped());
    }
}

// What the engine answers, or what it threw.
async function answered(engine, [method, ...given]) {
    try {
        return {answer: await engine[method](...given)};
    } catch (error) {
        return {thrown: String(error)};
    }
}

if (typeof WorkerGlobalScope !== "undefined") {
    const engine = new Engine();
    onmessage = async ({data: [number, ...request]}) => {
        const answer = await answered(engine, request);
        postMessage([number, answer], answer.answer instanceof ArrayBuffer ? [answer.answer] : []);
    };
}
