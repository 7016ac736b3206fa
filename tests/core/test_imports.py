import subprocess
import sys

import wenchang.core

FOREIGN = """
import sys
before = set(sys.modules)
import wenchang.core
loaded = {name.split(".")[0] for name in set(sys.modules) - before}
print(sorted(loaded - set(sys.stdlib_module_names)))
"""


def test_importing_core_loads_no_third_party_module() -> None:
    done = subprocess.run([sys.executable, "-c", FOREIGN], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['wenchang']"


def test_every_public_name_is_there() -> None:
    assert sorted(set(wenchang.core.__all__)) == sorted(wenchang.core.__all__)
    assert all(hasattr(wenchang.core, name) for name in wenchang.core.__all__)
