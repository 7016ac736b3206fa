"""A proxy before the emulator that behaves as the service does where the emulator does not, and fails on demand.

The emulator ignores preconditions on reads and deletes, `fields`, and the limit of a page, above all where there is a
delimiter, and sends custom metadata with bodies, which the service does not over its JSON interface. The proxy keeps a
record of the requests it was sent, and may hold buckets itself.
"""

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

from tests.gcs.held import HeldBucket

LARGEST_PAGE = 1000

_NOT_MET = "At least one of the pre-conditions you specified did not hold."


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it arrived. Its kind is upload, delete, metadata, media, list or other."""

    kind: str
    query: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to the next request of `kind`.

    With a `status` it is answered so, and not carried out. Otherwise it is carried out and its answer sent, sent by
    `half`, or dropped with the connection; what is to be dropped `before` is not carried out either. `meanwhile` is
    called after it is carried out, or `before`.
    """

    kind: str
    then: Literal["drop", "half", "answer"] = "drop"
    before: bool = False
    status: int | None = None
    message: str = "as ordered"
    meanwhile: Callable[[], object] = lambda: None


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @staticmethod
    def error(status: int, message: str) -> "Answer":
        body = json.dumps({"error": {"code": status, "message": message}}).encode()
        return Answer(status, {"Content-Type": "application/json"}, body)


