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
    """Makes the wheel specific to this platform."""

    def has_ext_modules(self):
        return True


setuptools.setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithLibrary})
