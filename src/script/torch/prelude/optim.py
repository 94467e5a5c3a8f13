# torch.optim, with the arithmetic of PyTorch on a CPU, in its order.
import math

import torch


class Optimizer:
    def __init__(self, params, defaults):
        if isinstance(params, torch.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got " + params.type())
        groups = list(params)
        if len(groups) == 0:
            raise ValueError("optimizer got an empty parameter list")
        self.defaults, self.state, self.param_groups = defaults, {}, []
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, group):
        params = group["params"]
        params = [params] if isinstance(params, torch.Tensor) else list(params)
        for p in params:
            if not isinstance(p, torch.Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + type(p).__name__)
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        whole = dict(group)
        whole["params"] = params
        for name, value in self.defaults.items():
            whole.setdefault(name, value)
        self.param_groups.append(whole)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            if set_to_none and torch._forget_gradients(group["params"]):
                continue
            for p in group["params"]:
                if p.grad is not None:
                    p.grad = None if set_to_none else torch.zeros_like(p.grad)

    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            for group in self.param_groups:
                if self._is_updated(group):
                    continue
                for p in group["params"]:
                    if p.grad is not None:
                        # One parameter after the other.
                        self._update(p, -p.grad if group["maximize"] else p.grad, group, self.state.setdefault(p, {}))
        return loss

    def _is_updated(self, group):
        return False

    def state_dict(self):
        numbers, state, groups = {}, {}, []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(p, len(numbers))
            packed = {name: value for name, value in group.items() if name != "params"}
            packed["params"] = [numbers[p] for p in group["params"]]
            groups.append(packed)
        for p, values in self.state.items():
            state[numbers[p]] = values
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        params = []
        for group, saved in zip(self.param_groups, state_dict["param_groups"]):
            if len(group["params"]) != len(saved["params"]):
                raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
            params += group["params"]
            group.update({name: value for name, value in saved.items() if name != "params"})
        self.state = {params[number]: {name: x.clone() if isinstance(x, torch.Tensor) else x for name, x in values.items()}
                      for number, values in state_dict["state"].items()}

    def __repr__(self):
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for name in sorted(group.keys()):
                if name != "params":
                    text += f"    {name}: {group[name]}\n"
        return text + ")"


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False,
                 foreach=None, differentiable=False, fused=None):
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov,
                                      maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused))

    def _update(self, p, grad, group, state):
        momentum = group["momentum"]
        if group["weight_decay"] != 0:
            grad = grad.add(p, alpha=group["weight_decay"])
        if momentum != 0:
            if state.get("momentum_buffer") is None:
                state["momentum_buffer"] = grad.clone()
            else:
                state["momentum_buffer"].mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            buffer = state["momentum_buffer"]
            grad = grad.add(buffer, alpha=momentum) if group["nesterov"] else buffer
        p.add_(grad, alpha=-group["lr"])


class Adam(Optimizer):
    _is_coupled = True  # the decay is part of the gradient

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=None, amsgrad=False, *, maximize=False,
                 foreach=None, capturable=False, differentiable=False, fused=None):
        if not lr >= 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps >= 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in range(2):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        if amsgrad:
            raise NotImplementedError("onestep's Adam has no amsgrad")
        decay = (0 if self._is_coupled else 1e-2) if weight_decay is None else weight_decay
        if not decay >= 0.0:
            raise ValueError(f"Invalid weight_decay value: {decay}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=decay, amsgrad=False, maximize=maximize, foreach=foreach,
                                      capturable=capturable, differentiable=differentiable, fused=fused))

    def _is_updated(self, group):  # where nobody watches: all parameters at once, with the same numbers
        beta1, beta2 = group["betas"]
        is_plain = group["eps"] == 1e-8 and not group["maximize"]
        return is_plain and torch._adam_all_(group["params"], self.state, group["lr"], beta1, beta2, group["weight_decay"], self._is_coupled)

    def _update(self, p, grad, group, state):
        if not state:
            # No update was made yet.
            state["step"] = torch.tensor(0.0)
            # Both running means begin at 0.
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(p), torch.zeros_like(p)
        # The number of updates, with this one.
        state["step"] += 1
        # The running means of this parameter.
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        step, lr, decay, (beta1, beta2) = int(state["step"].item()), group["lr"], group["weight_decay"], group["betas"]
        if not torch._is_watched() and group["eps"] == 1e-8 and p.dtype == torch.float32:
            # All lines below at once, with the same numbers.
            torch._adam_(p, grad, exp_avg, exp_avg_sq, lr, beta1, beta2, decay, step, self._is_coupled)
            return
        if decay != 0 and self._is_coupled:
            # The decay is a part of the gradient.
            grad = grad.add(p, alpha=decay)
        elif decay != 0:
            # The decay takes a part of the parameter itself.
            p.mul_(1 - lr * decay)
        # The running mean of the gradients.
        exp_avg.lerp_(grad, 1 - beta1)
        # The running mean of their squares.
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        # What the step is divided by. Both means began at 0, so each is divided by what is missing.
        denom = exp_avg_sq.sqrt() / math.sqrt(1 - beta2 ** step) + group["eps"]
        # The step, against the running mean of the gradients.
        p.addcdiv_(exp_avg, denom, value=-lr / (1 - beta1 ** step))


class AdamW(Adam):
    _is_coupled = False
