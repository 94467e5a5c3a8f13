"""Is a recorded run walked, printed and checked as PyTorch computed it, and is a file that lies refused in one line?

usage: recordings.py ONESTEP FOLDER

FOLDER has recordings that python/record.py wrote in PyTorch 1.13 (tests/recording/samples.py). Speaks TAP.
"""
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import tap  # noqa: E402: the line above is for it

ONESTEP, FOLDER = sys.argv[1:3]


results = []


def check(name, is_right, said):
    def say():
        if not is_right:
            raise AssertionError(said)
    results.append((name, say))


def run(*arguments):
    done = subprocess.run([ONESTEP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def path(name):
    return os.path.join(FOLDER, name + ".onestep")


def parts_of(name):
    """The header, its recording and the elements of a file."""
    content = open(path(name), "rb").read()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    return header, json.loads(header["__metadata__"]["recording"]), content[8 + length:]


def write(file, header, recording, elements):
    header = dict(header, __metadata__={"format": "onestep recording 1", "recording": json.dumps(recording)})
    header = {"__metadata__": header.pop("__metadata__"), **header}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(file, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + elements)


def answer_of(name):
    status, out, _ = run("check", path(name), "--format", "json")
    return status, json.loads(out)


# --- Right ones ------------------------------------------------------------------------------------------------------
LEAST = {"causal": 8, "gpt2": 28, "qwen3": 69, "changes": 13, "step": 6, "backward": 102}  # steps that are computed again
for name, least in LEAST.items():
    status, answer = answer_of(name)
    kinds = [step["agreement"] for step in answer["steps"]]
    check(f"{name}: onestep computes what PyTorch recorded", status == 0 and "different" not in kinds, str(kinds))
    computed = kinds.count("same bits") + kinds.count("rounding")
    check(f"{name}: at least {least} steps are computed again", computed >= least, f"{computed}")
    if name not in ("changes",):
        check(f"{name}: onestep runs every operation", "not computed" not in kinds, str(kinds))

for own, step in [("scores", "scores"), ("causal_weights", "causal_weights"), ("context", "context")]:
    recorded = run("print", path("causal"), "--step", f"CausalAttention: {own}", "--format", "json")[1]
    lesson = run("print", "causal", "--step", step, "--format", "json")[1]
    a, b = (json.loads(text)["lessons"][0]["steps"][0]["values"] for text in (recorded, lesson))
    check(f"causal: the recorded {own} are the lesson's", a == b, f"{a} {b}")

status, out, _ = run("screen", path("causal"), "--step", "CausalAttention: scores")
check("a number shows its arithmetic, from the recorded operands", "0.9091·0.3147 + (-0.4471)·(-0.4016)" in out, out)
check("a step shows its line and its file", "scores = queries @ keys.T" in out and "samples.py:" in out, out)
check("words of the tokens head the rows", "journey" in out, out)
status, out, _ = run("screen", path("gpt2"), "--step", "transformer.h.0.attn: scores")
check("scores have heads, queries and keys", "batch × head × query × key" in out, out)
status, out, _ = run("list", path("gpt2"))
check("parameters have the names of their modules", "c_attn: weight" in out, out)
status, out, _ = run("screen", path("gpt2"), "--keys", "n")
check("a walk goes over what is inside of the calls", "inside)" in out and "The call of transformer" in out, out)
status, out, _ = run("screen", path("gpt2"), "--keys", "W")
check("all layers and heads stand in the overview, by their modules", "h.0.attn" in out and "drawn and not learned" not in out, out)
with tempfile.NamedTemporaryFile("w", suffix=".py") as program:
    program.write("import torch\ntable = torch.zeros(4, 2, requires_grad=True)\n"
                  "loss = torch.nn.functional.embedding(torch.tensor([1, 3]), table).sum()\nloss.backward()\ngrad = table.grad\n")
    program.flush()
    status, out, error = run("screen", program.name, "--step", "grad", "--cell", "0,0", "--keys", "<Enter><Enter>")
    check("a row that nothing was read from has a gradient of nothing", "No other number went into this one." in out, out + error)
status, out, _ = run("screen", path("changes"))
check("a run that raised is walked as far as it came", status == 0, out)
status, out, _ = run("print", path("changes"))
check("the last step says what ended it", "The run ended behind this step" in out and "raised RuntimeError: inconsistent" in
      " ".join(out.split()), out[-900:])

# --- A number that is another ----------------------------------------------------------------------------------------
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "run.onestep")
    header, recording, elements = parts_of("causal")
    node = next(node for node in recording["nodes"] if node.get("variable") == "scores")
    tensor = recording["values"][node["results"][0]]["tensor"]
    start = header[tensor]["data_offsets"][0]
    write(file, header, recording, elements[:start] + struct.pack("<f", 9.0) + elements[start + 4:])
    status, out, _ = run("check", file)
    check("check names the operation whose number is another", status == 1 and "CausalAttention: scores (" in out, out)
    check("what reads that number is right again, and what follows is not", "     2 have other numbers" in out, out)
    changed = elements
    for variable in ("causal_weights", "context"):
        node = next(node for node in recording["nodes"] if node.get("variable") == variable)
        start = header[recording["values"][node["results"][0]]["tensor"]]["data_offsets"][0]
        changed = changed[:start] + struct.pack("<f", 9.0) + changed[start + 4:]
    write(file, header, recording, changed)
    status, out, _ = run("compare", path("causal"), file)
    check("compare names it, with the call that PyTorch ran",
          status == 1 and "part at CausalAttention: causal_weights" in out and "it ran" in out and "1 of 36 numbers differ" in out, out)
    status, out, _ = run("screen", file, "--beside", path("causal"), "--keys", "n")
    check("a walk beside the other recording goes there, and has its call, too",
          "The runs part here: 1 of 36 numbers differ" in out and "It ran " in out and "≠" in out, out)

    header, recording, elements = parts_of("step")
    gradients = [node for node in recording["nodes"] if "gradient_of" in node]
    start = header[recording["values"][gradients[1]["results"][0]]["tensor"]]["data_offsets"][0]
    write(file, header, recording, elements[:start] + struct.pack("<f", 9.0) + elements[start + 4:])
    status, out, _ = run("check", file)
    check("check names the gradient whose number is another", status == 1 and ".grad (samples.py" in out, out)
    recording["nodes"] = [node for node in recording["nodes"] if node is not gradients[1]]
    write(file, header, recording, elements)
    status, out, _ = run("check", file)
    check("a gradient whose way back was not recorded is not judged",
          status == 0 and "a gradient that it is computed from was not recorded" in out, out)

    # --- Numbers that were left out ----------------------------------------------------------------------------------
    header, recording, elements = parts_of("causal")
    node = next(node for node in recording["nodes"] if node.get("variable") == "scores")
    for value in recording["values"]:
        if value.get("tensor") == tensor:
            value.clear()
            value.update(shape=[6, 6], dtype="F32")
    recording["values"].append({"view_of": node["results"][0], "shape": [6], "stride": [1], "offset": 30})
    recording["nodes"].append({"call": f"v{node['results'][0]}[5]", "results": [len(recording["values"]) - 1]})
    write(file, header, recording, elements)
    status, out, _ = run("check", file)
    check("what reads numbers that were left out is not judged", status == 0 and "numbers that it read were left out" in out, out)
    status, out, error = run("print", file)
    check("a view of them shows nan", status == 0 and "tensor([nan, nan, nan, nan, nan, nan])" in out, out + error)

    # --- A large one, of which only what is shown is explained ------------------------------------------------------
    header, recording, elements = parts_of("causal")
    rows = 1 << 20
    halves = struct.pack("<4H", 0x3f80, 0xc000, 0x4040, 0x3dcd) * rows  # bfloat16: 1, -2, 3, 0.1001
    header["big"] = {"dtype": "BF16", "shape": [rows, 4], "data_offsets": [len(elements), len(elements) + len(halves)]}
    recording["values"] += [{"tensor": "big", "name": "big"}, {"shape": [rows, 4], "dtype": "BF16"}]
    recording["nodes"].append({"call": f"v{len(recording['values']) - 2} * 2", "results": [len(recording["values"]) - 1]})
    write(file, header, recording, elements + halves)
    status, out, error = run("screen", file, "--step", "big", "--size", "200x60")
    numbers = [line.split()[1:5] for line in out.split("\n") if line.split()[:1] == ["7"]]
    check("numbers of 16 bits are those of the file", ["1.0000", "-2.0000", "3.0000", "0.1001"] in numbers, out + error)
    status, out, error = run("screen", file, "--step", "CausalAttention: context", "--keys", "<Enter>" * 6)
    check("a number is followed through steps that were not shown", "0.5500·0.3161 + 0.8700·0.4568" in out and
          "PyTorch computed" not in out, out + error)
    status, out, error = run("screen", file, "--step", "CausalAttention: queries", "--keys", "f")
    check("what can't be followed forwards is said", "too large to follow" in out, out + error)
    status, out, error = run("check", file)
    check("check says of a large one what it says of a small one", status == 0 and "have other numbers" in out, out + error)

    # --- A line that does not end ------------------------------------------------------------------------------------
    header, recording, elements = parts_of("causal")
    node = next(node for node in recording["nodes"] if node.get("variable") == "scores")
    node.update(call="[i for i in iter(int, 1)]", writes=node["results"][0])
    write(file, header, recording, elements)
    status, out, error = run("check", file)
    check("a line that does not end is stopped", status in (0, 1) and "does not compute again" in out, out + error)

    # --- Files that lie ----------------------------------------------------------------------------------------------
    def refuse(what, words, change):
        header, recording, elements = parts_of("causal")
        changed = change(header, recording)
        write(file, header, recording, elements if changed is None else changed)
        status, out, error = run("print", file)
        is_line = error.startswith("onestep: ") and error.count("\n") == 1
        check(f"refused: {what}", status == 2 and out == "" and is_line and words in error, f"{status} {error}")

    def node_of(recording, variable="scores"):
        return next(node for node in recording["nodes"] if node.get("variable") == variable)

    def set_in(where, **what):
        where.update(what)

    refuse("a result that is no value", "names value 999", lambda h, r: set_in(node_of(r), results=[999]))
    refuse("an operation of a later result", "which a later node makes",
           lambda h, r: set_in(node_of(r, "queries"), call=f"v{node_of(r)['results'][0]} + 1"))
    refuse("a call that is not there", "names call 99", lambda h, r: set_in(node_of(r), **{"in": 99}))
    refuse("a call in itself", "not there before it", lambda h, r: set_in(r["calls"][0], outer=0))
    refuse("a file that is not there", "names file 7", lambda h, r: set_in(node_of(r), file=7))
    refuse("a view of itself", "is a view of a value that is not there", lambda h, r: r["values"].append(
        {"view_of": len(r["values"]), "shape": [1], "stride": [1], "offset": 0}))
    refuse("a view of a view", "which is a view itself", lambda h, r: r["values"].extend([
        {"view_of": 0, "shape": [1000], "stride": [0], "offset": 0},
        {"view_of": len(r["values"]), "shape": [1], "stride": [1], "offset": 999}]))
    refuse("a view behind the end", "goes on behind the end", lambda h, r: r["values"].append(
        {"view_of": 0, "shape": [1000000, 1000000], "stride": [1000000, 1], "offset": 0}))
    refuse("a stride below 0", "stride below 0", lambda h, r: r["values"].append(
        {"view_of": 0, "shape": [2], "stride": [-1], "offset": 2}))
    refuse("a tensor that is not there", "names a tensor nowhere", lambda h, r: set_in(r["values"][0], tensor="nowhere"))
    refuse("another file that is not there", "cannot read", lambda h, r: set_in(r["values"][0], file="nowhere.safetensors"))
    refuse("a type that is none", "type F7", lambda h, r: set_in(r["values"][0], dtype="F7"))
    refuse("a shape of too many numbers", "too many numbers", lambda h, r: r["values"].append(
        {"shape": [1 << 30, 1 << 30], "dtype": "F32"}))
    refuse("a number that is none", "where", lambda h, r: set_in(node_of(r), line=1.5))
    refuse("no operation", "no operation", lambda h, r: set_in(r, nodes=[]))
    refuse("elements that are not in the file", "it is cut or damaged", lambda h, r: b"")
    whole = open(path("causal"), "rb").read()
    bad = []
    for length in range(0, len(whole), 97):
        with open(file, "wb") as out:
            out.write(whole[:length])
        status, _, error = run("print", file)
        if status != 2 or error.count("\n") != 1:
            bad.append(length)
    check("a file that is cut anywhere is refused in one line", not bad, str(bad))
    status, _, error = run("walk", os.path.join(folder, "nothing.onestep"))
    check("a file that is not there is named", status == 2 and "nothing.onestep" in error, error)

    # --- A file that shrinks -----------------------------------------------------------------------------------------
    header, recording, elements = parts_of("causal")
    big = b"\0" * (1 << 22)
    header["big"] = {"dtype": "F32", "shape": [1024, 1024], "data_offsets": [len(elements), len(elements) + len(big)]}
    recording["values"].append({"tensor": "big"})
    recording["nodes"].append({"call": "torch.zeros(1024, 1024)", "results": [len(recording["values"]) - 1]})
    write(file, header, recording, elements + big)
    child, terminal = pty.fork() if tap.has_terminals() else (None, None)
    if child == 0:
        os.environ.update(TERM="xterm", ONESTEP_QUESTIONS="off", COLUMNS="80", LINES="24")
        os.execv(ONESTEP, [ONESTEP, "walk", file])

    def read_until(words, seconds=20):
        seen, end = b"", time.time() + seconds
        while words not in seen and time.time() < end:
            if not select.select([terminal], [], [], 0.2)[0]:
                continue
            try:
                seen += os.read(terminal, 65536)
            except OSError:
                break
        return seen

    def lose():
        if child is None:
            raise tap.Skipped("no terminal")
        read_until(b"quit")
        os.truncate(file, 4096)
        os.write(terminal, b"nnnnnnnnnnnnnnnn")
        seen = read_until(b"shorter")
        os.close(terminal)
        _, ended = os.waitpid(child, 0)
        assert os.WIFEXITED(ended) and os.WEXITSTATUS(ended) == 2 and b"became shorter" in seen, f"{ended} {seen[-300:]}"

    sys.exit(tap.run(results + [("a file that becomes shorter ends the walk in one line", lose)]))
