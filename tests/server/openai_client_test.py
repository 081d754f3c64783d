"""The `openai` package as a client of `invar serve`: what applications do with it must work.

Run by ctest through tools/run_pytest.sh; INVAR_BINARY names the program.
"""
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys

import openai
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tiny_model  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("INVAR_BINARY", str(ROOT / "build/release/bin/invar"))
MODEL = "tiny-llama"
KEY = "a-secret"
MESSAGES = [{"role": "system", "content": "Answer."}, {"role": "user", "content": "Hello, you."}]


class Server:
    """A process; `url` is what it printed."""

    def __init__(self, model, *options):
        self.process = subprocess.Popen(
            [BINARY, "serve", str(model), "--port", "0", "--threads", "2", *options],
            stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().strip()
        assert line.startswith("listening on http://127.0.0.1:"), line
        self.url = line.removeprefix("listening on ")

    def client(self, key=KEY):
        return openai.OpenAI(base_url=self.url + "/v1", api_key=key, max_retries=0, timeout=120)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return tiny_model.make(tmp_path_factory.mktemp("model") / MODEL)


@pytest.fixture(scope="module")
def server(model):
    server = Server(model, "--sequences", "32", "--api-key", KEY)
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def client(server):
    return server.client()


# The model is random; letters make answers that are easy to look at.
LETTERS = {str(3 + byte - (2 if byte > 0xC1 else 0)): 100 for byte in range(ord("a"), ord("i"))}


def chat(client, **more):
    return client.chat.completions.create(
        **{"model": MODEL, "messages": MESSAGES, "max_tokens": 32, "seed": 5,
           "logit_bias": LETTERS, **more})


def joined(stream, index=0):
    return "".join(choice.delta.content or "" for chunk in stream for choice in chunk.choices
                   if choice.index == index)


def test_models(client):
    assert [model.id for model in client.models.list()] == [MODEL]
    assert client.models.retrieve(MODEL).object == "model"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("another")


def test_chat(client):
    answer = chat(client)
    assert answer.object == "chat.completion"
    assert answer.choices[0].message.role == "assistant"
    assert len(answer.choices[0].message.content) == 32
    assert set(answer.choices[0].message.content) <= set("abcdefgh")
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens == 32
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + 32
    assert answer.system_fingerprint.startswith("m")


def test_an_answer_can_be_sent_back(client):
    answer = chat(client)
    messages = [*MESSAGES, answer.choices[0].message, {"role": "user", "content": "And?"}]
    assert chat(client, messages=messages).choices[0].message.content


def test_streaming(client):
    whole = chat(client).choices[0].message.content
    with chat(client, stream=True, stream_options={"include_usage": True}) as stream:
        chunks = list(stream)
    assert joined(chunks) == whole
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "length"
    assert chunks[-1].choices == [] and chunks[-1].usage.completion_tokens == 32
    assert len({chunk.id for chunk in chunks}) == 1


def test_streaming_helper(client):
    text = chat(client).choices[0].message.content
    # The helper takes an answer that was cut at a length for an error.
    stop = text[20:23]
    with client.chat.completions.stream(model=MODEL, messages=MESSAGES, max_tokens=32, seed=5,
                                        stop=stop, logit_bias=LETTERS) as stream:
        deltas = "".join(event.delta for event in stream if event.type == "content.delta")
        assert deltas == text[:text.find(stop)]
        assert stream.get_final_completion().choices[0].message.content == deltas


def test_logprobs(client):
    choice = chat(client, logprobs=True, top_logprobs=3, temperature=0).choices[0]
    entries = choice.logprobs.content
    assert "".join(entry.token for entry in entries) == choice.message.content
    for entry in entries:
        assert entry.logprob <= 0
        assert bytes(entry.bytes).decode() == entry.token
        assert len(entry.top_logprobs) == 3
        tops = [top.logprob for top in entry.top_logprobs]
        assert tops == sorted(tops, reverse=True)
        assert entry.logprob <= tops[0]
    stream = list(chat(client, logprobs=True, top_logprobs=3, temperature=0, stream=True))
    streamed = [entry for chunk in stream for choice in chunk.choices if choice.logprobs
                for entry in choice.logprobs.content]
    assert streamed == entries


def test_stop(client):
    text = chat(client).choices[0].message.content
    stop = text[10:13]
    expected = text[:text.find(stop)]
    for stops in (stop, ["no such text", stop]):
        answer = chat(client, stop=stops)
        assert answer.choices[0].message.content == expected
        assert answer.choices[0].finish_reason == "stop"
        assert joined(chat(client, stop=stops, stream=True)) == expected


def test_n(client):
    answer = chat(client, n=4)
    texts = [choice.message.content for choice in answer.choices]
    assert [choice.index for choice in answer.choices] == [0, 1, 2, 3]
    assert len(set(texts)) == 4
    assert texts[0] == chat(client).choices[0].message.content
    chunks = list(chat(client, n=4, stream=True))
    assert [joined(chunks, index) for index in range(4)] == texts


def test_seed(client):
    first = chat(client, seed=11)
    assert chat(client, seed=11).choices == first.choices
    assert chat(client, seed=12).choices != first.choices
    drawn = chat(client, seed=openai.omit if hasattr(openai, "omit") else openai.NOT_GIVEN)
    assert chat(client, seed=drawn.seed).choices == drawn.choices


def test_completions(client):
    answer = client.completions.create(model=MODEL, prompt="Once", max_tokens=8, seed=1, logprobs=2,
                                       logit_bias=LETTERS)
    choice = answer.choices[0]
    assert "".join(choice.logprobs.tokens) == choice.text
    assert choice.logprobs.text_offset == list(range(8))
    assert len(choice.logprobs.token_logprobs) == 8
    echo = client.completions.create(model=MODEL, prompt="Once", max_tokens=8, seed=1, echo=True,
                                     logit_bias=LETTERS)
    assert echo.choices[0].text == "Once" + choice.text
    stream = client.completions.create(model=MODEL, prompt="Once", max_tokens=8, seed=1,
                                       stream=True, logit_bias=LETTERS)
    assert "".join(chunk.choices[0].text for chunk in stream) == choice.text


def test_a_prompt_is_scored(client):
    """As evaluation harnesses ask: the prompt's log probabilities, by its token ids."""
    def score(prompts, **more):
        return client.completions.create(
            **{"model": MODEL, "prompt": prompts, "max_tokens": 0, "temperature": 0, "seed": 1,
               "echo": True, "logprobs": 1, **more}).choices

    ids = [[1, *(3 + (number * 7 + i * i) % 200 for i in range(20 + 60 * number))]
           for number in range(6)]
    together = score(ids)
    assert [choice.index for choice in together] == list(range(6))
    for number, choice in enumerate(together):
        scores = choice.logprobs
        assert len(scores.tokens) == len(scores.top_logprobs) == len(ids[number])
        assert scores.token_logprobs[0] is None and scores.top_logprobs[0] is None
        assert max(scores.token_logprobs[1:]) <= 0
        ends = [*scores.text_offset[1:], len(choice.text)]
        texts = [choice.text[begin:end] for begin, end in zip(scores.text_offset, ends)]
        assert "".join(texts) == choice.text and texts[0] == ""  # a special token has no text
        # The law: the same bits alone, among others, and with an answer behind.
        assert score(ids[number])[0].logprobs == scores
        longer = score(ids[number], max_tokens=1)[0].logprobs
        assert longer.token_logprobs[:-1] == scores.token_logprobs
        assert longer.top_logprobs[:-1] == scores.top_logprobs
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        busy = [pool.submit(chat, client, max_tokens=200, seed=number) for number in range(6)]
        again = [pool.submit(score, prompt) for prompt in ids]
        assert [future.result()[0].logprobs for future in again] == [
            choice.logprobs for choice in together]
        assert all(future.result().usage.completion_tokens == 200 for future in busy)


def test_several_prompts(client):
    prompts = ["Once", "Twice upon a time", "Now"]
    shared = {"model": MODEL, "max_tokens": 8, "seed": 1, "n": 2, "logit_bias": LETTERS}
    choices = client.completions.create(prompt=prompts, **shared).choices
    assert [choice.index for choice in choices] == list(range(6))
    alone = [client.completions.create(prompt=prompt, **shared).choices for prompt in prompts]
    assert [choice.text for choice in choices] == [each.text for two in alone for each in two]
    texts = [""] * 6
    for chunk in client.completions.create(prompt=prompts, stream=True, **shared):
        texts[chunk.choices[0].index] += chunk.choices[0].text
    assert texts == [choice.text for choice in choices]


def test_the_same_alone_and_among_others(client):
    def ask(number):
        more = {"stream": True} if number % 2 else {}
        answer = chat(client, seed=number, max_tokens=64, temperature=1.0,
                      messages=[{"role": "user", "content": "Question " * (1 + number)}], **more)
        return joined(answer) if more else answer.choices[0].message.content

    alone = [ask(number) for number in range(17)]
    with concurrent.futures.ThreadPoolExecutor(17) as pool:
        assert list(pool.map(ask, range(17))) == alone


def test_errors_name_the_field(client):
    with pytest.raises(openai.BadRequestError) as error:
        chat(client, temperature=-1)
    assert error.value.param == "temperature"
    assert error.value.type == "invalid_request_error"
    with pytest.raises(openai.BadRequestError) as error:
        chat(client, tools=[{"type": "function", "function": {"name": "f"}}])
    assert error.value.param == "tools" and error.value.code == "unsupported_value"
    with pytest.raises(openai.BadRequestError) as error:
        chat(client, messages=[{"role": "user", "content": "x" * 5000}])
    assert error.value.code == "context_length_exceeded"
    with pytest.raises(openai.NotFoundError) as error:
        chat(client, model="another")
    assert error.value.code == "model_not_found"


def test_the_key_is_needed(server):
    with pytest.raises(openai.AuthenticationError) as error:
        server.client("another").models.list()
    assert error.value.code == "invalid_api_key"


def test_a_signal_lets_answers_finish(model):
    server = Server(model, "--api-key", KEY)
    stream = chat(server.client(), stream=True, max_tokens=600)
    chunks = [next(stream)]
    server.process.send_signal(signal.SIGTERM)
    chunks += list(stream)
    assert len(joined(chunks)) == 600
    assert server.process.wait(timeout=60) == 0


def test_grace_has_an_end(model):
    server = Server(model, "--api-key", KEY, "--grace", "0")
    stream = chat(server.client(), stream=True, max_tokens=3900)
    next(stream)
    assert server.stop() == 0
    with pytest.raises(openai.APIError) as error:
        for _ in stream:
            pass
    assert error.value.message == "the server is stopping"
