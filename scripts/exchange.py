"""Exchange the code of the functions of a loaded module for that of another version of its source."""

import ast
import gc
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

_Key = tuple[str, int]
"""The qualified name of a function and its first line."""


def exchange_functions(path: Path, tree: ast.Module) -> bool:
    """Let the loaded functions of a module run the code of ``tree``, which has the same functions on the same lines.

    False if something else than the body of a function differs, or a function uses other names of the function around
    it; nothing is exchanged then.
    """
    gc.unfreeze()  # what is frozen is not listed
    new = _find_codes(compile(tree, str(path), "exec", dont_inherit=True))
    loaded = [each for each in gc.get_objects() if _is_of(each, str(path))]
    old = _find_codes(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True))
    changed = {key: code for key, code in new.items() if old.get(key) != code}
    found = [(each, changed[key]) for each in loaded if (key := _key(each.__code__)) in changed]
    if not found or any(each.__code__.co_freevars != code.co_freevars for each, code in found):
        return False
    for each, code in found:
        each.__code__ = code
    return True


def _is_of(value: object, file: str) -> bool:
    return type(value) is FunctionType and value.__code__.co_filename == file


def _find_codes(module: CodeType) -> dict[_Key, CodeType]:
    return {_key(code): code for code in _walk(module) if code.co_flags & inspect.CO_NEWLOCALS}


def _walk(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _walk(each)


def _key(code: CodeType) -> _Key:
    return code.co_qualname, code.co_firstlineno
