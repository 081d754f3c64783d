#!/usr/bin/env python3
"""Starts `invar serve` on this machine, puts load on it and checks what it promises.

    tools/load_server.py MODEL [--requests 2000] [--parallel 64]    load
    tools/load_server.py MODEL --idle-streams 300                   memory of streams that wait
    tools/load_server.py MODEL --overhead 16                        time against `invar bench`

Load: sends requests of mixed kinds, some of whose clients go away at a random moment, then asks
/metrics: no sequence, no kv_block, no waiting request and no socket may be left. Requests with
equal bodies must have got equal answers. Idle streams: at most 100 MB more than without. Overhead:
against the engine alone, with prompts of the same length and as many sequences, at most 1 ms to the
first token and 5 % of the throughput. Exit status: 0 all held, 1 something did not, 2 usage.

--binary names the program (build/release/bin/invar); a URL instead of MODEL takes a server that
runs already, and needs --pid for --idle-streams. Only loopback addresses are accepted. The standard
library suffices.
"""
import argparse
import asyncio
import ipaddress
import json
import pathlib
import random
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = 40  # different bodies; each is sent many times
PATIENCE = 600.0  # seconds for one answer
FIRST_TOKEN_MAX = 1e-3  # seconds that the server may add
THROUGHPUT_LOSS_MAX = 0.05
IDLE_BYTES_MAX = 100e6
IDLE_POSITIONS = 1024  # of the one stream that runs


class Target:
    def __init__(self, url, key):
        parts = urllib.parse.urlsplit(url)
        if parts.scheme != "http" or not ipaddress.ip_address(parts.hostname).is_loopback:
            sys.exit("load: expected http:// and a loopback address")
        self.host, self.port = parts.hostname, parts.port or 80
        self.key = f"Authorization: Bearer {key}\r\n" if key else ""

    async def open(self):
        return await asyncio.open_connection(self.host, self.port)

    def head(self, method, path, length=None):
        body = f"Content-Type: application/json\r\nContent-Length: {length}\r\n" if length else ""
        return (f"{method} {path} HTTP/1.1\r\nHost: {self.host}\r\n{self.key}{body}"
                "Connection: close\r\n\r\n").encode()


def make_body(kind, max_tokens):
    """Prompt, length and form follow from the kind alone."""
    source = random.Random(kind)
    words = " ".join(source.choice(["one", "two", "three", "four"]) for _ in range(1 + kind * 3))
    return json.dumps({
        "messages": [{"role": "user", "content": words}], "seed": kind, "n": 1 + kind % 3 // 2,
        "max_tokens": source.randint(1, max_tokens), "stream": kind % 2 == 0,
        "temperature": 1.0}).encode()


def texts_of(payload, streamed):
    """The answers' texts by choice."""
    if not streamed:
        return {choice["index"]: choice["message"]["content"]
                for choice in json.loads(payload)["choices"]}
    texts = {}
    events = payload.decode().split("\n\n")
    if events[-2:] != ["data: [DONE]", ""]:
        raise ValueError("a stream without its end")
    for event in events[:-2]:
        for choice in json.loads(event.removeprefix("data: "))["choices"]:
            delta = choice["delta"].get("content", "")
            texts[choice["index"]] = texts.get(choice["index"], "") + delta
    return texts


async def read_reply(reader):
    """Status and body of a reply whose end is the connection's."""
    reply = await reader.read()
    head, _, body = reply.partition(b"\r\n\r\n")
    if b"transfer-encoding: chunked" in head.lower():
        joined = b""
        while body:
            size, _, rest = body.partition(b"\r\n")
            joined += rest[:int(size, 16)]
            body = rest[int(size, 16) + 2:]
        body = joined
    elif int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]) != len(body):
        raise ValueError("a body cut short")
    return int(head.split()[1]), body


