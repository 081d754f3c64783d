// The server's OpenAI API, as far as the page uses it.

export class ApiError extends Error {}

function headers(settings) {
  const all = { "Content-Type": "application/json" };
  if (settings.apiKey) {
    all.Authorization = `Bearer ${settings.apiKey}`;
  }
  return all;
}

async function failure(response) {
  let message = `${response.status} ${response.statusText}`;
  try {
    message = (await response.json()).error.message || message;
  } catch {
    // Not the API's error shape: the status says it.
  }
  return new ApiError(message);
}

const kModelsWait = 10000; // milliseconds

export async function modelName(settings) {
  const response = await fetch("v1/models",
    { headers: headers(settings), signal: AbortSignal.timeout(kModelsWait) });
  if (!response.ok) {
    throw await failure(response);
  }
  return (await response.json()).data[0].id;
}

// Lines of server-sent events: yields each event's data.
async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      for (const line of part.split("\n")) {
        if (line.startsWith("data: ")) {
          yield line.slice(6);
        }
      }
    }
  }
}

// The fields of a request; an undefined one is not sent, and the server's default holds.
function requestBody(model, messages, settings) {
  return {
    model: model || undefined,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    temperature: settings.temperature ?? undefined,
    top_p: settings.topP ?? undefined,
    top_k: settings.topK ?? undefined,
    min_p: settings.minP ?? undefined,
    repetition_penalty: settings.repetitionPenalty ?? undefined,
    max_tokens: settings.maxTokens ?? undefined,
    seed: settings.seed ?? undefined,
  };
}

// Streams one answer. `onText(piece)` is called as text arrives; resolves to
// {finish, tokens, promptTokens}. Without a `model`, the one that is served answers. `signal`
// aborts it, which also ends the work on the server.
export async function answer({ model, messages, settings, signal, onText }) {
  const response = await fetch("v1/chat/completions", {
    method: "POST",
    headers: headers(settings),
    body: JSON.stringify(requestBody(model, messages, settings)),
    signal,
  });
  if (!response.ok) {
    throw await failure(response);
  }
  const result = { finish: "", tokens: 0, promptTokens: 0 };
  for await (const data of events(response.body)) {
    if (data === "[DONE]") {
      break;
    }
    const chunk = JSON.parse(data);
    if (chunk.error) {
      throw new ApiError(chunk.error.message);
    }
    if (chunk.usage) {
      result.tokens = chunk.usage.completion_tokens;
      result.promptTokens = chunk.usage.prompt_tokens;
    }
    for (const choice of chunk.choices || []) {
      if (choice.delta && choice.delta.content) {
        onText(choice.delta.content);
      }
      result.finish = choice.finish_reason || result.finish;
    }
  }
  if (!result.finish) {
    throw new ApiError("the connection ended before the answer did");
  }
  return result;
}
