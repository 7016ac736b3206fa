"""Opening a bucket, and saying in plain words why one cannot be opened."""

import os
import re
from functools import partial

from google.api_core.exceptions import BadRequest, Forbidden, NotFound, RetryError, Unauthorized
from google.api_core.retry import Retry
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import GoogleAuthError
from google.cloud.storage import Bucket, Client  # type: ignore[import-untyped]
from requests import Session
from requests.adapters import HTTPAdapter

from wenchang.storage.gcs.faults import is_passing, status_of
from wenchang.storage.gcs.sending import PATIENCE_SECONDS, SOCKET_SECONDS
from wenchang.storage.gcs.waiting import result_within

_EMULATOR = "STORAGE_EMULATOR_HOST"
_KEY_FILE = "GOOGLE_APPLICATION_CREDENTIALS"
_OPENING_SECONDS = 3.0
_CONNECTIONS = 128
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")


class BucketError(Exception):
    """A bucket cannot be opened: what is wrong in a few words and in a sentence, and what to do about it."""

    def __init__(self, title: str, sentence: str, next_step: str) -> None:
        super().__init__(title, sentence, next_step)
        self.title = title
        self.sentence = sentence
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.title}: {self.sentence} {self.next_step}"


def open_bucket(name: str, *, user_project: str | None = None) -> Bucket:
    """The bucket called `name`, found to exist and to be listable by one request.

    Credentials are the Application Default ones. Where `STORAGE_EMULATOR_HOST` is set (with or without `http://`), that
    emulator is asked, without any. `user_project` is billed for requests to a requester-pays bucket. Raises
    `BucketError`.
    """
    try:
        return result_within(PATIENCE_SECONDS, partial(_opened, name, user_project))
    except Exception as error:
        explained = _explain(name, error)
        if explained is None:
            raise
        raise explained from error


def _opened(name: str, user_project: str | None) -> Bucket:
    if not _NAME.fullmatch(name):
        raise ValueError(name)
    bucket = _client().bucket(name, user_project=user_project)
    again = Retry(predicate=is_passing, initial=0.2, maximum=1.0, multiplier=2.0, timeout=_OPENING_SECONDS)
    list(bucket.list_blobs(max_results=1, fields="items(name)", timeout=SOCKET_SECONDS, retry=again))
    return bucket


def _client() -> Client:
    if emulator := os.environ.get(_EMULATOR):
        address = emulator if "://" in emulator else f"http://{emulator}"
        nobody = AnonymousCredentials()  # type: ignore[no-untyped-call]
        client = Client(credentials=nobody, project=None, client_options={"api_endpoint": address})
    else:
        client = Client(project=None)
    # Of its own accord the client asks for each bucket's own metadata, a permission that memory does not need.
    client._bucket_metadata_cache = None
    session = client._http
    if not session.is_mtls:
        for scheme in ("https://", "http://"):
            session.mount(scheme, HTTPAdapter(pool_maxsize=_CONNECTIONS))
    _look_around_once(session, client._connection.API_BASE_URL)
    return client


def _look_around_once(session: Session, address: str) -> None:
    """Take from the environment now what would be looked up anew for each request, a fifth of all that one costs."""
    found = session.merge_environment_settings(address, {}, None, None, None)
    session.proxies, session.verify, session.cert = found["proxies"], found["verify"], found["cert"]
    session.trust_env = False


def _unreachable(error: Exception) -> BucketError:
    if isinstance(error, RetryError) and status_of(error.cause) is not None:
        return BucketError("Cloud Storage is in trouble", "It keeps answering with errors.", "Try again in a while.")
    if emulator := os.environ.get(_EMULATOR):
        address = emulator.rpartition("@")[2]  # what stands before it may be a password
        return BucketError(
            "Emulator not reached",
            f"Nothing answers at {address!r}, the address in {_EMULATOR}.",
            "Start the emulator, or unset the variable to use Google Cloud.",
        )
    return BucketError("No connection", "Cloud Storage could not be reached.", "Check the network, then try again.")


def _explain(name: str, error: Exception) -> BucketError | None:
    """`error`, met while opening a bucket, for people; `None` for one that is nobody's to repair."""
    if is_passing(error) or isinstance(error, RetryError | TimeoutError):
        return _unreachable(error)
    if isinstance(error, GoogleAuthError):
        file = os.environ.get(_KEY_FILE)
        found = (
            f"Those in {file!r}, which {_KEY_FILE} names, are missing" if file else "None were found on this machine"
        )
        return BucketError(
            "No Google Cloud credentials",
            f"{found}, or they have expired.",
            f"Run 'gcloud auth application-default login', or set {_KEY_FILE} to a key file.",
        )
    if isinstance(error, NotFound):
        return BucketError("No such bucket", f"There is no bucket {name!r}.", "Check its name, or create it first.")
    if isinstance(error, Forbidden | Unauthorized):
        return BucketError(
            "No permission",
            f"These credentials may not list objects in the bucket {name!r}.",
            "Ask its owner for the role 'Storage Object User' (roles/storage.objectUser).",
        )
    if isinstance(error, BadRequest) and "requester pays" in str(error):
        return BucketError(
            "Requester pays",
            f"The bucket {name!r} bills those who use it, and no project to bill was named.",
            "Name a project of yours as user_project.",
        )
    if isinstance(error, ValueError | BadRequest):
        return BucketError(
            "Not a bucket name", f"{name!r} cannot be a bucket.", "Give the name alone, as in gs://NAME."
        )
    return None