class Load:
    def __init__(self, target, arguments):
        self.target, self.arguments = target, arguments
        self.random = random.Random(arguments.seed)
        self.answers, self.seconds, self.wrong = {}, [], []
        self.abandoned = self.refused = 0

    async def ask(self, number):
        kind = number % KINDS
        body = make_body(kind, self.arguments.max_tokens)
        leaves = self.random.random() < self.arguments.abandon
        patience = self.random.choice([0.0, 0.003, 0.03, 0.3]) * self.random.random()
        begin = time.monotonic()
        reader, writer = await self.target.open()
        try:
            writer.write(self.target.head("POST", "/v1/chat/completions", len(body)) + body)
            if leaves:
                await asyncio.sleep(patience)
                if self.random.random() < 0.5:
                    writer.transport.abort()  # a reset; otherwise an orderly end
                self.abandoned += 1
                return
            status, payload = await asyncio.wait_for(read_reply(reader), PATIENCE)
            if status == 429:
                self.refused += 1
                return
            if status != 200:
                raise ValueError(f"status {status}: {payload[:200]}")
            self.seconds.append(time.monotonic() - begin)
            texts = texts_of(payload, kind % 2 == 0)
            if self.answers.setdefault(kind, texts) != texts:
                raise ValueError("an answer that differs from one before")
        except (ValueError, KeyError, IndexError, OSError, asyncio.TimeoutError) as error:
            self.wrong.append(f"request {number}: {type(error).__name__} {error}")
        finally:
            writer.close()

    async def run(self):
        numbers = iter(range(self.arguments.requests))

        async def worker():
            for number in numbers:
                await self.ask(number)

        await asyncio.gather(*(worker() for _ in range(self.arguments.parallel)))


async def read_metrics(target):
    reader, writer = await target.open()
    writer.write(target.head("GET", "/metrics"))
    status, body = await read_reply(reader)
    writer.close()
    if status != 200:
        sys.exit(f"load: /metrics answered {status}")
    lines = [line.rsplit(" ", 1) for line in body.decode().splitlines() if line[:1] != "#"]
    return {name: float(value) for name, value in lines}


async def what_is_left(target):
    """Figures that should be 0, after at most 10 s."""
    for _ in range(100):
        metrics = await read_metrics(target)
        left = {name: metrics[name] for name in (
            "invar_sequences_running", "invar_requests_running", "invar_requests_waiting",
            "invar_kv_blocks_held") if metrics[name] != 0}
        if metrics["invar_connections_open"] != 1:  # the one that asks
            left["invar_connections_open"] = metrics["invar_connections_open"]
        if not left:
            return left, metrics
        await asyncio.sleep(0.1)
    return left, metrics


async def run_load(target, arguments):
    load = Load(target, arguments)
    begin = time.monotonic()
    await load.run()
    seconds = time.monotonic() - begin
    left, metrics = await what_is_left(target)
    times = sorted(load.seconds) or [0.0]
    print(f"{arguments.requests} requests, {arguments.parallel} at a time, {seconds:.1f} s: "
          f"{len(load.seconds)} answered, {load.abandoned} abandoned, {load.refused} refused; "
          f"p50 {times[len(times) // 2]:.3f} s, p99 {times[len(times) * 99 // 100]:.3f} s; "
          f"{len(load.answers)} kinds of answers, each always the same")
    print(f"engine: {metrics['invar_requests_finished_total']:.0f} finished, "
          f"{metrics['invar_requests_cancelled_total']:.0f} cancelled, "
          f"{metrics['invar_requests_failed_total']:.0f} failed, "
          f"{metrics['invar_engine_tokens_total']:.0f} tokens")
    for line in load.wrong[:20]:
        print(line)
    print(f"left behind: {left or 'nothing'}")
    return 1 if load.wrong or left else 0


def resident_kib(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1])


