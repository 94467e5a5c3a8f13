"""Does `onestep check LESSON DUMP` find the first wrong step, its mistake, and what follows from it?

usage: dump.py ONESTEP

Dumps are written here, byte by byte: safetensors, .npz and folders, of the lesson's own steps and of steps with mistakes
made by `print --what-if`, all of them or in one step only. Damaged ones must be refused in one line. Speaks TAP.
"""
import io
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
import tap  # noqa: E402: the line above is for it

ONESTEP = sys.argv[1]
COUNTS = {"equal": int, "wrong": int, "follows": int, "rounded": int, "given": int, "missing": int}
MEMBERS = {"onestep": str, "lesson": str, "parameters": dict, "file": str, "verdict": str, "precision": (str, type(None)), "first_wrong": (str, type(None)),
           "counts": dict, "steps": list, "answers": list, "notes": list, "unjudged": list, "hidden": list}
STEP = {"number": int, "step": str, "name": (str, type(None)), "standing": str, "known_by": (str, type(None))}


def run(*arguments):
    return subprocess.run([ONESTEP, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def steps_of(lesson, *options):
    """Every step of a lesson: its name to a .npy file."""
    with tempfile.TemporaryDirectory() as folder:
        done = run("print", lesson, "--format", "npy", "-o", folder, *options)
        assert done.returncode == 0, done.stderr
        return {name[len(lesson) + 1:-4]: open(os.path.join(folder, name), "rb").read() for name in os.listdir(folder)}


def parts_of(npy):
    """dtype, shape and elements of a .npy file as onestep writes it."""
    length = struct.unpack("<H", npy[8:10])[0]
    header = eval(npy[10:10 + length])  # written by onestep itself
    return header["descr"], header["shape"], npy[10 + length:]


def safetensors(files):
    header, elements = {"__metadata__": {"format": "pt"}}, b""
    for name, npy in files.items():
        descr, shape, data = parts_of(npy)
        header[name] = {"dtype": {"<f4": "F32", "<i8": "I64", "|b1": "BOOL"}[descr], "shape": list(shape),
                        "data_offsets": [len(elements), len(elements) + len(data)]}
        elements += data
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + elements


def npz(files, compression=zipfile.ZIP_STORED, ending=".npy"):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", compression) as archive:
        for name, npy in files.items():
            with archive.open(zipfile.ZipInfo(name + ending), "w", force_zip64=True) if compression == zipfile.ZIP_STORED \
                    else archive.open(name + ending, "w") as member:
                member.write(npy)
    return memory.getvalue()


def check(lesson, content, *options):
    """Exit status and the answer in JSON, whose members are compared with the manual."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump")
        if isinstance(content, dict):
            os.mkdir(path)
            for name, npy in content.items():
                open(os.path.join(path, name + ".npy"), "wb").write(npy)
        else:
            open(path, "wb").write(content)
        done = run("check", lesson, path, "--format", "json", *options)
    if done.returncode == 2:
        return 2, done.stderr.decode()
    answer = json.loads(done.stdout)
    for expected, given in ((MEMBERS, answer), (COUNTS, answer["counts"]), *((STEP, step) for step in answer["steps"])):
        assert given.keys() == expected.keys(), given.keys()
        assert all(isinstance(given[name], kind) for name, kind in expected.items()), given
    assert sum(answer["counts"].values()) == len(answer["steps"])
    assert len(answer["answers"]) == answer["counts"]["wrong"]
    assert (answer["verdict"] == "wrong") == (answer["first_wrong"] is not None), answer["verdict"]
    is_right = answer["verdict"] != "wrong" and answer["unjudged"] == []
    assert (done.returncode == 0) == is_right, (done.returncode, answer["verdict"])
    assert answer["verdict"] != "equal" or is_right, answer
    return done.returncode, answer


def first_of(answer):
    return answer["first_wrong"], answer["answers"][0]["code"].split("/")[0]


def right_ones():
    for lesson in ("simplified", "causal", "wrapper", "split_head", "model"):
        files = steps_of(lesson)
        for form in (safetensors, npz, dict):
            status, answer = check(lesson, form(files))
            assert status == 0 and answer["counts"]["equal"] == len(files), (lesson, form, answer)


def one_slip():
    cases = (("causal", "no-scale", "weights"), ("causal", "softmax-columns", "weights"), ("wrapper", "no-mask", "head 1: masked_scores"),
             ("split_head", "softmax-columns", "weights"))
    for lesson, mistake, step in cases:
        status, answer = check(lesson, safetensors(steps_of(lesson, "--what-if", mistake)))
        assert status == 1 and answer["counts"]["wrong"] == 1, answer
        assert first_of(answer) == (step, mistake), (first_of(answer), step, mistake)


# The mistakes of attention today, with the first step that each changes.
OF_TODAY = (
    ("padding", "padding-inverted", "key_padding_mask"), ("padding", "padding-over-queries", "masked_scores"),
    ("padding", "repaired-before-softmax", "left: weights_repaired"),
    ("cross", "chunks-exchanged", "W_key"), ("cross", "cross-causal-mask", "weights"),
    ("cross", "cross-from-target", "keys", "--target=one,step,with,Your,journey,starts"),
    ("cache", "cache-square-mask", "chunk: mask"), ("cache", "prefill-no-mask", "prefill: masked_scores"),
    ("cache", "cache-not-cleared", "next sentence: context"),
    ("grouped_query", "repeat-for-interleave", "keys_repeated"), ("grouped_query", "groups-reversed", "keys_repeated"),
    ("grouped_query", "scale-by-d-out", "weights"),
    ("rotary", "rotary-pairs", "queries_rotated"), ("rotary", "values-rotated", "context"),
    ("rotary", "rotary-restart", "scores_later"), ("rotary", "keys-not-rotated", "keys_rotated"),
    ("window", "window-plus-one", "mask"), ("window", "window-sees-future", "mask"),
    ("online_softmax", "result-not-rescaled", "tile 2: running_result", "--seed=3"),
    ("online_softmax", "sum-not-rescaled", "whole_sum", "--seed=3"),
    ("online_softmax", "tile-maximum", "tile 2: running_max"), ("online_softmax", "divided-in-every-tile", "tile 1: running_result"),
    ("latent", "scale-by-latent", "weights", "--latent=3"), ("latent", "up-exchanged", "keys"),
    ("latent", "absorbed-on-wrong-side", "queries_absorbed"),
)


def slips_of_today():
    """Each is named from all steps and from the first wrong one alone, where others may give the same numbers."""
    for lesson, mistake, step, *options in OF_TODAY:
        wrong = steps_of(lesson, "--what-if", mistake, *options)
        answer = check(lesson, safetensors(wrong), *options)[1]
        codes = answer["answers"][0]["code"].split("/")
        assert answer["first_wrong"] == step and mistake in codes, (lesson, mistake, answer["first_wrong"], codes)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "step.npy")
            open(path, "wb").write(wrong[step.replace(": ", ".").replace(" ", "-")])
            alone = json.loads(run("check", lesson, "--step", step, path, "--format", "json", *options).stdout)
        assert mistake in alone["code"].split("/"), (lesson, mistake, step, alone["code"])


def two_slips():
    """The second mistake is made in the student's own numbers: softmax of what was not scaled, down the columns."""
    with_two = steps_of("causal", "--what-if", "no-scale", "--what-if", "softmax-columns")
    dump = {name: with_two[name] for name in ("queries", "keys", "values", "scores", "masked_scores", "scaled", "causal_weights", "context")}
    answer = check("causal", npz(dump))[1]
    standings = {step["step"]: step["standing"] for step in answer["steps"]}
    assert first_of(answer) == ("scaled", "no-scale"), first_of(answer)
    assert [one["code"].split("/")[0] for one in answer["answers"]] == ["no-scale", "softmax-columns"], answer["answers"]
    assert standings["causal_weights"] == "wrong" and standings["context"] == "follows", standings


def npy_of(values):
    """A .npy file of float32, of a matrix."""
    shape, numbers = [len(values), len(values[0])], [number for row in values for number in row]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}f", *numbers)


def matrix_of(npy):
    _, (rows, columns), data = parts_of(npy)
    numbers = struct.unpack(f"<{rows * columns}f", data)
    return [list(numbers[row * columns:(row + 1) * columns]) for row in range(rows)]


def standings_of(lesson, dump, *options):
    return {step["step"]: step["standing"] for step in check(lesson, npz(dump), *options)[1]["steps"] if step["name"]}


def what_follows_is_recomputed_from_the_students_numbers():
    """Numbers of nobody's mistake, and after them what PyTorch's operations make of them: only the first is wrong."""
    files = steps_of("causal")
    values = matrix_of(files["values"])
    scaled = [[math.sin(3 * i + j * j) if j <= i else -math.inf for j in range(6)] for i in range(6)]
    weights = [[math.exp(x) / sum(map(math.exp, row)) for x in row] for row in scaled]
    context = [[sum(w * v[column] for w, v in zip(row, values)) for column in range(2)] for row in weights]
    dump = {**files, "scaled": npy_of(scaled), "causal_weights": npy_of(weights), "context": npy_of(context)}
    found = standings_of("causal", dump)
    assert [found[name] for name in ("masked_scores", "scaled", "causal_weights", "context")] == ["equal", "wrong", "follows", "follows"], found
    weights[3][1] += 0.01
    found = standings_of("causal", {**dump, "causal_weights": npy_of(weights)})
    assert [found[name] for name in ("scaled", "causal_weights", "context")] == ["wrong", "wrong", "wrong"], found
    found = standings_of("causal", {**dump, "context": files["context"]})  # right numbers of a wrong program
    assert [found[name] for name in ("causal_weights", "context")] == ["follows", "equal"], found


def what_the_same_mistake_made_is_told_from_what_follows():
    """Another seed draws W_key, too: it is wrong, but it was not computed from W_query; queries were."""
    files = steps_of("causal", "--what-if", "wrong-seed")
    with tempfile.TemporaryDirectory() as folder:
        for name in "W_query", "W_key", "queries":
            open(os.path.join(folder, name + ".npy"), "wb").write(files[name])
        said = " ".join(run("check", "causal", folder).stdout.decode().split())
    assert "W_key follows by the same mistake as W_query" in said and "queries follows follows from W_query" in said, said


def what_follows_in_a_training_is_recomputed():
    options = ["--updates=3"]
    files = steps_of("training", *options)
    weight = matrix_of(files["W_query"])
    grad = [[math.cos(5 * i + j) / 9 for j in range(4)] for i in range(4)]

    def each(function, *matrices):
        return [[function(*numbers) for numbers in zip(*rows)] for rows in zip(*matrices)]
    first, second = each(lambda g: 0.1 * g, grad), each(lambda g: 0.001 * g * g, grad)
    corrected = each(lambda m: m / 0.1, first), each(lambda v: v / 0.001, second)
    own = {"W_query_grad": grad, "sgd.W_query_after": each(lambda w, g: w - 0.01 * g, weight, grad), "adamw.first_moment": first,
           "adamw.second_moment": second, "adamw.first_moment_corrected": corrected[0], "adamw.second_moment_corrected": corrected[1],
           "adamw.W_query_after": each(lambda w, m, v: w * (1 - 0.01 * 0.01) - 0.01 * m / (math.sqrt(v) + 1e-8), weight, *corrected)}
    before = {name: files[name] for name in ("ids", "drawn.embedding", "W_query", "loss_before")}
    found = standings_of("training", {**before, **{name: npy_of(values) for name, values in own.items()}}, *options)
    expected = ["equal"] * 4 + ["wrong"] + ["follows"] * 6
    assert list(found.values()) == expected, found
    own["adamw.first_moment_corrected"] = first  # not corrected: the last step was computed from what was
    found = standings_of("training", {**before, **{name: npy_of(values) for name, values in own.items()}}, *options)
    assert found["adamw: first_moment_corrected"] == found["adamw: W_query_after"] == "wrong", found


def what_reads_another_shape_follows():
    files = steps_of("causal")
    weights = matrix_of(files["masked_weights"])
    sums = [sum(row[column] for row in weights) for column in range(6)]
    own = [[x / sums[j] for j, x in enumerate(row)] for row in weights]
    found = standings_of("causal", {**files, "row_sums": npy_of([sums]), "renormalized": npy_of(own)})
    assert (found["row_sums"], found["renormalized"], found["context"]) == ("wrong", "follows", "equal"), found
    scores = matrix_of(files["scores"])
    scores[2][1] += 1  # depends on nothing of another shape
    found = standings_of("causal", {**files, "keys": npy_of([[1.0, 2.0, 3.0]]), "queries": npy_of([[1.0]]), "mask_tril": npy_of(scores)})
    assert found["keys"] == found["queries"] == found["mask_tril"] == "wrong", found


def all_searches_share_one_limit():
    files = steps_of("gradients")
    wrong = {name: npy_of([[math.sin(7 * i + j * j) for j in range(parts_of(npy)[1][-1])] for i in range(parts_of(npy)[1][0])])
             for name, npy in files.items() if len(parts_of(npy)[1]) == 2}

    def check_and_time(some):
        started = tap.processor_seconds()
        return *check("gradients", npz({**files, **some})), tap.processor_seconds() - started

    # A search alone has work left; the last of all has none, and all take no longer than as many pairs. The pair is timed before
    # and behind, as a processor's speed changes with what else runs.
    pair = dict(list(wrong.items())[:2])
    alone, before = check_and_time(pair)[1:]
    status, answer, seconds = check_and_time(wrong)
    behind = check_and_time(pair)[2]
    assert status == 1 and answer["counts"]["wrong"] > 10, answer["counts"]
    assert seconds < len(wrong) / len(pair) * max(before, behind), (before, seconds, behind)
    assert not any(found["cut"] for found in alone["answers"]), alone["answers"]
    assert answer["answers"][-1]["cut"] and answer["answers"][-1]["code"] == "none", answer["answers"][-1]


def known_by(answer):
    return {step["name"]: (step["step"], step["standing"], step["known_by"]) for step in answer["steps"] if step["name"]}


def names():
    files = steps_of("causal")
    dump = {"mine": files["scores"], "SCALED": files["scaled"], "context": files["context"]}
    status, answer = check("causal", npz(dump))
    assert status == 0 and known_by(answer) == {
        "mine": ("scores", "equal", "numbers"), "SCALED": ("scaled", "equal", "numbers"), "context": ("context", "equal", "name")}, answer
    dump["mine"] = off(files["scores"])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "map")
        open(path, "w").write("# mine\nmine = scores # theirs\n\nSCALED=scaled\n")
        status, answer = check("causal", npz(dump), "--names", path)
        assert status == 1 and known_by(answer)["mine"] == ("scores", "wrong", "map"), answer
        open(path, "w").write("attn_scores = nothing\n")
        assert check("causal", npz(dump), "--names", path)[0] == 2


