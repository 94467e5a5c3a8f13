#!/usr/bin/env python3
"""Makes wheels for .ci/release.

usage: wheel.py build FOLDER [OPTION OF MESON SETUP...]     the wheel of this folder's source, for this machine
       wheel.py take WHEEL FILE OUTPUT                      a file of the wheel, as installed: bin/onestep
       wheel.py retag WHEEL PROGRAM MACHINE FOLDER          the same wheel with another program, for any Linux on MACHINE

A static program runs with every C library, so its wheel has the tags of glibc's Linux (manylinux) and of musl's (musllinux):
https://packaging.python.org/en/latest/specifications/platform-compatibility-tags/. A wheel has the same bytes if its files have.
"""
import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

SCHEMES = {"bin": "scripts", "share": "data/share"}


def build(folder, *options):
    import mesonpy
    folder = pathlib.Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print(mesonpy.build_wheel(str(folder), {"setup-args": list(options)}))


def place_of(wheel, file):
    """The name inside the wheel of a file that is installed as bin/... or share/..."""
    top, _, rest = file.partition("/")
    return next(name for name in wheel.namelist() if name.endswith(f".data/{SCHEMES[top]}/{rest}"))


def take(path, file, output):
    with zipfile.ZipFile(path) as wheel:
        pathlib.Path(output).write_bytes(wheel.read(place_of(wheel, file)))


def platforms(machine):
    return [f"{system}_{machine}" for system in ("manylinux_2_17", "manylinux2014", "musllinux_1_1")]


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write(path, files, programs):
    """A zip file in the order of `files`, with the time of SOURCE_DATE_EPOCH."""
    moment = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)))[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)


def retag(path, program, machine, folder):
    with zipfile.ZipFile(path) as wheel:
        replaced = place_of(wheel, "bin/onestep")
        files = {name: wheel.read(name) for name in sorted(wheel.namelist()) if not name.endswith("/")}
    files[replaced] = pathlib.Path(program).read_bytes()
    [about] = [name for name in files if name.endswith(".dist-info/WHEEL")]
    lines = [line for line in files[about].decode().splitlines() if line and not line.startswith("Tag: ")]
    tags = [f"py3-none-{platform}" for platform in platforms(machine)]
    files[about] = "\n".join([*lines, *(f"Tag: {tag}" for tag in tags), ""]).encode()
    record = about.replace("WHEEL", "RECORD")
    del files[record]
    files[record] = ("".join(record_line(name, content) for name, content in files.items()) + f"{record},,\n").encode()
    name, version = pathlib.Path(path).name.split("-")[:2]
    write(pathlib.Path(folder) / f"{name}-{version}-py3-none-{'.'.join(platforms(machine))}.whl", files, {replaced})


if __name__ == "__main__":
    {"build": build, "take": take, "retag": retag}[sys.argv[1]](*sys.argv[2:])
