"""Opening a bucket of Google Cloud Storage as a workspace. Google's client is loaded when the first one is opened.

Credentials are the Application Default ones; `STORAGE_EMULATOR_HOST` names an emulator that needs none. Who pays for
requests to a requester-pays bucket is said where Google's own programs look for it, in `GOOGLE_CLOUD_QUOTA_PROJECT`.
"""

import os
import warnings

from wenchang_tui.model.problems import OpenError, Problem, describe
from wenchang_tui.model.retries import Retries
from wenchang_tui.model.settings import Settings
from wenchang_tui.model.workspace import Workspace, workspace_over

SCHEME = "gs://"
PAYER = "GOOGLE_CLOUD_QUOTA_PROJECT"

# The library words this for programs, which pass the project as an argument.
_NEXT_STEPS = {"Requester pays": f"Name a project of yours in {PAYER}."}


def open_bucket_target(target: str, settings: Settings) -> Workspace:
    """The store in the bucket that `gs://BUCKET` names, found to be there by one request. Raises `OpenError`."""
    _prepare()
    from wenchang.storage.gcs import BucketError, GcsStorage, open_bucket

    name = target.removeprefix(SCHEME).removesuffix("/")
    retries = Retries()
    try:
        bucket = open_bucket(name, user_project=os.environ.get(PAYER) or None)
    except BucketError as error:
        next_step = _NEXT_STEPS.get(error.title, error.next_step)
        raise OpenError(Problem(error.title, error.sentence, next_step)) from error
    except Exception as error:
        raise OpenError(describe(error)) from error
    storage = GcsStorage(bucket, on_retry=retries.note)
    return workspace_over(f"{SCHEME}{name}", "bucket", storage, settings, None, retries)


def _prepare() -> None:
    """Have Google's client, not loaded yet, keep what it says off the terminal; log files still get it.

    It also looks for the metadata server of a virtual machine twice at most: on a network that swallows requests, a
    third time would use up the patience in which missing credentials can be told from a missing network.
    """
    import logging

    os.environ.setdefault("GCE_METADATA_DETECT_RETRIES", "2")
    warnings.filterwarnings("ignore", module=r"google\.")
    for name in ("google", "urllib3"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
