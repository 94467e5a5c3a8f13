"""Runs tests and says in TAP what came of them."""
import os
import pty
import resource


class Skipped(Exception):
    """A test cannot be made here; says why."""


def has_terminals():
    """Are there pseudo-terminals? Without /dev/pts there are none."""
    try:
        for end in pty.openpty():
            os.close(end)
        return True
    except OSError:
        return False


def processor_seconds():
    """Of all commands so far. What is quick is held to these: the clock on the wall counts what others do, too."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(tests):
    """Calls each: a function, or a pair of a name and one. Whatever it throws but Skipped is its failure. Returns whether any failed."""
    count = failed = 0
    for count, test in enumerate(tests, 1):
        name, call = test if isinstance(test, tuple) else (test.__name__, test)
        try:
            call()
            print(f"ok {count} - {name}")
        except Skipped as reason:
            print(f"ok {count} - {name} # SKIP {reason}")
        except Exception as error:
            failed += 1
            said = str(error)[:900].replace("\n", "\n# ")
            print(f"not ok {count} - {name}\n# {type(error).__name__}: {said}")
    print(f"1..{count}")
    return failed > 0