def off(npy):
    """The same matrix with other numbers, which are no mistake's."""
    return npy_of([[0.7 * x + 0.01 * (i + j * j) for j, x in enumerate(row)] for i, row in enumerate(matrix_of(npy))])


# Lesson, the step, and its name in the book's chapter 3 or in the state_dict of its classes.
OF_THE_COURSE = (
    ("simplified", "scores", "attn_scores"), ("simplified", "weights", "attn_weights"), ("simplified", "context", "all_context_vecs"),
    ("trainable", "rand: W_query", "W_query"), ("trainable", "linear: W_query", "W_query.weight"),
    ("trainable", "rand: scores", "attn_scores"), ("trainable", "linear: scores", "attn_scores"),
    ("trainable", "linear: weights", "attn_weights"), ("trainable", "linear: context", "context_vec"),
    ("causal", "scores", "attn_scores"), ("causal", "masked_scores", "attn_scores"), ("causal", "masked_scores", "masked"),
    ("causal", "weights", "attn_weights"), ("causal", "causal_weights", "attn_weights"), ("causal", "mask_tril", "mask_simple"),
    ("causal", "masked_weights", "masked_simple"), ("causal", "renormalized", "masked_simple_norm"),
    ("causal", "W_key", "sa_v2.W_key.weight"), ("causal", "context", "context_vec"),
    ("dropout", "mt19937: weights_dropped", "attn_weights"), ("dropout", "mt19937: context", "context_vec"),
    ("wrapper", "head 1: W_query", "heads.0.W_query.weight"), ("wrapper", "head 2: W_value", "mha.heads.1.W_value.weight"),
    ("wrapper", "context", "context_vecs"), ("wrapper", "head 2: weights", "attn_weights"),
    ("split_head", "queries", "queries"), ("split_head", "queries_by_head", "queries"), ("split_head", "W_out", "out_proj.weight"),
    ("split_head", "W_out_bias", "out_proj.bias"), ("split_head", "masked_scores", "attn_scores"),
    ("split_head", "output", "context_vec"), ("split_head", "context", "context_vec"),
    ("block", "block 2: W_ffn1", "trf_blocks.1.ff.layers.0.weight"), ("embeddings", "token_table", "tok_emb.weight"),
)


