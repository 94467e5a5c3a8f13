#!/usr/bin/env python3
"""Do the classes that lessons end with run in PyTorch, and give the lesson's tensor? Are the answers to their questions true?

usage: pytorch_recaps.py ONESTEP

Runs what `onestep print LESSON --summary --format py` prints, with several parameters, and compares the tensor that its
last line computes with the step that the lesson says it gives. Which of the two streams dropout draws from is up to the
build of PyTorch, so the step of either group will do. The answers must hold the words that PyTorch computes behind the
program of all steps (`--format py`). Speaks TAP.
"""
import argparse
import contextlib
import io
import json
import os
import re
import subprocess
import sys

from pytorch_library import torch

torch = torch()

MARGIN = 2e-6  # times max(1, |x|): what another order of adding may change
RUNS = [
    ["why"], ["why", "--sentence", "the children that follow the teacher"],
    ["simplified"], ["simplified", "--query", "step"],
    ["trainable"], ["trainable", "--seed", "5", "--d-out", "4", "--bias"],
    ["causal"], ["causal", "--seed", "1", "--d-out", "7", "--bias"],
    ["dropout"], ["dropout", "--eval"], ["dropout", "--dropout", "0.1", "--bias", "--d-out", "5"],
    ["wrapper"], ["wrapper", "--heads", "3", "--batch", "3", "--context-length", "9", "--bias"],
    ["split_head"], ["split_head", "--heads", "4", "--d-out", "8", "--context-length", "12", "--bias"],
    ["padding"], ["padding", "--lengths", "1,4,3", "--bias"], ["padding", "--lengths", "5", "--d-out", "5", "--seed", "5"],
    ["cross"], ["cross", "--target", "2", "--bias"], ["cross", "--target", "6 5 4 3 2 1 1", "--d-out", "5", "--seed", "5"],
    ["cache"], ["cache", "--prefill", "1", "--bias"], ["cache", "--prefill", "6", "--d-out", "5", "--seed", "5"],
    ["grouped_query"], ["grouped_query", "--groups", "1", "--bias", "--batch", "2"],
    ["grouped_query", "--heads", "6", "--d-out", "18", "--groups", "3", "--seed", "5"],
    ["rotary"], ["rotary", "--d-out", "2", "--bias"], ["rotary", "--d-out", "8", "--base", "100", "--seed", "5"],
    ["window"], ["window", "--window", "1", "--bias"], ["window", "--window", "6", "--d-out", "5", "--seed", "5"],
    ["latent"], ["latent", "--latent", "3", "--heads", "4", "--d-out", "8", "--batch", "2"], ["latent", "--latent", "1", "--seed", "5"],
    ["llama"], ["llama", "--groups", "1", "--batch", "2"], ["llama", "--qk-norm"], ["llama", "--qk-norm", "--heads", "2", "--d-out", "12", "--seed", "5"], ["llama", "--heads", "3", "--groups", "3", "--d-out", "12", "--hidden", "5", "--base", "100", "--seed", "5"],
    ["online_softmax"], ["online_softmax", "--tile", "1", "--bias"], ["online_softmax", "--tile", "4", "--d-out", "5", "--seed", "3"],
    ["model"], ["model", "--heads", "1"], ["model", "--heads", "4"],
    ["model", "--d-model", "6", "--heads", "3", "--hidden", "10", "--vocabulary", "9"], ["model", "--dropout", "0.1", "--eval"],
    ["model", "--text", "a b a c"], ["gradients"], ["gradients", "--heads", "1"], ["gradients", "--seed", "5"],
    ["training"], ["training", "--heads", "1", "--updates", "50"],
    ["training", "--optimizer", "sgd", "--lr", "0.1", "--updates", "100"],
    ["training", "--warmup", "20", "--cosine", "--clip", "0.05", "--updates", "100"], ["training", "--clip", "0.02", "--optimizer", "sgd", "--lr", "0.1", "--updates", "50"],
    ["embeddings"], ["embeddings", "--ids", "0,4,4", "--ids", "5,1,0", "--d-model", "7", "--seed", "5"],
    ["block"], ["block", "--ids", "0,4,4", "--ids", "5,1,0", "--d-model", "6", "--heads", "3", "--layers", "3", "--seed", "5"], ["block", "--bias"],
    ["sampling"], ["sampling", "--top-k", "1", "--samples", "50"], ["sampling", "--logits", "0.5,-1,0.5,2,2", "--seed", "5"],
]
four = "{:.4f}".format
between = lambda x: [four(x.min().item()), four(x.max().item())]
sixth = lambda x: [four(1 / 6), *between(x)]
log_6 = lambda x: [f"log 6 = {four(torch.log(torch.tensor(6.)))}", four(x)]
WORDS = ["Your", "journey", "starts", "with", "one", "step"]
groups_read = lambda v, groups: ", ".join(str(group + 1) for group in groups.tolist())


