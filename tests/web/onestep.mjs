// The program of a page as a command: node onestep.mjs PAGE [ARGUMENT ...]. Files are those of this machine.
import fs from "node:fs";
import path from "node:path";

const [file, ...argv] = process.argv.slice(2);
const page = fs.readFileSync(file, "utf8");
const part = (begin, end) => page.slice(page.indexOf(begin) + begin.length, page.indexOf(end, page.indexOf(begin)));
new Function(part("\n<script>\n", "\n</script>"))();

class Disk extends Map {
    get(name) {
        if (super.has(name)) return super.get(name);
        try {
            return fs.readFileSync(name);
        } catch {
            return undefined;
        }
    }
    set(name, bytes) {
        fs.mkdirSync(path.dirname(name), {recursive: true});
        fs.writeFileSync(name, bytes);
        return this;
    }
    delete(name) {
        fs.rmSync(name, {force: true});
        return true;
    }
}

const {unpack, Program} = globalThis.onestep;
const program = await Program.start(await unpack(part('id="program">', "</script>")), new Disk());
program.open[0] = {bytes: argv.includes("-") ? fs.readFileSync(0) : new Uint8Array(), at: 0};
const {status, out, errors} = await program.run(argv);
fs.writeSync(2, errors);
for (let at = 0; at < out.length;) at += fs.writeSync(1, out, at);
process.exitCode = status;