def the_courses_names_are_known():
    files = {lesson: steps_of(lesson) for lesson in {row[0] for row in OF_THE_COURSE}}
    for lesson, step, name in OF_THE_COURSE:
        npy = files[lesson][step.replace(": ", ".").replace(" ", "-")]
        status, answer = check(lesson, npz({name: npy}))
        by = "name" if name == step else "course"
        assert status == 0 and known_by(answer)[name] in ((step, "equal", by), (step, "equal", "course")), (lesson, step, known_by(answer))


def a_single_number_of_no_name_is_a_setting():
    files = steps_of("model")
    status, answer = check("model", npz({"loss": files["loss"], "lr": npy_of([[0.01]])}))
    assert status == 0 and answer["unjudged"] == [], answer


def what_has_a_name_of_the_course_is_judged():
    """Right numbers of other steps do not hide that these are wrong."""
    files = steps_of("causal")
    for name, step in (("attn_weights", "causal_weights"), ("context_vec", "context"), ("masked_simple", "masked_weights"),
                       ("W_query.weight", "W_query")):
        status, answer = check("causal", npz({"queries": files["queries"], name: off(files[step])}))
        assert status == 1 and known_by(answer)[name] == (step, "wrong", "course"), known_by(answer)
    status, answer = check("causal", npz({"attn_weights": files["scores"]}))  # the softmax is forgotten
    assert status == 1 and answer["verdict"] == "wrong", answer
    files = steps_of("trainable")
    status, answer = check("trainable", npz({"linear: queries": files["linear.queries"], "attn_scores": off(files["linear.scores"])}))
    assert known_by(answer)["attn_scores"] == ("linear: scores", "wrong", "course"), known_by(answer)


