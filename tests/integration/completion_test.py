"""Completions as shells make them: bash and zsh in a terminal, whose tab key is pressed; fish by its command."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

TOOL = os.path.realpath(sys.argv[1])
SHELL = sys.argv[2]
SECONDS = 60  # of patience; what is waited for comes in a fraction of one

# What is typed before the tab key, and what the line must hold or the shell must show then.
CASES = [
    ("kernel-gen bui", "build"),
    ("kernel-gen build --toolch", "--toolchain"),
    ("kernel-gen build --toolchain hip", "hipcc"),
    ("kernel-gen build --target gfx90", "gfx906"),
    ("kernel-gen build --target cpu,gfx1", "gfx1030"),
    ("kernel-gen build -t gfx94", "gfx942"),
    ("kernel-gen build --out fol", "folder/"),
    ("kernel-gen inspect som", "some.hsaco"),
    ("kernel-gen run soft", "softmax"),
    ("kernel-gen help ver", "verify"),
    ("kernel-gen schema reg", "registry"),
]


class Terminal:
    """A shell that believes to have a user."""

    def __init__(self, command, folder, environment):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.seen = ""

    def wait_for(self, text):
        """Reads until `text` was shown since the last call. Terminals' control sequences are left out."""
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"waited for {text!r}, the terminal shows {self.seen!r}")
            self.seen += os.read(self.fd, 65536).decode(errors="replace")
            self.seen = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07", "", self.seen)
        self.seen = self.seen[self.seen.index(text) + len(text):]

    def type(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def press_tab(shell, script, folder, environment):
    start = {
        "bash": (["bash", "--noprofile", "--norc", "-i"], f"bind 'set bell-style none'; source {script}"),
        "zsh": (["zsh", "-f", "-i"], f"autoload -Uz compinit; compinit -u -D; unsetopt beep; source {script}"),
    }
    command, setup = start[shell]
    for typed, wanted in CASES:
        terminal = Terminal(command, folder, environment)
        # The quotes keep the echo of the line from being taken for its output.
        terminal.type(f"{setup}; echo rea''dy\n")
        terminal.wait_for("ready")
        terminal.type(typed)
        terminal.wait_for(typed.split()[-1])
        typed_end = typed.split()[-1].split(",")[-1]
        terminal.type("\t\t")
        # One match is written on; of several, all are shown.
        terminal.wait_for(wanted[len(typed_end):] if wanted.startswith(typed_end) else wanted)
        terminal.close()
        print(f"{shell}: {typed}<tab>: {wanted}")


def ask_fish(script, folder, environment):
    for typed, wanted in CASES:
        result = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'"], cwd=folder,
                                env=environment, capture_output=True, text=True, check=True)
        words = [line.split("\t")[0].split(",")[-1] for line in result.stdout.splitlines()]
        assert wanted in words, f"fish: {typed}<tab>: {words} lacks {wanted}; {result.stderr}"
        print(f"fish: {typed}<tab>: {wanted}")


if shutil.which(SHELL) is None:
    print(f"{SHELL} is not installed")
    sys.exit(77)
if SHELL != "fish":
    try:
        for end in os.openpty():
            os.close(end)
    except OSError as problem:
        print(f"skipped: no terminal for {SHELL} here ({problem})")
        sys.exit(77)
with tempfile.TemporaryDirectory() as scratch:
    folder = os.path.join(scratch, "work")
    for made in ("bin", "work/folder"):
        os.makedirs(os.path.join(scratch, made))
    os.symlink(TOOL, os.path.join(scratch, "bin", "kernel-gen"))
    open(os.path.join(folder, "some.hsaco"), "wb").close()
    script = os.path.join(scratch, "completion")
    with open(script, "wb") as file:
        subprocess.run([TOOL, "completion", SHELL], check=True, stdout=file)
    environment = dict(os.environ, PATH=f"{scratch}/bin:{os.environ['PATH']}", HOME=scratch, TERM="dumb", COLUMNS="200")
    if SHELL == "fish":
        ask_fish(script, folder, environment)
    else:
        press_tab(SHELL, script, folder, environment)