@dataclass(slots=True)
class Proxy:
    """What tests see of the proxy: where it is, what it was asked, and what is to go wrong next."""

    upstream: int
    port: int = 0
    connections: int = 0
    """How many were made to it."""
    seen: list[Seen] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    delay_seconds: float = 0.0
    """What each request takes longer, as if the service were far away."""
    together: threading.Barrier | None = None
    """Where set, each request waits there for others before it is answered."""
    trash: list[dict[str, Any]] | None = None
    """The soft-deleted objects; `None` for a bucket that keeps none."""
    hides_generations: bool = False
    """Whether bodies come without the header that tells their generation, as behind some proxies."""
    held: dict[str, HeldBucket] = field(default_factory=dict)
    """The buckets that are answered for here, by name, in place of the emulator."""
    changing: threading.Lock = field(default_factory=threading.Lock)
    """Held by whatever changes an object or depends on its generation, so that checks and changes are one step."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def kinds(self) -> list[str]:
        return sorted(seen.kind for seen in self.seen)

    def reset(self) -> None:
        self.seen, self.faults, self.together, self.trash = [], [], None, None
        self.hides_generations = False

    def fault_for(self, kind: str) -> Fault | None:
        for fault in self.faults:
            if fault.kind == kind:
                self.faults.remove(fault)
                return fault
        return None


def kind_of(method: str, target: str) -> str:
    path, _, query = target.partition("?")
    if path.startswith("/upload/"):
        return "upload"
    found = re.fullmatch(r"(?:/download)?/storage/v1/b/[^/]+/o(/[^/]+)?", path)
    if found is None:
        return "other"
    if found[1] is None:
        return "list"
    if method == "GET":
        return "media" if "alt=media" in query else "metadata"
    return method.lower()


def query_of(target: str) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(urlsplit(target).query).items()}


def bucket_of(target: str) -> str:
    found = re.search(r"/b/([^/?]+)", target)
    return found[1] if found else ""


def paged(listed: dict[str, Any], size: int) -> dict[str, Any]:
    """No more of a listing than a page holds: prefixes count like objects, and come in their place among them."""
    items = {item["name"]: item for item in listed.get("items", ())}
    names = sorted([*items, *listed.get("prefixes", ())])
    if len(names) <= size:
        return listed
    shown = names[:size]
    return {
        "items": [items[name] for name in shown if name in items],
        "prefixes": [name for name in shown if name not in items],
        "nextPageToken": names[size],
    }


def parse_fields(spec: str) -> dict[str, Any]:
    """`items(name,metadata),nextPageToken` as `{"items": {"name": {}, "metadata": {}}, "nextPageToken": {}}`."""
    stack: list[dict[str, Any]] = [{}]
    last: dict[str, Any] = {}
    for token in re.findall(r"[^(),]+|[()]", spec):
        if token == "(":
            stack.append(last)
        elif token == ")":
            stack.pop()
        else:
            last = stack[-1].setdefault(token, {})
    return stack[0]


def project(value: Any, fields: dict[str, Any]) -> Any:
    if not fields:
        return value
    if isinstance(value, list):
        return [project(item, fields) for item in value]
    return {name: project(value[name], inner) for name, inner in fields.items() if name in value}


class Handler(BaseHTTPRequestHandler):
    """One connection of a client, with one to the emulator behind it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    proxy: Proxy

    def setup(self) -> None:
        super().setup()
        with self.proxy.changing:
            self.proxy.connections += 1
        self.behind = http.client.HTTPConnection("127.0.0.1", self.proxy.upstream, timeout=30)

    def finish(self) -> None:
        super().finish()
        self.behind.close()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = kind_of(self.command, self.path)
        query = query_of(self.path)
        self.proxy.seen.append(Seen(kind, query, body))
        time.sleep(self.proxy.delay_seconds)
        if self.proxy.together is not None:
            self.proxy.together.wait(timeout=20)
        fault = self.proxy.fault_for(kind)
        if fault is None:
            self.send(self.answer(kind, query, body))
        else:
            self.go_wrong(fault, query, body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve  # noqa: N815

    def go_wrong(self, fault: Fault, query: dict[str, str], body: bytes) -> None:
        if fault.before:
            fault.meanwhile()
        if fault.status is not None:
            answer = Answer.error(fault.status, fault.message)
        elif fault.before and fault.then == "drop":
            return self.drop()
        else:
            answer = self.answer(fault.kind, query, body)
        if not fault.before:
            fault.meanwhile()
        if fault.then == "answer" or fault.status is not None:
            return self.send(answer)
        if fault.then == "half":
            self.send(answer, cut=len(answer.body) // 2)
        return self.drop()

    def drop(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def send(self, answer: Answer, cut: int | None = None) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body[:cut])
        self.wfile.flush()

    def answer(self, kind: str, query: dict[str, str], body: bytes) -> Answer:
        if kind == "list":
            return self.listing(query)
        if kind in ("upload", "delete") or (kind == "metadata" and "ifGenerationMatch" in query):
            with self.proxy.changing:
                return self.refusal(kind, query) or self.forward(self.path, body)
        answer = self.forward(self.path, body)
        if kind != "media":
            return answer
        generation = answer.headers.get("X-Goog-Generation")
        if answer.status == 200 and query.get("ifGenerationMatch", generation) != generation:
            return Answer.error(412, _NOT_MET)
        hidden = ("x-goog-meta-", "x-goog-generation") if self.proxy.hides_generations else ("x-goog-meta-",)
        kept = {name: value for name, value in answer.headers.items() if not name.lower().startswith(hidden)}
        return Answer(answer.status, kept, answer.body)

    def refusal(self, kind: str, query: dict[str, str]) -> Answer | None:
        """What the service says to a precondition that the emulator does not look at."""
        if kind == "upload" or "ifGenerationMatch" not in query:
            return None
        path = urlsplit(self.path).path.removeprefix("/download")
        found = self.forward(path, b"", method="GET")
        if found.status != 200:
            return Answer.error(404, "No such object")
        met = json.loads(found.body)["generation"] == query["ifGenerationMatch"]
        return None if met else Answer.error(412, _NOT_MET)

    def listing(self, query: dict[str, str]) -> Answer:
        if query.get("softDeleted", "").lower() == "true":
            if self.proxy.trash is None:
                return Answer.error(400, "The bucket has no soft delete policy.")
            listed: Any = {"items": self.proxy.trash}
        else:
            size = min(int(query.get("maxResults", LARGEST_PAGE)), LARGEST_PAGE)
            path = urlsplit(self.path).path
            known = {**query, "maxResults": size, "versions": query.get("versions", "").lower()}
            answer = self.forward(f"{path}?{urlencode(known)}", b"")
            if answer.status != 200:
                return answer
            listed = paged(json.loads(answer.body), size)
        small = json.dumps(project(listed, parse_fields(query.get("fields", "")))).encode()
        return Answer(200, {"Content-Type": "application/json"}, small)

    def forward(self, target: str, body: bytes, method: str | None = None) -> Answer:
        method = method or self.command
        held = self.proxy.held.get(bucket_of(target))
        if held is not None:
            return Answer(*held.find(target, query_of(target))) if method == "GET" else Answer.error(405, "It is held.")
        passed = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length")}
        self.behind.request(method, target, body or None, passed)
        response = self.behind.getresponse()
        kept = {name: value for name, value in response.getheaders() if name.lower() not in _CONNECTION_HEADERS}
        return Answer(response.status, kept, response.read())


_CONNECTION_HEADERS = ("content-length", "transfer-encoding", "connection", "date", "server")


class Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A dropped connection is no news here."""


@contextmanager
def running_proxy(upstream: int) -> Iterator[Proxy]:
    proxy = Proxy(upstream)
    server = Server(("127.0.0.1", 0), type("BoundHandler", (Handler,), {"proxy": proxy}))
    proxy.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
