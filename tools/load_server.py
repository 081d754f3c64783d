#!/usr/bin/env python3
"""Puts load on a running `invar serve` on this machine and checks that nothing is left behind.

Sends requests of mixed kinds, some of whose clients go away at a random moment, then asks /metrics:
no sequence, no kv_block, no waiting request and no socket may be left. Requests with equal bodies
must have got equal answers. Exit status: 0 all held, 1 something did not.

    tools/load_server.py http://127.0.0.1:8080 [--requests 2000] [--parallel 64]
    tools/load_server.py http://127.0.0.1:8080 --idle 300 --pid PID     memory of idle streams

Only loopback addresses are accepted. The standard library suffices.
"""
import argparse
import asyncio
import ipaddress
import json
import pathlib
import random
import sys
import time
import urllib.parse

KINDS = 40  # different bodies; each is sent many times
PATIENCE = 120.0  # seconds for one answer


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


async def run_idle(target, arguments):
    """Opens long streams that nobody reads: more than the server's --sequences wait."""
    before = resident_kib(arguments.pid)
    body = json.dumps({"messages": [{"role": "user", "content": "one"}], "max_tokens": 4000,
                       "ignore_eos": True, "stream": True}).encode()
    streams = []
    for _ in range(arguments.idle):
        reader, writer = await target.open()
        writer.write(target.head("POST", "/v1/chat/completions", len(body)) + body)
        streams.append((reader, writer))
    heads = await asyncio.gather(*(reader.readuntil(b"\r\n\r\n") for reader, _ in streams))
    accepted = sum(head.startswith(b"HTTP/1.1 200") for head in heads)
    await asyncio.sleep(1)
    threads = len(list(pathlib.Path(f"/proc/{arguments.pid}/task").iterdir()))
    print(f"{accepted} streams open: {(resident_kib(arguments.pid) - before) / 1024:.1f} MiB more "
          f"than without, {threads} threads")
    for _, writer in streams:
        writer.close()
    left, _ = await what_is_left(target)
    print(f"left behind: {left or 'nothing'}")
    return 1 if left or accepted != arguments.idle else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("url")
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--parallel", type=int, default=64)
    parser.add_argument("--abandon", type=float, default=0.1, help="share of clients that leave")
    parser.add_argument("--max-tokens", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--key", default="", help="the server's API key")
    parser.add_argument("--idle", type=int, default=0, help="open this many streams instead")
    parser.add_argument("--pid", type=int, default=0, help="the server's, for --idle")
    arguments = parser.parse_args()
    for name, limit in (("requests", 100_000), ("parallel", 512), ("idle", 2000)):
        if getattr(arguments, name) > limit:
            parser.error(f"--{name}: at most {limit}")
    target = Target(arguments.url, arguments.key)
    run = run_idle if arguments.idle else run_load
    sys.exit(asyncio.run(run(target, arguments)))


if __name__ == "__main__":
    main()
