"""Can every exercise of `onestep practice` be solved from its hints, and are wrong answers named?

The answers were written from the hints alone, as a student would; so were the wrong ones, each with the code that `check` has for
it: the mistake, or another step, or what is wrong with the shape; or with the line that `check` has. Every script is filled in, run
by PyTorch, and looked at by `practice`.
"""
# Name of the exercise: the answer, and wrong ones with their codes.
ANSWERS = {
    "simplified query_scores": ("inputs @ query", {"inputs @ inputs[0]": "part", "inputs * query": "query_scores = inputs * query"}),
    "simplified query_weights_by_sum": ("query_scores / query_scores.sum()", {
        "torch.softmax(query_scores, dim=0)": "step:query_weights"}),
    "simplified query_weights": ("torch.softmax(query_scores, dim=0)", {
        "query_scores / query_scores.sum()": "no-exponential"}),
    "simplified query_context": ("query_weights @ inputs", {"query_weights_by_sum @ inputs": "no-exponential"}),
    "simplified scores": ("inputs @ inputs.T", {"inputs.T @ inputs": "scores = inputs.T @ inputs"}),
    "simplified weights": ("torch.softmax(scores, dim=-1)", {"torch.softmax(scores, dim=0)": "softmax-columns"}),
    "simplified context": ("weights @ inputs", {"weights.T @ inputs": "softmax-columns/weights-transposed"}),
    "trainable rand: queries": ("inputs @ W_query", {"inputs @ W_key": "step:rand: keys"}),
    "trainable rand: query_scores": ("keys @ query", {"queries @ query": "seed-each-layer"}),
    "trainable rand: scaled": ("scores / keys.shape[-1]**0.5", {"scores / keys.shape[-1]": "scale-twice/scale-by-dk",
                                                                 "scores": "no-scale/scale-after-softmax"}),
    "trainable rand: context": ("weights @ values", {"weights.T @ values": "weights-transposed",
                                                     "scaled @ values": "no-softmax"}),
    "trainable copied_queries": ("inputs @ W_query.weight.T", {}),
    "causal mask_tril": ("torch.tril(torch.ones(num_tokens, num_tokens))", {
        "torch.triu(torch.ones(num_tokens, num_tokens))": "mask-upside-down",
        "torch.tril(torch.ones(num_tokens, num_tokens), diagonal=-1)": "mask-diagonal"}),
    "causal renormalized": ("masked_weights / row_sums", {"masked_weights / masked_weights.sum(dim=-1)": "keepdim-forgotten"}),
    "causal masked_scores": ("scores.masked_fill(mask_bool, -torch.inf)", {
        "scores.masked_fill(mask_bool, 0)": "mask-zero", "scores": "mask-after-softmax/no-mask",
        "scores.masked_fill(~mask_bool, -torch.inf)": "mask-inverted"}),
    "causal causal_weights": ("torch.softmax(scaled, dim=-1)", {"torch.softmax(masked_scores, dim=-1)": "no-scale",
                                                                "torch.softmax(scaled, dim=0)": "softmax-columns"}),
    "dropout context_eval": ("causal_weights @ values", {"causal_weights.T @ values": "weights-transposed"}),
    "dropout mt19937: weights_dropped": ("torch.nn.functional.dropout(causal_weights, p, training)", {
        "causal_weights": "no-dropout/dropout-on-context/dropout-on-values"}),
    "dropout mt19937: row_sums": ("weights_dropped.sum(dim=-1)", {"causal_weights.sum(dim=-1)": "no-dropout/dropout-on-context/dropout-on-values"}),
    "wrapper batch": ("torch.stack([inputs] * batch_size, dim=0)", {"torch.stack([inputs] * batch_size, dim=1)": "shape-transposed"}),
    "wrapper mask": ("mask_buffer[:num_tokens, :num_tokens]", {}),
    "wrapper head 1: scores": ("queries @ keys.transpose(1, 2)", {"keys @ queries.transpose(1, 2)": "scores-transposed/swapped-qk"}),
    "wrapper context": ("torch.cat(contexts, dim=-1)", {"torch.cat(contexts[::-1], dim=-1)": "heads-reversed",
                                                        "torch.cat(contexts, dim=1)": "context = torch.cat(contexts, dim=-2)"}),
    "split_head queries_viewed": ("queries.view(batch_size, num_tokens, num_heads, head_dim)", {
        "queries.view(batch_size, num_tokens, head_dim, num_heads)": "shape-transposed"}),
    "split_head queries_by_head": ("queries_viewed.transpose(1, 2)", {
        "queries.view(batch_size, num_heads, num_tokens, head_dim)": "heads-by-view"}),
    "split_head scores": ("queries_by_head @ keys_by_head.transpose(2, 3)", {
        "keys_by_head @ queries_by_head.transpose(2, 3)": "scores-transposed/swapped-qk"}),
    "split_head context_contiguous": ("context_transposed.contiguous()", {"context_by_head": "shape-transposed"}),
    "split_head output": ("out_proj(context)", {"context": "no-out-proj"}),
    "model embedded": ("embedding(ids[:, :-1])", {"embedding(ids)": "shape-unrelated"}),
    "model hidden": ("torch.relu(ffn1(attention))", {}),
    "model logits": ("to_logits(feed_forward)", {}),
    "model loss": ("torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets)", {}),
    "gradients logits_grad": ("(probabilities - truth) / targets.numel()", {"probabilities - truth": "no-mean-grad"}),
    "gradients W_logits_bias_grad": ("logits_grad.flatten(0, 1).sum(0)", {"logits_grad.flatten(0, 1).mean(0)": "bias-grad-mean"}),
    "gradients ffn1_grad": ("hidden_grad.masked_fill(hidden <= 0, 0)", {
        "hidden_grad": "step:hidden_grad", "hidden_grad.relu()": "relu-gate-by-grad"}),
    "gradients values_by_head_grad": ("weights.transpose(2, 3) @ context_by_head_grad", {}),
    "gradients scores_grad": ("masked_scores_grad.masked_fill(mask, 0)", {}),
    "gradients keys_by_head_grad": ("dot_products_grad.transpose(2, 3) @ queries_by_head", {
        "dot_products_grad @ queries_by_head": "scores-grad-transposed"}),
    "gradients embedded_grad": ("through_queries + through_keys + through_values", {
        "through_queries": "grad-overwritten"}),
    "training sgd: W_query_after": ("W_query.weight - lr * W_query_grad", {
        "W_query.weight + lr * W_query_grad": "ascent", "W_query.weight - 10 * lr * W_query_grad": "lr-ten-times"}),
    "training adamw: first_moment_corrected": ("first_moment / (1 - 0.9)", {"first_moment": "no-bias-correction"}),
    "training price_of_not_looking_back": ("-share.log().mean()", {}),
    "embeddings token_embeddings": ("token_table(input_ids)", {"token_table.weight": "shape-unrelated"}),
    "embeddings by_product": ("one_hot_rows @ token_table.weight", {}),
    "embeddings position_embeddings": ("position_table(torch.arange(len(input_ids)))", {}),
    "embeddings input_embeddings": ("token_embeddings + position_embeddings", {
        "token_embeddings": "no-positions", "position_embeddings": "step:position_table"}),
    "block norm: out_norm": ("(out - row_mean) / row_variance.sqrt()", {}),
    "block embedded": ("token_embeddings + position_embeddings", {"token_embeddings": "no-positions"}),
    "block block 1: norm1_normalized": ("(x - norm1_mean) / torch.sqrt(norm1_variance + 1e-5)", {
        "(x - norm1_mean) / torch.sqrt(x.var(dim=-1, keepdim=True) + 1e-5)": "unbiased-variance"}),
    "block block 1: after_attention": ("x + attention", {"attention": "no-shortcut"}),
    "block block 1: activated": ("gelu(hidden)", {"hidden": "no-gelu"}),
    "block logits": ("head(final)", {}),
    "sampling most_likely": ("logits.argmax()", {}),
    "sampling temperature 1: probabilities": ("torch.softmax(scaled_logits, dim=-1)", {}),
    "sampling is_below": ("logits < top_logits[-1]", {"logits < top_logits[0]": "top-k-threshold"}),
    "sampling kept_logits": ("logits.masked_fill(is_below, -torch.inf)", {"logits": "step:logits"}),
    "sampling perplexity": ("loss.exp()", {"loss": "step:loss"}),
    "padding scores": ("queries @ keys.transpose(1, 2)", {}),
    "padding weights": ("torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)", {
        "torch.softmax(masked_scores, dim=-1)": "no-scale",
        "torch.softmax(scores.masked_fill(~mask, -torch.inf) / keys.shape[-1]**0.5, dim=-1)": "mask-inverted/padding-inverted",
        "torch.softmax(scores.masked_fill(mask.transpose(1, 2), -torch.inf) / keys.shape[-1]**0.5, dim=-1)": "padding-over-queries"}),
    "padding context": ("weights @ values", {"weights_unmasked @ values": "mask-zero/mask-after-softmax/no-mask"}),
    "padding left: weights_repaired": ("weights.masked_fill(hidden_rows, 0)", {
        "torch.softmax(masked_scores.masked_fill(hidden_rows, 0) / keys.shape[-1]**0.5, dim=-1)": "repaired-before-softmax",
        "weights_with_finite_min": "repaired-before-softmax"}),
    "cross queries": ("W_query(target)", {"W_query(source)": "shape-unrelated"}),
    "cross scores": ("queries @ keys.T", {}),
    "cross weights": ("torch.softmax(scores / keys.shape[-1]**0.5, dim=-1)", {
        "torch.softmax(scores, dim=-1)": "no-scale", "torch.softmax(scores / keys.shape[-1]**0.5, dim=0)": "softmax-columns"}),
    "cross context": ("weights @ values", {"weights @ keys": "keys-for-values"}),
    "cache prefill: weights": ("torch.softmax(masked_scores / d_out**0.5, dim=-1)", {
        "torch.softmax(scores / d_out**0.5, dim=-1)": "no-mask/prefill-no-mask"}),
    "cache token 4: key_cache": ("torch.cat([key_cache, W_key(token)])", {"W_key(token)": "shape-part"}),
    "cache token 4: scores": ("query @ key_cache.T", {}),
    "cache chunk: mask": ("places.triu(diagonal=past + 1).bool()", {"places.triu(diagonal=1).bool()": "cache-square-mask"}),
    "grouped_query keys_by_group": ("split(keys, num_groups)", {}),
    "grouped_query keys_repeated": ("keys_by_group.repeat_interleave(group_size, dim=1)", {
        "keys_by_group.repeat(1, group_size, 1, 1)": "repeat-for-interleave"}),
    "grouped_query scores": ("queries_by_head @ keys_repeated.transpose(2, 3)", {}),
    "grouped_query weights": ("torch.softmax(masked_scores / head_dim**0.5, dim=-1)", {
        "torch.softmax(masked_scores, dim=-1)": "no-scale"}),
    "rotary inverse_frequencies": ("1 / base**exponents", {}),
    "rotary keys_rotated": ("turn_halves(keys, cosines, sines)", {"keys": "keys-not-rotated"}),
    "rotary scores": ("queries_rotated @ keys_rotated.T", {"queries_rotated @ keys.T": "keys-not-rotated"}),
    "rotary context": ("weights @ values", {"weights @ turn_halves(values, cosines, sines)": "values-rotated"}),
    "window scores": ("queries @ keys.T", {}),
    "window mask": ("(distance >= window) | (distance < 0)", {
        "(distance > window) | (distance < 0)": "window-plus-one", "distance >= window": "window-sees-future"}),
    "window weights": ("torch.softmax(masked_scores / keys.shape[-1]**0.5, dim=-1)", {}),
    "window reach_of_two_layers": ("seen @ seen", {"seen": "step:seen"}),
    "online_softmax factor": ("torch.exp(half_max - whole_max)", {}),
    "online_softmax tile 1: numerators": ("torch.exp(scores - running_max.unsqueeze(1))", {}),
    "online_softmax tile 2: running_sum": ("running_sum * rescale + numerators.sum(dim=-1)", {}),
    "online_softmax context": ("running_result / running_sum.unsqueeze(1)", {}),
    "latent keys": ("W_up_key(latent)", {"W_up_value(latent)": "up-exchanged/chunks-exchanged"}),
    "latent weights": ("torch.softmax(masked_scores / head_dim**0.5, dim=-1)", {"torch.softmax(masked_scores, dim=-1)": "no-scale"}),
    "latent scores_absorbed": ("queries_absorbed @ latent.unsqueeze(1).transpose(2, 3)", {}),
}