def a_row_of_a_step_is_judged():
    """query_2 of the book is the second row of the queries: right and no step, or wrong."""
    files = steps_of("trainable")
    context = {"linear: context": files["linear.context"], "rand: context": files["rand.context"]}
    queries, keys = (matrix_of(files[name]) for name in ("rand.queries", "rand.keys"))
    right = {"query_2": npy_of(queries[1:2]), "keys_2": npy_of(keys[1:2]), "one_more": npy_of(keys[3:4])}
    status, answer = check("trainable", npz({**context, **right}))
    assert (status, answer["verdict"], answer["unjudged"]) == (0, "equal", []), answer
    for note in "query_2 has the numbers of rand: queries[1]", "keys_2 has the numbers of rand: keys[1]":
        assert note in answer["notes"], answer["notes"]
    status, answer = check("trainable", npz({**context, "query_2": npy_of([[0.7 * x for x in queries[1]]])}))
    assert status == 1 and known_by(answer)["query_2"] == ("rand: queries", "wrong", "course"), known_by(answer)
    status, answer = check("trainable", npz({**context, "rand: queries": files["rand.queries"], "query_2": npy_of([[0.3, 0.7]])}))
    assert (status, answer["verdict"], answer["unjudged"]) == (1, "part", ["query_2"]), answer


