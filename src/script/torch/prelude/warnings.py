# warnings: none are shown.
def filterwarnings(action, message="", category=None, module="", lineno=0, append=False):
    pass


def warn(message, category=None, stacklevel=1, source=None):
    pass


simplefilter = filterwarnings
