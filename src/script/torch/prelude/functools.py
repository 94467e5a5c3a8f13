# functools.
def reduce(function, sequence, *initial):
    items = iter(sequence)
    value = initial[0] if initial else next(items)
    for item in items:
        value = function(value, item)
    return value


class partial:
    def __init__(self, func, /, *args, **keywords):
        self.func, self.args, self.keywords = func, args, keywords

    def __call__(self, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})


def wraps(wrapped):
    def named(wrapper):
        wrapper.__name__, wrapper.__doc__, wrapper.__wrapped__ = wrapped.__name__, wrapped.__doc__, wrapped
        return wrapper
    return named


def cache(function):
    results = {}

    def cached(*args, **keywords):
        key = args + tuple(keywords.items())
        if key not in results:
            results[key] = function(*args, **keywords)
        return results[key]
    return cached


def lru_cache(maxsize=128, typed=False):
    return cache(maxsize) if callable(maxsize) else cache