def what_was_not_judged_is_not_all_right():
    files = steps_of("causal")
    right = {name: files[name] for name in ("queries", "keys", "values")}
    status, answer = check("causal", npz({**right, "mine": off(files["scores"])}))
    assert (status, answer["verdict"], answer["unjudged"]) == (1, "part", ["mine"]), answer
    assert any("mine was not judged" in note for note in answer["notes"]), answer["notes"]
    status, answer = check("causal", npz({**right, "scores": files["scores"], "attn_scores": off(files["scores"])}))
    assert status == 1 and "wrong" == answer["verdict"], answer  # as masked_scores
    both = {name: files[name] for name in ("scores", "masked_scores")}
    status, answer = check("causal", npz({**right, **both, "attn_scores": off(files["scores"])}))
    assert (status, answer["verdict"], answer["unjudged"]) == (1, "part", ["attn_scores"]), answer
    status, answer = check("causal", npz({**right, "again": files["queries"], "ones": npy_of([[1.0] * 6] * 6), "odd": npy_of([[0.5] * 7])}))
    assert (status, answer["verdict"], answer["unjudged"]) == (0, "part", []), answer  # right so far
    status, answer = check("causal", npz({**right, "context": files["context"]}))
    assert (status, answer["verdict"]) == (0, "equal"), answer
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump.npz")
        open(path, "wb").write(npz({**right, "mine": off(files["scores"])}))
        said = run("check", "causal", path).stdout.decode()
    assert said.startswith("part: 3 of the 19 steps of causal were handed in, and all are right; 1 tensor was not judged\n"
                           "The lesson goes on to context.\n"), said


