"use strict";
// The program: unpacked, started, and given what a machine would give it (files, leaving functions). It is the first part of
// the page's script; engine.js and page.js follow it there. Node uses this part, and has no page.

// ---- The program, unpacked --------------------------------------------------------------------

// Each two characters stand for 13 bits: digits of base 93, which are all characters in ASCII that can be seen, without "<".
function bytesOf(length, digits) {
    const bytes = new Uint8Array(Number(length)), value = code => code - 33 - (code > 60);
    for (let at = 0, to = 0, bits = 0, word = 0; to < bytes.length; at += 2) {
        word = word << 13 | value(digits.charCodeAt(at)) * 93 + value(digits.charCodeAt(at + 1));
        for (bits += 13; bits > 7; bits -= 8) bytes[to++] = word >> bits - 8;
        word &= 255;
    }
    return bytes;
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
const DONE = 0, BAD_FILE = 8, TOO_LARGE = 22, IS_FILE = 4; // WASI's numbers
const MOST_OUTPUT = 1 << 25; // bytes that a command may print
const encoder = new TextEncoder(), decoder = new TextDecoder();

function joined(pieces) {
    const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
    pieces.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0);
    return whole;
}

class Program {
    // Files: a map of names to bytes; what the program writes is put there too.
    static async start(module, files = new Map(), isDeep = false) {
        const program = new Program();
        program.files = files;
        program.isDeep = isDeep;
        program.printed = 0;
        program.open = [{at: 0}, {pieces: []}, {pieces: []}]; // by descriptor: input, output, errors
        const instance = await WebAssembly.instantiate(module, program.imports(isDeep));
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
    async run(argv) {
        const addresses = new Uint32Array(["onestep", ...argv].map(text => {
            const bytes = encoder.encode(text + "\0"), address = this.exports.allocate(bytes.length);
            this.bytes(address, bytes.length).set(bytes);
            return address;
        }).concat(0));
        const list = this.exports.allocate(addresses.byteLength);
        this.bytes(list, addresses.byteLength).set(new Uint8Array(addresses.buffer));
        const main = this.exports.__main_argc_argv;
        const status = await this.survived(() => (this.isDeep ? WebAssembly.promising(main) : main)(addresses.length - 1, list));
        const [out, errors] = [1, 2].map(fd => joined(this.open[fd].pieces));
        return {status, out, text: decoder.decode(out), errors: decoder.decode(errors), files: this.files};
    }

    // What main comes to. Where a browser has no other stack, its only one may be too small for a program's calls.
    async survived(main) {
        try {
            return await main();
        } catch (error) {
            if (!/call stack|too much recursion/.test(error)) throw error;
            this.open[2].pieces.push(encoder.encode("onestep: RecursionError: the calls are too deep for this browser's stack\n"));
            return 1;
        }
    }

    imports(isDeep) {
        const environment = encoder.encode("HOME=" + HOME + "\0");
        const buffers = (list, count) => Array.from({length: count}, (_, i) =>
            this.bytes(this.view.getUint32(list + 8 * i, true), this.view.getUint32(list + 8 * i + 4, true)));
        const set = (address, value) => (this.view.setUint32(address, value, true), DONE);
        const wasi = {
            fd_write: (fd, list, count, written) => {
                const pieces = buffers(list, count).map(piece => piece.slice());
                if (!this.open[fd]) return BAD_FILE;
                const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
                if (fd === 1 && (this.printed += length) > MOST_OUTPUT) return TOO_LARGE;
                this.open[fd].pieces.push(...pieces);
                return set(written, length);
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
        const called = action => this.exports.__indirect_function_table.get(action);
        const script = {
            // Calls the action on a stack of its own, where the browser has more than one (a "promise integration") and the
            // program was called for it.
            deepen: isDeep ? new WebAssembly.Suspending((action, context) => WebAssembly.promising(called(action))(context))
                : (action, context) => called(action)(context),
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
    const program = await Program.start(module, new Map(files), "promising" in WebAssembly);
    return program.run(argv);
}

globalThis.onestep = {unpack, Program, command};
