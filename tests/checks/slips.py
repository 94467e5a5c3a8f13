"""Is the slip of a student's program named?

Each program is a lesson's own PyTorch (`print --format json`) with one slip, as students make it in notebooks. The slips and the
words that their answers must contain were written before the rules of onestep were read: they come from what people do, not
from what onestep knows. Only where an answer names the cause in words that nobody foresaw were these added. Each program hands in
one step, as PyTorch prints it, and then all its steps at once, as an npz.

No program may pass, and none may get a first cause that is not its own. Of the dumps the first wrong step has to be the right one.
"""
ENOUGH = {"named": 88}
LINEAR = "torch.nn.Linear(d_in, d_out, bias=qkv_bias)"
MODEL = "torch.nn.Linear(d_model, d_model)"


# The lesson, the step, what the student did, what is replaced in the program, wherever it stands, and the cause: a regular
# expression, which the first explanation of the wrong numbers must match.
SLIPS = [
    # --- simplified: one query, then all of them, without any weights
    ("simplified", "weights", "softmax over the columns", {"softmax(scores, dim=-1)": "softmax(scores, dim=0)"}, "column|dim=0|queries"),
    ("simplified", "query_scores", "counted from one: the second token is inputs[2]", {"inputs[query_index]": "inputs[2]"}, "starts|query 3|row 3"),
    ("simplified", "query_weights", "divided by the sum, without the exponential",
     {"torch.softmax(query_scores, dim=0)": "query_scores / query_scores.sum()"}, "sum"),
    ("simplified", "query_scores", "a loop that ends one token early",
     {"inputs @ query": "torch.zeros(6)\nfor i in range(len(inputs) - 1):\n    query_scores[i] = torch.dot(inputs[i], query)"}, "last|step|row 6|number 6|a loop ends too early"),
    ("simplified", "query_context", "a loop that overwrites the sum instead of adding to it",
     {"query_context = query_weights @ inputs": "for i in range(6):\n    query_context = query_weights[i] * inputs[i]"}, "last|only|step|add|sum|query_weights\\[..., -1:\\]"),
    ("simplified", "weights", "divided by √d already in lesson 1", {"inputs @ inputs.T": "inputs @ inputs.T / d_in**0.5"}, "√|scal|/ (d_in|3)\\*\\*0.5"),
    ("simplified", "weights", "divided by the sum of the whole matrix", {"torch.softmax(scores, dim=-1)": "scores.exp() / scores.exp().sum()"},
     "whole|all|total|exp\\(scores\\)\\.sum\\(\\)"),
    ("simplified", "context", "the weights transposed", {"weights @ inputs": "weights.T @ inputs", "query_weights.T": "query_weights"}, "transpos"),
    ("simplified", "context", "scores instead of weights", {"context = weights @ inputs": "context = scores @ inputs"}, "softmax|scores"),
    ("simplified", "query_context", "the weights of the step before", {"query_weights @ inputs": "query_weights_by_sum @ inputs"}, "by_sum|sum"),
    ("simplified", "weights", "keepdim forgotten in a softmax by hand", {"torch.softmax(scores, dim=-1)": "scores.exp() / scores.exp().sum(dim=1)"},
     "keepdim"),
    ("simplified", "weights", "softmax twice", {"torch.softmax(scores, dim=-1)": "torch.softmax(torch.softmax(scores, dim=-1), dim=-1)"}, "twice"),
    ("simplified", "query_scores", "cosine similarity instead of the dot product",
     {"inputs @ query": "torch.nn.functional.cosine_similarity(inputs, query, dim=-1)"}, "length|cosine|norm"),
    # --- trainable
    ("trainable", "rand: queries", "seed 42", {"manual_seed(123)": "manual_seed(42)"}, "seed 42|seed=42"),
    ("trainable", "rand: W_query", "randn instead of rand", {"torch.rand(": "torch.randn("}, "randn|normal"),
    ("trainable", "rand: keys", "copied line: keys from W_query", {"keys = inputs @ W_key": "keys = inputs @ W_query"}, "queries|W_query"),
    ("trainable", "rand: weights", "divided by d_k", {"keys.shape[-1]**0.5": "keys.shape[-1]"}, "scale-by-dk"),
    ("trainable", "linear: weights", "divided by √ of the number of tokens", {"keys.shape[-1]**0.5": "keys.shape[0]**0.5"}, "token|√6|√d_k"),
    ("trainable", "rand: scaled", "multiplied by √d_k", {"scores / keys.shape[-1]**0.5": "scores * keys.shape[-1]**0.5"}, "multipl|\\* \\(?keys|× 2|times 2|2 times"),
    ("trainable", "rand: weights", "not scaled", {"scaled = scores / keys.shape[-1]**0.5": "scaled = scores"}, "√d_k|scal"),
    ("trainable", "rand: context", "weights times queries", {"weights @ values": "weights @ queries"}, "queries"),
    ("trainable", "linear: scores", "keys times queries", {"queries @ keys.T": "keys @ queries.T"}, "transpos|exchang|swap"),
    ("trainable", "linear: queries", "the bias that Linear has by default", {LINEAR: "torch.nn.Linear(d_in, d_out)"}, "bias"),
    ("trainable", "linear: W_key", "the layers made in the order key, query, value",
     {"W_query = " + LINEAR: f"W_key_first, W_query = {LINEAR}, {LINEAR}", "W_key = " + LINEAR: "W_key = W_key_first"}, "order|query"),
    ("trainable", "copied_queries", "view instead of a transpose", {"W_query.weight.T": "W_query.weight.view(d_in, d_out)"}, "view|reshap|transpos"),
    ("trainable", "rand: scaled", "precedence: d_k**1/2", {"keys.shape[-1]**0.5": "keys.shape[-1]**1/2"}, "divided|factor|times|4|2"),
    # --- causal
    ("causal", "causal_weights", "tril for triu in the second way", {"torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)": "torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1)"},
     "past|inver|earlier|lower|tril"),
    ("causal", "causal_weights", "diagonal=1 forgotten", {", diagonal=1)": ")"}, "diagonal|itself"),
    ("causal", "context", "0 instead of -inf", {"masked_fill(mask_bool, -torch.inf)": "masked_fill(mask_bool, 0)"}, "\\b0\\b|zero"),
    ("causal", "renormalized", "sums of the columns", {"sum(dim=-1, keepdim=True)": "sum(dim=0, keepdim=True)"}, "column|sum over dim 0|\\.sum\\(dim=(0|-2), keepdim=True\\)"),
    ("causal", "renormalized", "keepdim forgotten", {"sum(dim=-1, keepdim=True)": "sum(dim=-1)"}, "keepdim|column"),
    ("causal", "context", "masked after the softmax, never normalized again", {"causal_weights @ values": "masked_weights @ values"}, "renormal|normaliz|masked_weights|after the softmax"),
    ("causal", "context", "the weights without a mask", {"causal_weights @ values": "weights @ values"}, "mask"),
    ("causal", "causal_weights", "1e-9 written for -1e9", {"masked_fill(mask_bool, -torch.inf)": "masked_fill(mask_bool, 1e-9)"}, "\\b0\\b|zero|1e-0?9"),
    ("causal", "masked_scores", "the minus sign of -inf lost", {"-torch.inf": "torch.inf"}, "sign|\\+|minus|inf"),
    ("causal", "queries", "seed 123, as in the section before", {"manual_seed(789)": "manual_seed(123)"}, "seed 123"),
    ("causal", "causal_weights", "divided by √d_in", {"keys.shape[-1]**0.5": "inputs.shape[-1]**0.5"}, "d_in|√3|inputs.shape\\[-1\\]"),
    ("causal", "context", "copied line: values from the key layer", {"W_value(inputs)": "W_key(inputs)"}, "key"),
    ("causal", "weights", "cells run out of order: the scores were masked in place", {"torch.softmax(scores / ": "torch.softmax(scores.masked_fill_(torch.ones(6, 6).triu(1).bool(), -torch.inf) / "}, "mask|causal_weights"),
    # --- dropout
    ("dropout", "mt19937: weights_dropped", "p 0.1", {"dropout(causal_weights, p": "dropout(causal_weights, 0.1"}, "0\\.1"),
    ("dropout", "mt19937: weights_dropped", "evaluation mode", {"dropout(causal_weights, p, training)": "dropout(causal_weights, p, False)"}, "off|eval|dropout"),
    ("dropout", "mt19937: weights_dropped", "zeros by hand, without 1/(1-p)",
     {"torch.nn.functional.dropout(causal_weights, p, training)": "causal_weights * (ones_dropped > 0)"}, "1/\\(1 ?- ?p\\)|scal|half|grow"),
    ("dropout", "mt19937: weights_dropped", "dropout before the softmax",
     {"torch.nn.functional.dropout(causal_weights, p, training)": "torch.softmax(torch.nn.functional.dropout(scaled, p), dim=-1)"}, "before|nan|scores"),
    ("dropout", "mt19937: weights_dropped", "dropout twice",
     {"torch.nn.functional.dropout(causal_weights, p, training)": "torch.nn.functional.dropout(torch.nn.functional.dropout(causal_weights, p), p)"}, "twice"),
    ("dropout", "mt19937: weights_dropped", "the seed not set again", {"torch.manual_seed(123)\nweights_dropped": "weights_dropped"}, "seed"),
    ("dropout", "mt19937: context", "the dropped weights not used", {"weights_dropped @ values": "causal_weights @ values"}, "dropout|eval|dropped"),
    ("dropout", "mt19937: mean_of_draws", "sum for mean", {".mean(dim=0)": ".sum(dim=0)"}, "200|mean|sum"),
    ("dropout", "mt19937: context", "each row divided by its sum after dropout",
     {"weights_dropped @ values": "weights_dropped / (weights_dropped.sum(-1, keepdim=True) + 1e-9) @ values"}, "sum|normaliz"),
    # --- wrapper
    ("wrapper", "context", "the seed set in each head's constructor", {"W_query_2 =": "torch.manual_seed(123)\nW_query_2 ="}, "seed|same|head 1"),
    ("wrapper", "head 1: weights", "√ of d_out times heads", {"keys.shape[-1]**0.5": "(keys.shape[-1] * num_heads)**0.5"}, "scale-by-d-out"),
    ("wrapper", "head 1: weights", "dim=1 of a batch", {"keys.shape[-1]**0.5, dim=-1": "keys.shape[-1]**0.5, dim=1"}, "column|dim=1|queries|dim=-2"),
    ("wrapper", "context", "the heads in the other order", {"torch.cat(contexts": "torch.cat(contexts[::-1]"}, "head|order"),
    # --- split_head
    ("split_head", "scores", "view(b, heads, t, head_dim)", {"view(batch_size, num_tokens, num_heads, head_dim)": "view(batch_size, num_heads, num_tokens, head_dim)",
     "viewed.transpose(1, 2)": "viewed"}, "view|transpos"),
    ("split_head", "context", "merged without the transpose", {"context_by_head.transpose(1, 2)": "context_by_head"}, "transpos"),
    ("split_head", "weights", "√d_out instead of √head_dim", {"head_dim**0.5": "d_out**0.5"}, "d_out|head_dim|√"),
    ("split_head", "output", "no output projection", {"output = out_proj(context)": "output = context"}, "projection|W_out"),
    ("split_head", "W_query", "the output projection made first", {"W_query = " + LINEAR: f"out_first = torch.nn.Linear(d_out, d_out)\nW_query = {LINEAR}",
     "out_proj = torch.nn.Linear(d_out, d_out)": "out_proj = out_first"}, "order|out"),
    ("split_head", "weights", "softmax over the heads", {"head_dim**0.5, dim=-1)": "head_dim**0.5, dim=1)"}, "head|dim=1"),
    ("split_head", "context", "copied line: values from the queries", {"values_viewed = values.": "values_viewed = queries."}, "queries|quer"),
    ("split_head", "masked_scores", "~mask", {"masked_fill(mask, -": "masked_fill(~mask, -"}, "inver|past|opposite|~"),
    # --- model
    ("model", "loss", "probabilities handed to cross_entropy", {"cross_entropy(logits.": "cross_entropy(probabilities."}, "softmax|probabilities"),
    ("model", "loss", "reduction sum", {".flatten(0, 1), targets)": ".flatten(0, 1), targets, reduction='sum')"}, "sum|5"),
    ("model", "loss", "the targets not shifted", {"ids[:, 1:]": "ids[:, :-1]"}, "shift|target"),
    ("model", "logits", "a second ReLU, after the second layer", {"feed_forward = ffn2(hidden)": "feed_forward = torch.relu(ffn2(hidden))"}, "ReLU|torch.relu\\(ffn2"),
    ("model", "logits", "a shortcut that the lesson does not have", {"ffn1(attention)": "ffn1(attention + embedded)"}, "shortcut|residual|added|embedded"),
    ("model", "hidden", "GELU for ReLU", {"torch.relu(": "torch.nn.functional.gelu("}, "GELU|gelu"),
    ("model", "logits", "query, key and value without bias", {f"W_query = {MODEL}": "W_query = torch.nn.Linear(d_model, d_model, bias=False)", f"W_key = {MODEL}": "W_key = torch.nn.Linear(d_model, d_model, bias=False)",
     f"W_value = {MODEL}": "W_value = torch.nn.Linear(d_model, d_model, bias=False)"}, "bias"),
    # --- gradients
    ("gradients", "logits_grad", "not divided by the number of targets", {" / targets.numel()": ""}, "5|mean|sum|number"),
    ("gradients", "W_logits_grad", "the sign turned round", {"(probabilities - truth)": "(truth - probabilities)"}, "sign|-1|−1|minus|negat|= -\\("),
    ("gradients", "W_query_grad", "backward twice", {"W_query_grad = queries_grad.flatten(0, 1).T @ embedded.flatten(0, 1)":
     "loss.backward(retain_graph=True)\nloss.backward(retain_graph=True)\nW_query_grad = W_query.weight.grad.clone()"}, "twice|2 times|doubl"),
    ("gradients", "masked_scores_grad", "softmax's gradient without the row's sum", {"(weights_grad - average) * weights": "weights_grad * weights"}, "sum|average|softmax|leaves out the subtraction"),
    ("gradients", "W_ffn1_grad", "ReLU forgotten on the way back", {"hidden_grad.masked_fill(hidden <= 0, 0)": "hidden_grad"}, "ReLU|leaves out torch.masked_fill in ffn1_grad|W_ffn1_grad = hidden_grad"),
    ("gradients", "W_query_grad", "the scale forgotten on the way back", {"dot_products_grad = scores_grad * head_dim**-0.5": "dot_products_grad = scores_grad"}, "√|scal|1\\.41"),
    ("gradients", "values_by_head_grad", "the weights not transposed", {"weights.transpose(2, 3) @ context_by_head_grad": "weights @ context_by_head_grad"}, "transpos"),
    # --- training
    ("training", "losses", "zero_grad forgotten", {"optimize.zero_grad()": "pass"}, "zero_grad|accumul|add"),
    ("training", "losses", "the optimizer's own lr, 0.001", {"lr=lr": "lr=0.001"}, "0\\.001"),
    ("training", "sgd: W_query_after", "up the slope: plus for minus", {"W_query.weight - W_query_grad * lr": "W_query.weight + W_query_grad * lr"}, "plus|sign|wrong direction|up|minus"),
    ("training", "adamw: W_query_after", "no bias correction", {"first_moment_corrected / (second_moment_corrected.sqrt()": "first_moment / (second_moment.sqrt()"}, "correct"),
    ("training", "trained: W_query", "a loop that ends one update early", {"range(updates)": "range(updates - 1)"}, "199"),
    ("training", "losses", "the step of the optimizer forgotten", {"optimize.step()": "pass"}, "step|never|not updat|0 updates|lr 0"),
    # --- embeddings
    ("embeddings", "position_embeddings", "the token table for positions", {"position_table(torch.arange": "token_table(torch.arange"}, "token"),
    ("embeddings", "window_targets", "the targets not shifted", {"text_ids[i + 1:i + window + 1]": "text_ids[i:i + window]"}, "shift|window_inputs|inputs"),
    ("embeddings", "token_embeddings", "ids counted from 1", {"token_table(input_ids)": "token_table(input_ids - 1)"}, "row|id|off by one|before"),
    ("embeddings", "token_table", "rand instead of an Embedding", {"token_table = torch.nn.Embedding(vocabulary, d_model)": "token_table = torch.nn.Embedding.from_pretrained(torch.rand(vocabulary, d_model))"},
     "rand|uniform"),
    # --- block
    ("block", "block 1: norm1_normalized", "the variance that divides by n - 1", {"x.var(dim=-1, keepdim=True, unbiased=False)": "x.var(dim=-1, keepdim=True)"}, "n ?[-−] ?1|unbiased"),
    ("block", "block 1: norm1_normalized", "divided by the variance, not its root", {"torch.sqrt(norm1_variance + 1e-5)": "(norm1_variance + 1e-5)"}, "root|sqrt|√|variance"),
    ("block", "block 1: after_attention", "the shortcut around attention forgotten", {"attention + x": "attention"}, "shortcut|residual"),
    ("block", "logits", "the positions not added", {"embedded = token_embeddings + position_embeddings": "embedded = token_embeddings"}, "position"),
    ("block", "logits", "the last norm left out", {"head(final)": "head(after_feed_forward)"}, "norm|final"),
    ("block", "block 1: activated", "ReLU for GELU", {"activated = gelu(hidden)": "activated = torch.relu(hidden)"}, "ReLU"),
    ("block", "block 1: after_feed_forward", "the shortcut from the block's input", {"feed_forward + after_attention": "feed_forward + x"}, "shortcut|x|input|after_attention"),
    # --- sampling
    ("sampling", "temperature 5: probabilities", "multiplied by the temperature", {"logits / 5": "logits * 5"}, "multipl|times|0\\.2"),
    ("sampling", "kept_probabilities", "0 instead of -inf", {"masked_fill(is_below, -torch.inf)": "masked_fill(is_below, 0)"}, "\\b0\\b|zero"),
    ("sampling", "kept_probabilities", "<= for <: one word fewer", {"logits < top_logits[-1]": "logits <= top_logits[-1]"}, "top-k 2|top_k 2|<=|k"),
    ("sampling", "costs", "the minus sign lost", {"-torch.log_softmax(": "torch.log_softmax("}, "sign|-1|−1|minus|negat"),
    # --- grouped_query
    ("grouped_query", "scores", "repeat for repeat_interleave", {"repeat_interleave(group_size, dim=1)": "repeat(1, group_size, 1, 1)"}, "repeat|group|interleav"),
    ("grouped_query", "queries", "the query layer made first", {"W_key = torch": f"W_query_first = {LINEAR}\nW_key = torch", f"W_query = {LINEAR}": "W_query = W_query_first"}, "order|first"),
    # --- window
    ("window", "weights", "> for >=: one key more", {"distance >= window": "distance > window"}, "window|4|one"),
    ("window", "weights", "the future not hidden", {" | (distance < 0)": ""}, "future|later"),
    ("window", "masked_scores", "the distance turned round", {"positions.unsqueeze(1) - positions": "positions - positions.unsqueeze(1)"}, "transpos|turned|past|future|earlier|sign|positions - positions.unsqueeze"),
]
