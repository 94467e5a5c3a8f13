#!/usr/bin/env python3
"""Compares the trees that onestep makes of programs with those of Python's own `ast`.

  script_trees.py DUMP_TREE FILE...
  script_trees.py --record DUMP_TREE tests/data/script/everything.py   writes everything.tree, if Python has the same tree
  script_trees.py --wrong tests/data/script/wrong.txt   writes what Python says of each of these programs

DUMP_TREE is the binary of tests/script/dump_tree.c. Of a program that Python refuses, type, line and message are
compared; they are those of Python 3.13, so another one may differ there."""

import ast
import subprocess
import sys
import warnings

OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.Invert: "~", ast.UAdd: "+", ast.USub: "-", ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in",
    ast.Is: "is", ast.IsNot: "is not"}


def hexed(text):
    return (text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")).hex()


class Dump:
    """The same lines as the binary's."""

    def __init__(self, source):
        self.lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.out = []

    def column(self, line, offset):  # from bytes to characters
        return len(self.lines[line - 1].encode()[:offset].decode())

    def place(self, node):
        return (f" {node.lineno}:{self.column(node.lineno, node.col_offset)}"
                f"-{node.end_lineno}:{self.column(node.end_lineno, node.end_col_offset)}")

    def put(self, depth, kind, node=None, *values):
        place = self.place(node) if node is not None else ""
        self.out.append(f"{depth} {kind}{place}" + "".join(f" {value}" for value in values))

    def all(self, nodes, depth):
        for node in nodes:
            self.one(node, depth)

    def block(self, statements, depth):
        if not statements:
            self.out.append(f"{depth} -")
            return
        self.put(depth, "BLOCK")
        self.all(statements, depth + 1)

    def one(self, node, depth):
        if node is None:
            self.out.append(f"{depth} -")
        else:
            getattr(self, type(node).__name__, self.refused)(node, depth)

    def refused(self, node, depth):
        self.out.append(f"{depth} REFUSED {type(node).__name__}")

    # Expressions

    def Name(self, node, d):
        self.put(d, "NAME", node, hexed(node.id))

    def Constant(self, node, d):
        value = node.value
        if isinstance(value, (bytes, str)):
            self.put(d, "STRING", node, type(value).__name__, hexed(value))
        elif isinstance(value, float):
            self.put(d, "FLOAT", node, "%.17g" % value)
        elif isinstance(value, bool) or value is None or value is ...:
            self.put(d, "ELLIPSIS" if value is ... else str(value).upper(), node)
        else:
            self.put(d, "INT", node, value)

    def JoinedStr(self, node, d):
        self.put(d, "FSTRING", node)
        self.all(node.values, d + 1)

    def FormattedValue(self, node, d):
        self.put(d, "FIELD", None, *([] if node.conversion < 0 else [hexed(chr(node.conversion))]))
        self.one(node.value, d + 1)
        self.one(node.format_spec, d + 1)

    def items(self, kind, node, d):
        self.put(d, kind, node)
        self.all(node.elts, d + 1)

    def Tuple(self, node, d):
        self.items("TUPLE", node, d)

    def List(self, node, d):
        self.items("LIST", node, d)

    def Set(self, node, d):
        self.items("SET", node, d)

    def Dict(self, node, d):
        self.put(d, "DICT", node)
        for key, value in zip(node.keys, node.values):
            self.all([key, value], d + 1)

    def UnaryOp(self, node, d):
        self.put(d, "UNARY", node, OPERATORS[type(node.op)])
        self.one(node.operand, d + 1)

    def BinOp(self, node, d):
        self.put(d, "BINARY", node, OPERATORS[type(node.op)])
        self.all([node.left, node.right], d + 1)

    def BoolOp(self, node, d):
        self.put(d, "BOOLEAN", node, OPERATORS[type(node.op)])
        self.all(node.values, d + 1)

    def Compare(self, node, d):
        self.put(d, "COMPARE", node, *[OPERATORS[type(op)] for op in node.ops])
        self.all([node.left] + node.comparators, d + 1)

    def IfExp(self, node, d):
        self.put(d, "CONDITIONAL", node)
        self.all([node.body, node.test, node.orelse], d + 1)

    def Lambda(self, node, d):
        self.put(d, "LAMBDA", node)
        self.parameters(node.args, d + 1)
        self.one(node.body, d + 1)

    def arguments_of(self, args, keywords, d):
        parts = [(argument, None) for argument in args] + [(keyword.value, keyword) for keyword in keywords]
        for value, keyword in sorted(parts, key=lambda part: (part[0].lineno, part[0].col_offset)):
            stars = 1 if keyword is None and isinstance(value, ast.Starred) else 2 if keyword and not keyword.arg else 0
            self.put(d, "ARGUMENT", None, *([hexed(keyword.arg)] if keyword and keyword.arg else []), stars)
            self.one(value.value if stars == 1 else value, d + 1)

    def Call(self, node, d):
        self.put(d, "CALL", node)
        self.one(node.func, d + 1)
        self.arguments_of(node.args, node.keywords, d + 1)

    def Attribute(self, node, d):
        self.put(d, "ATTRIBUTE", node, hexed(node.attr))
        self.one(node.value, d + 1)

    def Subscript(self, node, d):
        self.put(d, "SUBSCRIPT", node)
        self.all([node.value, node.slice], d + 1)

    def Slice(self, node, d):
        self.put(d, "SLICE", node)
        self.all([node.lower, node.upper, node.step], d + 1)

    def Starred(self, node, d):
        self.put(d, "STARRED", node)
        self.one(node.value, d + 1)

    def NamedExpr(self, node, d):
        self.put(d, "WALRUS", node)
        self.all([node.target, node.value], d + 1)

    def comprehension_of(self, kind, node, elements, d):
        self.put(d, kind, node)
        self.all(elements, d + 1)
        for clause in node.generators:
            self.put(d + 1, "CLAUSE")
            self.all([clause.target, clause.iter] + clause.ifs, d + 2)

    def ListComp(self, node, d):
        self.comprehension_of("LIST_COMPREHENSION", node, [node.elt], d)

    def SetComp(self, node, d):
        self.comprehension_of("SET_COMPREHENSION", node, [node.elt], d)

    def GeneratorExp(self, node, d):
        self.comprehension_of("GENERATOR", node, [node.elt], d)

    def DictComp(self, node, d):
        self.comprehension_of("DICT_COMPREHENSION", node, [node.key, node.value], d)

    # Statements

    def Module(self, node, d):
        self.put(d, "BLOCK")
        self.all(node.body, d + 1)

    def Expr(self, node, d):
        if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
            is_from = isinstance(node.value, ast.YieldFrom)
            self.put(d, "YIELD", node, *([hexed("from")] if is_from else []))
            self.one(node.value.value, d + 1)
            return
        self.put(d, "EXPRESSION", node)
        self.one(node.value, d + 1)

    def Assign(self, node, d):
        self.put(d, "ASSIGN", node)
        self.all(node.targets + [node.value], d + 1)

    def AugAssign(self, node, d):
        self.put(d, "AUGMENTED", node, OPERATORS[type(node.op)])
        self.all([node.target, node.value], d + 1)

    def AnnAssign(self, node, d):
        self.put(d, "ANNOTATED", node)
        self.all([node.target, node.annotation, node.value], d + 1)

    def parameters(self, args, d):
        self.put(d, "PARAMETERS")
        plain = args.posonlyargs + args.args
        defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
        parts = [(p, v, 0 if i < len(args.posonlyargs) else 1) for i, (p, v) in enumerate(zip(plain, defaults))]
        parts += [(args.vararg, None, 2)] if args.vararg else []
        parts += [(p, v, 3) for p, v in zip(args.kwonlyargs, args.kw_defaults)]
        parts += [(args.kwarg, None, 4)] if args.kwarg else []
        for parameter, value, kind in parts:
            self.put(d + 1, "PARAMETER", parameter, hexed(parameter.arg), kind)
            self.all([value, parameter.annotation], d + 2)

    def FunctionDef(self, node, d):
        self.put(d, "DEF", node, hexed(node.name))
        self.parameters(node.args, d + 1)
        self.block(node.body, d + 1)
        self.all([node.returns] + node.decorator_list, d + 1)

    def ClassDef(self, node, d):
        self.put(d, "CLASS", node, hexed(node.name))
        self.block(node.body, d + 1)
        self.out.append(f"{d + 1} BASES")
        self.arguments_of(node.bases, node.keywords, d + 2)
        self.all(node.decorator_list, d + 1)

    def Return(self, node, d):
        self.put(d, "RETURN", node)
        self.one(node.value, d + 1)

    def If(self, node, d):
        self.put(d, "IF", node)
        self.one(node.test, d + 1)
        self.block(node.body, d + 1)
        rest = node.orelse
        is_elif = len(rest) == 1 and isinstance(rest[0], ast.If) and \
            self.lines[rest[0].lineno - 1].encode()[rest[0].col_offset:].startswith(b"elif")
        self.one(rest[0], d + 1) if is_elif else self.block(rest, d + 1)

    def For(self, node, d):
        self.put(d, "FOR", node)
        self.all([node.target, node.iter], d + 1)
        self.block(node.body, d + 1)
        self.block(node.orelse, d + 1)

    def While(self, node, d):
        self.put(d, "WHILE", node)
        self.one(node.test, d + 1)
        self.block(node.body, d + 1)
        self.block(node.orelse, d + 1)

    def Try(self, node, d):
        self.put(d, "TRY", node)
        self.block(node.body, d + 1)
        self.block(node.orelse, d + 1)
        self.block(node.finalbody, d + 1)
        self.all(node.handlers, d + 1)

    def ExceptHandler(self, node, d):
        self.put(d, "HANDLER", node, *([hexed(node.name)] if node.name else []))
        self.one(node.type, d + 1)
        self.block(node.body, d + 1)

    def With(self, node, d):
        self.put(d, "WITH", node)
        self.block(node.body, d + 1)
        for item in node.items:
            self.put(d + 1, "ITEM")
            self.all([item.context_expr, item.optional_vars], d + 2)

    def Raise(self, node, d):
        self.put(d, "RAISE", node)
        self.all([node.exc, node.cause], d + 1)

    def Assert(self, node, d):
        self.put(d, "ASSERT", node)
        self.all([node.test, node.msg], d + 1)

    def Delete(self, node, d):
        self.put(d, "DEL", node)
        self.all(node.targets, d + 1)

    def Import(self, node, d):
        self.put(d, "IMPORT", node)
        self.all(node.names, d + 1)

    def ImportFrom(self, node, d):
        self.put(d, "FROM", node, hexed("." * node.level + (node.module or "")))
        self.all([alias for alias in node.names if alias.name != "*"], d + 1)

    def alias(self, node, d):
        self.put(d, "ALIAS", node, hexed(node.name), *([hexed(node.asname)] if node.asname else []))

    def scope(self, kind, node, d):
        self.put(d, kind, node)
        self.out += [f"{d + 1} NAME {hexed(name)}" for name in node.names]

    def Global(self, node, d):
        self.scope("GLOBAL", node, d)

    def Nonlocal(self, node, d):
        self.scope("NONLOCAL", node, d)

    def Pass(self, node, d):
        self.put(d, "PASS", node)

    def Break(self, node, d):
        self.put(d, "BREAK", node)

    def Continue(self, node, d):
        self.put(d, "CONTINUE", node)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def wanted(path, source):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
            compile(source, path, "exec")
    except SyntaxError as error:
        return [f"{type(error).__name__}:{error.lineno}: {error.msg}"]
    dump = Dump(source)
    dump.one(tree, 0)
    return dump.out


def without_places(line):
    words = line.split(" ")
    return " ".join(words[:2] + words[3:])


def same(found, expected):
    """Places of text inside f-strings, of names that are declared, and of bases are left out: Python has none, or others."""
    found_words, expected_words = found.split(" "), expected.split(" ")
    if expected_words[1:2] == ["BASES"]:
        return found_words[1] == "TUPLE"
    if expected_words[1:2] == ["NAME"] and len(expected_words) == 3:
        return without_places(found) == expected
    if expected_words[1:2] in (["STRING"], ["FSTRING"]) and IN_FSTRING.get("depth") is not None \
            and int(expected_words[0]) > IN_FSTRING["depth"]:
        return without_places(found) == without_places(expected)
    return found == expected


IN_FSTRING = {}


def compare(path, found, expected):
    IN_FSTRING.clear()
    if found and "onestep does not run" in found[0]:
        return f"{path}: {found[0]}"
    for i in range(max(len(found), len(expected))):
        here = found[i] if i < len(found) else "nothing"
        there = expected[i] if i < len(expected) else "nothing"
        words = there.split(" ")
        if words[0].isdigit() and int(words[0]) <= IN_FSTRING.get("depth", -1):
            IN_FSTRING.clear()
        if not same(here, there):
            return f"{path}: {here}\n#   wanted: {there}"
        if words[1:2] == ["FSTRING"] and "depth" not in IN_FSTRING:
            IN_FSTRING["depth"] = int(words[0])
    return None


def say_what_is_wrong(path):
    """Each program stands behind one line, which says what is wrong with it; its own lines begin with a bar."""
    out = []
    for entry in read(path).strip("\n").split("\n\n"):
        lines = entry.split("\n")
        source = "".join(line[1:] + "\n" for line in lines if line.startswith("|"))
        out.append("\n".join(wanted(path, source)[:1] + [line for line in lines if line.startswith("|")]))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n\n".join(out) + "\n")


def main():
    if sys.argv[1] == "--wrong":
        say_what_is_wrong(sys.argv[2])
        return 0
    is_recorded = sys.argv[1] == "--record"
    binary, *paths = sys.argv[1 + is_recorded:]
    output = subprocess.run([binary, *paths], capture_output=True, text=True, check=True).stdout
    programs = [program.split("\n")[1:] for program in ("\n" + output).split("\n= ")[1:]]
    wrong = 0
    for path, found in zip(paths, programs):
        difference = compare(path, [line for line in found if line], wanted(path, read(path)))
        wrong += difference is not None
        if difference:
            print(difference)
        elif is_recorded:
            with open(path.replace(".py", ".tree"), "w", encoding="utf-8") as file:
                file.write("\n".join(found).rstrip("\n") + "\n")
    print(f"{len(paths) - wrong} of {len(paths)} as Python {sys.version.split()[0]} has them")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
