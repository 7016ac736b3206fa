import subprocess
import sys

import pytest


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("missing", "module", "message"),
    [
        (
            "re2",
            "wenchang.filememory",
            "wenchang.filememory requires the optional 'filememory' extra: pip install 'wenchang[filememory]'",
        ),
        (
            "mcp",
            "wenchang.filememory.mcp",
            "wenchang.filememory.mcp requires the optional 'mcp' extra: pip install 'wenchang[mcp]'",
        ),
    ],
)
def test_a_missing_library_is_told_with_the_extra_that_brings_it(missing: str, module: str, message: str) -> None:
    code = f"""
import sys
sys.modules[{missing!r}] = None
try:
    import {module}
except ImportError as error:
    print(error)
"""
    assert run(code) == message


def test_only_the_adapter_needs_mcp() -> None:
    code = """
import sys
import wenchang.filememory, wenchang.filememory.curator
print(sorted({name.split('.')[0] for name in sys.modules} & {'mcp', 'pydantic', 'google', 'textual', 're2'}))
"""
    assert run(code) == "['re2']"