def what_cannot_show_is_said():
    """A rescaling by exp(new - old) is upside down; at seed 789 it is 1 in both tiles, as the right one."""
    files = steps_of("online_softmax")
    status, answer = check("online_softmax", npz(files))
    assert (status, answer["verdict"], answer["hidden"]) == (0, "equal", ["tile 2: rescale", "tile 3: rescale"]), answer
    status, answer = check("online_softmax", npz(steps_of("online_softmax", "--seed=3")), "--seed=3")
    assert status == 0 and "tile 2: rescale" not in answer["hidden"], answer["hidden"]
    status, answer = check("causal", npz(steps_of("causal")))
    assert (status, answer["hidden"]) == (0, []), answer


def refused():
    files = {name: npy for name, npy in steps_of("causal").items() if name in ("scores", "scaled")}
    whole = safetensors(files)
    for content, words in (
            (npz(files, zipfile.ZIP_DEFLATED), "numpy.savez("), (npz({"archive/data": b"x"}, ending=".pkl"), "torch.save"),
            (b"\x80\x02\x8a\x0a", "torch.save"), (whole[:-1], "cut"), (whole[:40], "cut"), (npz(files)[:-30], "zip"),
            (whole.replace(b"F32", b"F31"), "F31"), (whole.replace(b"[6, 6]", b"[6, 9]"), "offsets"),
            (b"[[1, 2]]", "--step"), ({}, "no name"), (npz({"zzz": off(files["scores"])}), "no name")):
        status, message = check("causal", content)
        assert status == 2 and message.count("\n") == 1 and words in message, (words, message)
    with tempfile.TemporaryDirectory() as folder:  # of one step: without --step or with it
        path = os.path.join(folder, "x.npz")
        for content, words in ((npz({"arr_0": files["scores"]}, zipfile.ZIP_DEFLATED), "use numpy.savez("),
                               (npz({"archive/data": b"x"}, ending=".pkl"), "torch.save"), (npz(files), "2 tensors in one file")):
            open(path, "wb").write(content)
            done = run("check", "causal", "--step", "scores", path)
            assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and words in done.stderr.decode(), (words, done.stderr)
        for content in (npz({"arr_0": files["scores"]}), safetensors({"mine": files["scores"]})):
            open(path, "wb").write(content)
            assert run("check", "causal", "--step", "scores", path).returncode == 0
    for end in range(0, len(whole), 7):
        assert check("causal", whole[:end])[0] == 2, end


if __name__ == "__main__":
    sys.exit(tap.run([right_ones, one_slip, slips_of_today, two_slips, what_follows_is_recomputed_from_the_students_numbers,
                      what_the_same_mistake_made_is_told_from_what_follows,
                      what_follows_in_a_training_is_recomputed, what_reads_another_shape_follows, all_searches_share_one_limit, names, the_courses_names_are_known,
                      a_single_number_of_no_name_is_a_setting,
                      what_has_a_name_of_the_course_is_judged, a_row_of_a_step_is_judged, what_was_not_judged_is_not_all_right, what_cannot_show_is_said, refused]))