async def run_idle(target, arguments, pid):
    """Opens long streams that nobody reads. The state of those that run is the engine's: the server
    has room for one (OwnServer), which a first stream makes resident, and the others wait."""
    body = json.dumps({"messages": [{"role": "user", "content": "one"}], "max_tokens": 4000,
                       "ignore_eos": True, "stream": True}).encode()
    reader, writer = await target.open()
    writer.write(target.head("POST", "/v1/chat/completions", len(body)) + body)
    await read_reply(reader)
    writer.close()
    await what_is_left(target)
    before = resident_kib(pid)
    streams = []
    for _ in range(arguments.idle_streams):
        reader, writer = await target.open()
        writer.write(target.head("POST", "/v1/chat/completions", len(body)) + body)
        streams.append((reader, writer))
    heads = await asyncio.gather(*(reader.readuntil(b"\r\n\r\n") for reader, _ in streams))
    accepted = sum(head.startswith(b"HTTP/1.1 200") for head in heads)
    await asyncio.sleep(2)
    more = (resident_kib(pid) - before) * 1024
    threads = len(list(pathlib.Path(f"/proc/{pid}/task").iterdir()))
    print(f"{accepted} streams open: {more / 1e6:.1f} MB more than without (at most "
          f"{IDLE_BYTES_MAX / 1e6:.0f}), {threads} threads")
    for _, writer in streams:
        writer.close()
    left, _ = await what_is_left(target)
    print(f"left behind: {left or 'nothing'}")
    return 1 if left or accepted != arguments.idle_streams or more > IDLE_BYTES_MAX else 0


def send_completion(target, body):
    connection = socket.create_connection((target.host, target.port))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    connection.sendall(target.head("POST", "/v1/completions", len(body)) + body)
    return connection


def seconds_to_first_token(target, body):
    """From sending a request to the first event of its answer."""
    begin = time.perf_counter()
    with send_completion(target, body) as connection:
        reply = b""
        while b'"choices"' not in reply:
            reply += connection.recv(1 << 16)
        return time.perf_counter() - begin


def seconds_for_all(target, bodies):
    """From sending the requests to the last byte. Is woken by an answer's end alone, so that this
    program, which shares the processors with the server, costs next to nothing."""
    begin = time.perf_counter()
    connections = [send_completion(target, body) for body in bodies]
    for connection in connections:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1 << 19)
    for connection in connections:
        reply = b""
        while piece := connection.recv(1 << 20):
            reply += piece
        connection.close()
        if not reply.startswith(b"HTTP/1.1 200") or b"data: [DONE]" not in reply:
            raise ValueError(f"no whole answer: {reply[:300]}")
    return time.perf_counter() - begin


def measure_server(target, arguments, vocabulary):
    """Seconds to the first token of one request alone, and tokens/s of a batch; prompts are random
    ids, as the bench's."""
    source = random.Random(arguments.seed)

    def body(tokens):
        return json.dumps({"prompt": [source.randrange(vocabulary)
                                      for _ in range(arguments.prompt)],
                           "max_tokens": tokens, "temperature": 0, "ignore_eos": True,
                           "stream": True}).encode()

    first = min(seconds_to_first_token(target, body(2)) for _ in range(9))
    seconds = seconds_for_all(target, [body(arguments.decode) for _ in range(arguments.overhead)])
    return first, arguments.overhead * arguments.decode / seconds


def measure_engine(arguments, sequences, decode, repeats):
    """The bench's figures of its batch."""
    command = [arguments.binary, "bench", arguments.target, "--json", "-p", str(arguments.prompt),
               "-n", str(decode), "-r", str(repeats), "--sequences", str(sequences)]
    command += ["--threads", str(arguments.threads)] if arguments.threads else []
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return json.loads(run.stdout)


