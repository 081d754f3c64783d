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

export async function modelName(settings) {
  const response = await fetch("v1/models", { headers: headers(settings) });
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

// Streams one answer. `onText(piece)` is called as text arrives; resolves to
// {finish, tokens, promptTokens}. `signal` aborts it, which also ends the work on the server.
export async function answer({ model, messages, settings, signal, onText }) {
  const body = {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    temperature: settings.temperature,
    top_p: settings.topP,
    min_p: settings.minP,
    repetition_penalty: settings.repetitionPenalty,
    max_tokens: settings.maxTokens,
    seed: settings.seed,
  };
  if (settings.topK > 0) {
    body.top_k = settings.topK;
  }
  const response = await fetch("v1/chat/completions", {
    method: "POST",
    headers: headers(settings),
    body: JSON.stringify(body),
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
  return result;
}