def drawn_at(v, temperature):
    torch.manual_seed(123)
    probabilities = torch.softmax(v.logits / temperature, dim=-1)
    return torch.bincount(torch.cat([torch.multinomial(probabilities, 1) for _ in range(v.samples)]), minlength=len(v.logits))


size = lambda x: str(tuple(x.shape))
# What each answer must say, of the variables of the steps. Of a group's the last one stands.
ANSWERS = {
    "why": [
        lambda v: ["The plural" if v.last_together[1] > v.last_together[0] else "?", four(v.last_together[1]), four(v.last_together[0])],
        lambda v: [f'"{v.sentence.split()[v.weights[0, 4].argmax()]}"', four(v.weights[0, 4, 1])],
        lambda v: [four(v.off_together[0]), four(v.off_together[1])]],
    "simplified": [
        lambda v: [four(v.scores[5, 0]), "symmetric" if v.scores.equal(v.scores.T) else "?"],
        lambda v: [WORDS[v.weights[4].argmax()], four(v.weights[4].max()), four(v.weights[4, 4])],
        lambda v: ["No.", *between(v.column_sums)]],
    "trainable": [
        lambda v: [four(v.scores[1, 2]), four(v.scores[2, 1])],
        lambda v: sixth(v.weights),
        lambda v: ["W_value", size(v.W_value.weight)]],
    "causal": [
        lambda v: [f"{(v.causal_weights == 0).sum()}.", f'"{WORDS[(v.causal_weights > 0).all(-1).nonzero().item()]}"'],
        lambda v: [four(v.causal_weights[0, 0])],
        lambda v: ["last" if v.causal_weights[:-1, -1].eq(0).all() and v.causal_weights[-1, -1] > 0 else "?"]],
    "dropout": [
        lambda v: [f"{100 * (v.kept_scale[0, 0] - 1):.1f} %", four(v.kept_scale[0, 0])],
        lambda v: [" and ".join(f"{x:g}" for x in v.ones_dropped.unique().tolist())],
        lambda v: ["Yes." if v.row_sums.max() > 1 else "?", four(v.row_sums[0])]],
    "wrapper": [
        lambda v: [size(v.scores)],
        lambda v: [f"{v.context.shape[-1]}, that is", "last two" if v.context[..., 2:].equal(v.contexts[1]) else "?"],
        lambda v: [f"largest difference is {(v.context[0] - v.context[1]).abs().max():g}"]],
    "split_head": [
        lambda v: [size(v.queries_by_head)],
        lambda v: ["last" if v.weights.sum(-1).sub(1).abs().max() < 1e-6 else "?"],
        lambda v: [f"{v.context_contiguous.stride()}, those of context_transposed are {v.context_transposed.stride()}"]],
    "model": [
        lambda v: [" of ".join(str(x) for x in ((v.weights[0, 0] > 0).sum().item(), v.weights[0, 0].numel()))],
        lambda v: sixth(v.probabilities),
        lambda v: log_6(v.loss)],
    "gradients": [
        lambda v: ["To 0." if v.logits_grad.sum(-1).abs().max() < 1e-7 else "?"],
        lambda v: [f'"{WORDS[(v.embedding_grad == 0).all(-1).nonzero().item()]}"'],
        lambda v: ["W_key_bias" if v.W_key_bias_grad.abs().max() < 1e-7 else "?"]],
    "training": [
        lambda v: log_6(v.loss_before),
        lambda v: [f"{v.weights[0, 1, 8].max():.2f}", f'"{v.words[v.weights[0, 1, 8].argmax()]}"'],
        lambda v: [four(v.price_of_not_looking_back), "4 of the 10",
                   "log 2" if abs(v.price_of_not_looking_back - .4 * torch.log(torch.tensor(2.))) < 1e-6 else "?"]],
    "embeddings": [
        lambda v: [four(v.token_table.weight[2, 0]), "row 2 of the table" if v.token_embeddings[0, 0] == v.token_table.weight[2, 0] else "?"],
        lambda v: [f"All {len(v.one_word_everywhere)}."],
        lambda v: [f"{len(v.window_targets)}."]],
    "block": [
        lambda v: [four(v.ln_variance[0, 0])],
        lambda v: [four(v.gradient_means[0])],
        lambda v: log_6(v.loss)],
    "sampling": [
        lambda v: [f"{drawn_at(v, temperature)[v.top_positions[1]]} times" for temperature in (0.1, 1)],
        lambda v: ["Yes" if v.kept_probabilities[7] > 0.3576 else "?", four(v.kept_probabilities[7])],
        lambda v: [f"{len(v.logits)}.", f"log 9 = {four(torch.log(torch.tensor(9.)))}"]],
    "cross": [
        lambda v: [f"{len(v.target)} rows", f"{len(v.source)} columns"],
        lambda v: [["Your", "journey", "starts", "with", "one", "step"][int((v.W_query(v.target)[0] @ v.keys.T).argmax())] + "."],
        lambda v: [f"{v.W_query(v.target).numel()} numbers", f"{v.W_value(v.target).numel()} again"]],
    "cache": [
        lambda v: [f"{len(v.key_cache)} rows", f"{len(v.query)} query"],
        lambda v: [f"{int(v.mask.sum())}. The", f"hide {int(torch.ones_like(v.scores).triu(diagonal=1).sum())}."],
        lambda v: [f"{int(v.products_with_cache[2])} with", f"{int(v.products_without_cache[2])} without"]],
    "grouped_query": [
        lambda v: [f"{v.num_groups} groups", f"head_dim = {v.head_dim} numbers",
                   "4" if v.W_key.weight.shape[0] == 4 and v.W_query.weight.shape[0] == 8 else "?"],
        lambda v: [groups_read(v, torch.arange(v.num_groups).repeat_interleave(v.group_size)),
                   groups_read(v, torch.arange(v.num_groups).repeat(v.group_size))],
        lambda v: ["{2:g}, {1:g} and {0:g}".format(*v.cache_sizes)]],
    "rotary": [
        lambda v: ["{:g} and by {:g}.".format(*v.inverse_frequencies)],
        lambda v: [f'"{WORDS[0]}"' if v.turn_halves(v.W_query(v.inputs), v.cosines, v.sines)[0].equal(v.W_query(v.inputs)[0])
                   else "?", f"angles are {v.angles[0].max()}"],
        lambda v: ["diagonal" if (v.queries_rotated.shape and (v.scores_later - v.scores_without).diagonal().abs().max() < 1e-6)
                   else "?", four(v.scores_without[5, 5])]],
    "window": [
        lambda v: [", ".join(WORDS[3:5]) + " and " + WORDS[5] if v.seen[5].tolist() == [0, 0, 0, 1, 1, 1] else "?",
                   "{:g}, {:g} and {:g}".format(*v.distance[5, 3:])],
        lambda v: [f"{int((v.reach_of_two_layers[5] > 0).sum())} tokens",
                   f'"{WORDS[int(v.reach_of_two_layers[5].argmin())]}"', f"distance is {v.distance[5, 0]}"],
        lambda v: [f"{int(v.seen.sum())} with", f"{int((v.distance >= 0).sum())}."]],
    "latent": [
        lambda v: [f"{v.latent.shape[-1]} of the latent", f"are {2 * v.values.shape[-1]}."],
        lambda v: ["head_dim", f"both widths are {v.head_dim}" if v.head_dim == v.latent_dim else "?"],
        lambda v: [f"{v.difference:.4e}", "another order"]],
    "llama": [
        lambda v: ["1, or a little less" if (1 - v.normalized.pow(2).mean(-1)).gt(0).all() and (1 - v.normalized.pow(2).mean(-1)).lt(1e-4).all()
                   else "?"],
        lambda v: [f'"{WORDS[0]}"' if v.keys_turned[:, :, 0].equal(v.keys_by_group[:, :, 0]) else "?", "position is 0"],
        lambda v: [f"{v.key_cache.numel() + v.value_cache.numel()}.", f"{v.keys_repeated.numel() + v.values_repeated.numel()}."]],
    "online_softmax": [
        lambda v: [f"e^({v.half_max:g}-{v.whole_max:g}) = {four(v.factor)}"],
        lambda v: [f"-inf with {four(v.running_max[0])}" if v.scores[0].eq(-torch.inf).all() else "?"],
        lambda v: ["another order" if 0 < v.difference < 1e-6 else "?"]],
}