def run_overhead(target, arguments):
    """Rounds of engine and server in turn, so that both see the same machine; of the rounds'
    differences the median counts."""
    added, losses = [], []
    for number in range(arguments.rounds):
        alone = measure_engine(arguments, 1, 2, 9)
        batch = measure_engine(arguments, arguments.overhead, arguments.decode, 1)
        engine_first = alone["batch"]["least_time_to_first_token_seconds"]
        engine_rate = batch["batch"]["tokens_per_second"]
        first, rate = measure_server(target, arguments, alone["vocabulary"])
        added.append(first - engine_first)
        losses.append(1 - rate / engine_rate)
        print(f"round {number + 1}: first token {1e3 * engine_first:.2f} ms by the engine, "
              f"{1e3 * first:.2f} ms by the server; {arguments.overhead} sequences "
              f"{engine_rate:.1f} and {rate:.1f} tokens/s", flush=True)
    loss = statistics.median(losses)
    print(f"{batch['processor']}, {batch['threads']} threads: the server adds "
          f"{1e3 * statistics.median(added):.2f} ms to the first token (at most "
          f"{1e3 * FIRST_TOKEN_MAX:.0f}) and takes {100 * loss:.1f} % of the throughput of a batch "
          f"of {arguments.overhead} (at most {100 * THROUGHPUT_LOSS_MAX:.0f})")
    held = statistics.median(added) < FIRST_TOKEN_MAX and loss < THROUGHPUT_LOSS_MAX
    return 0 if held else 1


class OwnServer:
    """A server that this program starts; `url` is what it printed."""

    def __init__(self, arguments):
        sequences = arguments.overhead or arguments.sequences
        command = [arguments.binary, "serve", arguments.target, "--port", "0", "--sequences",
                   str(sequences), "--queue", "4096"]
        command += ["--kv-positions", str(IDLE_POSITIONS)] if arguments.idle_streams else []
        command += ["--threads", str(arguments.threads)] if arguments.threads else []
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit("load: the server did not start")
        self.url = line.removeprefix("listening on ").strip()

    def stop(self):
        """The exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=120)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("target", metavar="MODEL|URL")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--abandon", type=float, default=0.1, help="share of clients that leave")
    parser.add_argument("--max-tokens", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--key", default="", help="the server's API key")
    parser.add_argument("--idle-streams", type=int, default=0, help="measure the memory of so many")
    parser.add_argument("--pid", type=int, default=0, help="of a server given by its URL")
    parser.add_argument("--overhead", type=int, default=0,
                        help="compare a batch of so many with `invar bench`")
    parser.add_argument("--prompt", type=int, default=16, help="tokens of a prompt, for --overhead")
    parser.add_argument("--decode", type=int, default=128, help="tokens of an answer, likewise")
    parser.add_argument("--rounds", type=int, default=5, help="likewise")
    parser.add_argument("--sequences", type=int, default=32, help="the server's")
    parser.add_argument("--threads", type=int, default=0, help="the server's; 0: all processors")
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/invar"))
    arguments = parser.parse_args()
    for name, limit in (("requests", 100_000), ("parallel", 512), ("idle_streams", 2000),
                        ("overhead", 512)):
        if not 0 <= getattr(arguments, name) <= limit:
            parser.error(f"--{name.replace('_', '-')}: at most {limit}")
    if arguments.target.startswith("http://"):
        if arguments.overhead or (arguments.idle_streams and not arguments.pid):
            parser.error("a URL: expected MODEL with --overhead, and --pid with --idle-streams")
    return arguments


def main():
    arguments = parse_arguments()
    own = None if arguments.target.startswith("http://") else OwnServer(arguments)
    target = Target(own.url if own else arguments.target, arguments.key)
    try:
        if arguments.overhead:
            status = run_overhead(target, arguments)
        elif arguments.idle_streams:
            pid = own.process.pid if own else arguments.pid
            status = asyncio.run(run_idle(target, arguments, pid))
        else:
            status = asyncio.run(run_load(target, arguments))
    finally:
        ended = own.stop() if own else 0
    if ended != 0:
        print(f"the server ended with status {ended}")
    sys.exit(1 if ended != 0 else status)


if __name__ == "__main__":
    main()
