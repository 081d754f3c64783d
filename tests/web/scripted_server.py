"""A server with the chat page and a scripted API, for what a real one seldom does."""

import http.server
import json
import pathlib
import threading
import time

PAGE = pathlib.Path(__file__).parents[2] / "webui"
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


class Cut:
    """In an answer: the connection breaks here."""


def event(data):
    return f"data: {json.dumps(data)}\n\n".encode()


def piece(text):
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, content_type, body):
        try:
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the page has gone

    def do_GET(self):
        if self.path == "/v1/models":
            good = self.server.has_models
            body = {"data": [{"id": "scripted"}]} if good else {"error": {"message": "not yet"}}
            self.reply(200 if good else 503, "application/json", json.dumps(body).encode())
            return
        file = PAGE / ("index.html" if self.path == "/" else self.path[1:])
        self.reply(200, TYPES[file.suffix] + "; charset=utf-8", file.read_bytes())

    def chunk(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.server.requests.append(json.loads(self.rfile.read(length)))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        tokens = 0
        try:
            for part in self.server.script:
                if part is Cut:
                    return
                if isinstance(part, threading.Event):
                    part.wait(60)
                elif isinstance(part, float):
                    time.sleep(part)
                else:
                    self.chunk(piece(part))
                    tokens += 1
            self.chunk(event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
            usage = {"completion_tokens": tokens, "prompt_tokens": 1}
            self.chunk(event({"choices": [], "usage": usage}) + b"data: [DONE]\n\n")
            self.chunk(b"")
        except OSError:
            pass  # the page has gone


class ScriptedServer(http.server.ThreadingHTTPServer):
    """`script` is the next answers' parts: a text, seconds to wait, an Event to wait for, Cut."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.has_models = True
        self.script = ["An ", "answer."]
        self.requests = []  # bodies, in the order of arrival
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}/"
