# --- Showing a lesson in a notebook --------------------------------------------------------------------------------
def page():
    """The path of onestep.html; None where it was not built."""
    path = program()
    if path is None:
        return None
    folder = os.path.dirname(os.path.realpath(path))
    places = [os.path.join(folder, "..", "share", "onestep"), os.path.join(folder, "src", "web")]  # installed; just built
    return next((os.path.join(place, "onestep.html") for place in places
                 if os.path.exists(os.path.join(place, "onestep.html"))), None)


NO_PAGE = ("This is one screen, and no keys work here: onestep.html is not installed. Put it beside the program, as "
           "share/onestep/onestep.html. It comes with a release and its wheels; ./start web builds it.")


class Screen:
    """What show() returns: Jupyter draws it, print() writes it as text."""

    def __init__(self, link, text, drawn):
        self.link, self.text, self.drawn = link, text, drawn

    def __str__(self):
        return self.text

    __repr__ = __str__

    def _repr_html_(self):
        return self.drawn


def run_screen(arguments, form):
    done = answer_of(["screen", *arguments, f"--format={form}"])
    if done.returncode == 2 and done.stderr.startswith(b"onestep: "):
        raise ValueError(in_python(done.stderr.decode(errors="replace").splitlines()[0]))
    if done.returncode != 0 or not done.stdout:
        raise not_onestep(done)
    return done.stdout.decode()


def show(step="simplified", height=560, **parameters):
    """The walker inside a cell of a notebook, at this step: show("causal/scores", seed=5). It needs no server and no network.

    The step is LESSON, LESSON/STEP or LESSON/GROUP: STEP; height counts pixels. Where onestep.html is not installed, the cell shows one
    screen instead, as a figure, and says what is missing. Raises FileNotFoundError without onestep, ValueError if there is no such step or parameter."""
    lesson, _, name = str(step).partition("/")
    arguments = [lesson_of(lesson), *([f"--step={name}"] if name else []), *options_of(parameters)]
    link = run_screen(arguments, "link").strip()
    place = page()
    if place is None:
        drawn = f"{run_screen(arguments, 'svg')}<p>{html.escape(NO_PAGE)}</p>"
    else:
        with open(place, encoding="utf-8") as file:
            document = html.escape(file.read()).encode("ascii", "xmlcharrefreplace").decode()  # whatever charset is around
        drawn = (f'<iframe name="{html.escape(link[link.index("#"):])}" srcdoc="{document}" title="onestep: {html.escape(step)}" '
                 f'style="width:100%;height:{int(height)}px;border:0"></iframe>')
    return Screen(link, run_screen(arguments, "text"), drawn)
