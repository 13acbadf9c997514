"""Mutants: one thing changed at a time, and only the tests that reach its line are run, in a fork.

    python -m tests.mutants awrdiff/sharing tests/web/test_sharing.py           a folder or module, and tests
    python -m tests.mutants awrdiff/sharing tests/web --sample 200 --seed 7     some of them, by chance
    python -m tests.mutants awrdiff/sharing tests/web --report FILE             a line for each in FILE
    python -m tests.mutants awrdiff/sharing tests/web --again FILE              those that were not killed there

What is changed is decided by mutmut, which is no dependency: docs/testing.md says how to have it, and what was run.
A mutant is put into the living functions by their code, so that decorated ones are reached too, and a change costs what
its tests take. What a test remembers of an earlier comparison is forgotten first, or the mutant would not be seen.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gc
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import coverage
import libcst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.file_mutation import MutationVisitor, OuterFunctionProvider
from mutmut.mutation.mutators import mutation_operators
from mutmut.mutation.pragma_handling import IgnoredCode

ROOT = Path(__file__).parents[1]
FAST = "not e2e and not processes and not hostile and not thorough"
READ = {"read", "both", "parsed"}  # what is kept of files that were read: no mutant changes it


@dataclass(frozen=True)
class Mutant:
    """One change of a module."""

    path: Path
    line: int
    function: str
    module: libcst.Module
    old: libcst.CSTNode
    new: libcst.CSTNode

    def __str__(self) -> str:
        old, new = (" ".join(self.module.code_for_node(node).split())[:400] for node in (self.old, self.new))
        return f"{self.path.relative_to(ROOT)}:{self.line} {self.function}: {old}  →  {new}"

    def code(self) -> str:
        """The whole module with it."""
        changed = self.module.deep_replace(self.old, self.new)
        assert isinstance(changed, libcst.Module)
        return changed.code


class Changes(MutationVisitor):
    """mutmut's own, in decorated functions too."""

    def _skip_node_and_children(self, node: libcst.CSTNode) -> bool:
        if isinstance(node, libcst.FunctionDef) and node.decorators:
            return False
        return bool(super()._skip_node_and_children(node))


def mutants_of(path: Path) -> Iterator[Mutant]:
    wrapper = MetadataWrapper(libcst.parse_module(path.read_text()))
    visitor = Changes(mutation_operators, IgnoredCode(set(), set(), set()))
    wrapper.visit(visitor)
    places, outer = wrapper.resolve(PositionProvider), wrapper.resolve(OuterFunctionProvider)
    for change in visitor.mutations:
        inside = outer.get(change.original_node)
        if not isinstance(inside, libcst.FunctionDef):
            continue
        line = (places.get(change.original_node) or places[inside]).start.line
        yield Mutant(path, line, inside.name.value, wrapper.module, change.original_node, change.mutated_node)


