"""A storage in a Google Cloud Storage bucket, for agents that share memory across machines.

**A version** is the generation of an object, which the service never uses twice. **A read** asks for metadata and body
at once and believes them only when both tell one generation. **A write** is one conditional upload, which carries the
metadata with it. The client library sends a request again when an answer fails to arrive, and a repeated write or
delete that had landed the first time fails its own precondition; it is then told apart from a conflict:

- Every conditional write carries a mark of its own, 128 random bits, in the object's `Content-Disposition` (a parameter
  that browsers pass over, beside the metadata and not part of it). A write that was repeated and then refused has
  landed exactly if its mark stands there. Equal content would prove nothing: two programs that create the same lock
  file write the same bytes, and only one may win.
- A delete leaves nothing to mark. One that was repeated and then refused has landed if no object is left; should
  someone else have deleted it in between, the caller's wish is fulfilled all the same.

**Nothing hangs.** A request is repeated for a bounded time, with growing, random pauses, and a caller waits ten seconds
for it at most. Metadata travels as JSON and may hold any text. Neither access lists nor anything but object permissions
are ever asked for; a billing project is the bucket's `user_project`. Core, section 5.4.

Google's client is imported within this package alone.
"""

from wenchang.storage.gcs.faults import TooManyChangesError
from wenchang.storage.gcs.objects import GcsStorage
from wenchang.storage.gcs.opening import BucketError, open_bucket

__all__ = ["BucketError", "GcsStorage", "TooManyChangesError", "open_bucket"]
