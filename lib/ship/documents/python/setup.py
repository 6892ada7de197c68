"""Puts the library, which lies once in this folder's parent, into the package."""
import pathlib
import shutil

import setuptools
from setuptools.command.build_py import build_py

LIBRARY = "lib@NAME@.so"


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        here = pathlib.Path(__file__).resolve().parent
        shutil.copy2(here.parent / "lib" / LIBRARY, pathlib.Path(self.build_lib) / "@NAME@" / LIBRARY)


class WithLibrary(setuptools.Distribution):
    """A wheel for this kind of machine alone."""

    def has_ext_modules(self):
        return True


setuptools.setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary})