def statements(path: Path) -> dict[int, range]:
    """The lines of the statement that a line is of; of a compound one its head, of a function's head its body too.

    Defaults are made when a module is imported, which no test is seen to do; who calls the function meets them.
    """
    lines: dict[int, range] = {}
    functions: dict[int, range] = {}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if body else node.end_lineno
            whole = range(node.lineno, max(last or 0, node.lineno) + 1)
            for line in whole:
                if line not in lines or len(whole) < len(lines[line]):
                    lines[line] = whole
            if isinstance(node, ast.FunctionDef):
                functions |= dict.fromkeys(whole, range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines | functions


def functions_in(code: CodeType) -> Iterator[CodeType]:
    """Those of a module and its classes; what is inside of them goes with them."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            if inner.co_flags & 0x2:  # CO_NEWLOCALS: a function; a class body has none
                yield inner
            else:
                yield from functions_in(inner)


def put_in(mutant: Mutant, living: list[FunctionType]) -> bool:
    """Whether any of the module's living functions became another one."""
    tree = ast.parse(mutant.code())
    codes = {c.co_qualname: c for c in functions_in(compile(tree, str(mutant.path), "exec"))}
    defaults = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    found = False
    for function in living:
        code = codes.get(function.__code__.co_qualname)
        if code is not None and len(code.co_freevars) == len(function.__code__.co_freevars):
            found = found or function.__code__ != code
            function.__code__ = code
            if function.__name__ == mutant.function:
                found = _defaults(function, defaults[function.__name__].args) or found
    return found


def _defaults(function: FunctionType, arguments: ast.arguments) -> bool:
    """Whether a default became another one; only what is written out as a constant is looked at."""
    before = (function.__defaults__, function.__kwdefaults__)
    if function.__defaults__:
        pairs = zip(arguments.defaults[-len(function.__defaults__) :], function.__defaults__, strict=True)
        function.__defaults__ = tuple(n.value if isinstance(n, ast.Constant) else old for n, old in pairs)
    if function.__kwdefaults__:
        named = {a.arg: n for a, n in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
        function.__kwdefaults__ = {
            name: node.value if isinstance(node := named.get(name), ast.Constant) else old
            for name, old in function.__kwdefaults__.items()
        }
    return before != (function.__defaults__, function.__kwdefaults__)


class Memories:
    """What tests and analysis keep of earlier calls, but for the files that were read."""

    def __init__(self) -> None:
        self.modules = 0
        self.kept: list[Any] = []

    def forget(self) -> None:
        if self.modules != len(sys.modules):
            self.modules = len(sys.modules)
            self.kept = [one for one in gc.get_objects() if self._is_one(one)]
        for one in self.kept:
            one.cache_clear()

    @staticmethod
    def _is_one(found: object) -> bool:
        if type(found) is not functools._lru_cache_wrapper:  # isinstance() would wake what is lazy
            return False
        return (found.__module__ or "").startswith(("tests", "awrdiff")) and found.__name__ not in READ


class OnlySession:
    """What comes next shares nothing but the session: fixtures of modules are made anew."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session

    def listchain(self) -> list[pytest.Session]:
        return [self.session]


class Runner:
    """Runs all tests once to see what each reaches, then each mutant's own in a fork."""

    def __init__(self, mutants: list[Mutant], report: Path | None) -> None:
        self.mutants = mutants
        self.report = report
        self.failed = False
        self.outcomes: Counter[str] = Counter()
        self.memories = Memories()
        self.living: dict[str, list[FunctionType]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.unfreeze()  # what conftest put aside is looked for below
        reached, took = self._survey(session)
        self.memories.forget()
        for function in [f for f in gc.get_objects() if type(f) is FunctionType]:
            self.living.setdefault(function.__code__.co_filename, []).append(function)
        gc.disable()
        gc.freeze()  # a child that counts or collects has to copy everything
        unsteady = self._unsteady(session, took)
        for mutant in self.mutants:
            outcome = self._tried(session, mutant, reached[mutant.path], took, unsteady)
            self.outcomes[outcome] += 1
            line = f"{outcome:9} {mutant}"
            if outcome != "killed":
                print(line, file=sys.__stderr__, flush=True)
            if self.report:
                with self.report.open("a") as file:
                    file.write(line + "\n")
        return True

    def _run(self, session: pytest.Session, item: pytest.Item) -> None:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=OnlySession(session))

    def _survey(self, session: pytest.Session) -> tuple[dict[Path, dict[int, set[str]]], dict[str, float]]:
        """Per module and line the tests that reach it; seconds per test. What fails as it is, is left out."""
        paths = sorted({m.path for m in self.mutants})
        measured = coverage.Coverage(data_file=None, include=[str(p) for p in paths])
        measured.start()
        took, sound = {}, set()
        for item in session.items:
            self.memories.forget()
            measured.switch_context(item.nodeid)
            began, self.failed = time.process_time(), False
            self._run(session, item)
            took[item.nodeid] = time.process_time() - began
            if self.failed:
                print("fails     ", item.nodeid, file=sys.__stderr__)
            else:
                sound.add(item.nodeid)
        measured.stop()
        data = measured.get_data()
        found = {p: data.contexts_by_lineno(str(p)) for p in paths}
        return {p: {line: set(c) & sound for line, c in lines.items()} for p, lines in found.items()}, took

    def _unsteady(self, session: pytest.Session, took: dict[str, float]) -> set[str]:
        """Tests that fail in a fork with nothing changed, the quickest first: what they fail says nothing of a mutant."""
        failed, told = os.pipe()
        child = os.fork()
        if not child:
            try:
                self._silent()
                for item in sorted(session.items, key=lambda i: took[i.nodeid]):
                    self.failed = False
                    self._run(session, item)
                    if self.failed:
                        os.write(told, f"{item.nodeid}\n".encode())
            finally:
                os._exit(0)
        os.close(told)
        with os.fdopen(failed) as said:
            found = set(said.read().splitlines())
        os.waitpid(child, 0)
        for name in sorted(found):
            print("unsteady  ", name, file=sys.__stderr__)
        return found

    def _silent(self) -> None:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        self.memories.forget()

    def _tried(
        self,
        session: pytest.Session,
        mutant: Mutant,
        reached: dict[int, set[str]],
        took: dict[str, float],
        unsteady: set[str],
    ) -> str:
        lines = statements(mutant.path).get(mutant.line, range(mutant.line, mutant.line + 1))
        tests = set().union(*(reached.get(line, set()) for line in lines))
        if not tests and "os.fork" in mutant.path.read_text():  # what a child of the test's does is not seen
            tests = set().union(*reached.values())
        tests -= unsteady
        if not tests:
            return "unreached"
        items = sorted((i for i in session.items if i.nodeid in tests), key=lambda i: took[i.nodeid])
        child = os.fork()
        if not child:
            self._child(session, mutant, items, 20 + 5 * sum(took[i.nodeid] for i in items))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return {0: "SURVIVES", 3: "same"}.get(status, "killed")

    def _child(self, session: pytest.Session, mutant: Mutant, items: list[pytest.Item], limit_s: float) -> None:
        """Never returns: 0 nothing fails, 1 something does, 3 there is nothing to be changed. A loop without end is killed."""
        signal.setitimer(signal.ITIMER_PROF, limit_s)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        try:
            self._silent()
            if not put_in(mutant, self.living.get(str(mutant.path), [])):
                os._exit(3)
            for item in items:
                self.failed = False
                self._run(session, item)
                if self.failed:
                    os._exit(1)
            os._exit(0)
        finally:
            os._exit(1)


def files(named: list[str]) -> Iterator[Path]:
    for name in named:
        path = ROOT / name
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("named", nargs="+", help="modules or folders to change, and tests (below tests/) to run")
    reader.add_argument("--sample", type=int, help="so many of the mutants, by chance")
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--again", type=Path, help="an earlier report: those that were not killed")
    reader.add_argument("--report", type=Path, help="a file for a line per mutant")
    asked = reader.parse_args()
    tests = [n for n in asked.named if n.startswith("tests")]
    paths = list(files([n for n in asked.named if n not in tests]))
    left = set()
    if asked.again:
        left = {line[10:] for line in asked.again.read_text().splitlines() if not line.startswith("killed")}
        paths = [p for p in paths if any(line.startswith(str(p.relative_to(ROOT))) for line in left)]
    mutants = [m for path in paths for m in mutants_of(path)]
    count = len(mutants)
    mutants = [m for m in mutants if not asked.again or str(m) in left]
    if asked.sample and asked.sample < len(mutants):
        mutants = random.Random(asked.seed).sample(mutants, asked.sample)
    runner = Runner(mutants, asked.report)
    pytest.main(
        ["-qq", "--tb=no", "--show-capture=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", FAST, *tests],
        plugins=[runner],
    )
    print(f"{count} mutants, {len(mutants)} run (seed {asked.seed}): {dict(runner.outcomes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