def onestep(*arguments):
    return subprocess.run([ONESTEP, *arguments], capture_output=True, check=True).stdout.decode()


def seeded(program, arguments):
    """A class is made behind the lesson's own seed; --seed stands in its place."""
    seed = arguments[arguments.index("--seed") + 1] if "--seed" in arguments else None
    return program if seed is None else re.sub(r"manual_seed\(\d+\)", f"manual_seed({seed})", program)


def numbers_of(values):
    """nan and infinities stand in quotes."""
    return [numbers_of(value) for value in values] if isinstance(values, list) else float(values)


def distance(step, tensor):
    values = torch.tensor(numbers_of(step["values"]), dtype=torch.float32)
    if values.shape != tensor.shape or values.isnan().any():
        return float("inf")
    return ((values - tensor).abs() / values.abs().clamp(min=1)).max().item()


def check(arguments):
    program = onestep("print", *arguments, "--summary", "--format", "py")
    first, *lines = seeded(program, arguments).rstrip("\n").split("\n")
    scope = {}
    exec("\n".join(lines[:-1]), scope)
    tensor = scope[re.fullmatch(r"print\((\w+)\)", lines[-1])[1]].detach()
    name = first.split(": ")[-1]
    steps = json.loads(onestep("print", *arguments, "--format", "json"))["lessons"][0]["steps"]
    found = [distance(step, tensor) for step in steps if step["name"] == name]
    if not found or min(found) > MARGIN:
        raise ValueError(f"other numbers than {first[2:]}: {found}")
    return min(found)


def check_answers(lesson):
    """The answers as printed, and what PyTorch says."""
    printed = onestep("print", lesson, "--summary").split("\nAnswers, at the course's parameters:\n\n")[1]
    answers = [" ".join(answer.split()) for answer in re.split(r"^\d\. ", printed, flags=re.M)[1:]]
    scope = {}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        exec(onestep("print", lesson, "--format", "py"), scope)
    variables = argparse.Namespace(**scope)
    for answer, words in zip(answers, ANSWERS[lesson]):
        for word in words(variables):
            if word not in answer:
                raise ValueError(f"{word!r} is not in {answer!r}")
    return 0


ONESTEP = os.path.abspath(sys.argv[1])
failed = 0
CHECKS = [(check, arguments, " ".join(arguments)) for arguments in RUNS]
CHECKS += [(check_answers, lesson, f"answers of {lesson}") for lesson in ANSWERS]
print(f"1..{len(CHECKS)}")
for number, (run, subject, name) in enumerate(CHECKS, 1):
    try:
        print(f"ok {number} - {name} # {run(subject):.1e}")
    except Exception as error:  # whatever the program throws
        failed += 1
        print(f"not ok {number} - {name}\n# {type(error).__name__}: {error}")
sys.exit(failed > 0)
