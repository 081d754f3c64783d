// The chat page: what is on the screen, and what happens on a click. Talking to the server is in
// api.js, keeping is in store.js, markdown in markdown.js.
import { answer, modelName } from "./api.js";
import { render } from "./markdown.js";
import {
  kSettingFields, loadChats, loadSettings, newChat, saveChats, saveSettings, titleOf,
} from "./store.js";

const page = Object.fromEntries(
  ["model", "chats", "messages", "settings", "settings-toggle", "composer", "input", "send", "stop",
    "new-chat"].map((id) => [id, document.getElementById(id)]));

const state = {
  model: "",
  settings: loadSettings(),
  chats: loadChats(),
  current: null,
  running: null, // AbortController of the answer that is being written
};

function button(label, onClick) {
  const node = document.createElement("button");
  node.type = "button";
  node.textContent = label;
  node.addEventListener("click", onClick);
  return node;
}

function keep() {
  saveChats(state.chats.filter((chat) => chat.messages.length > 0));
}

function showChats() {
  page.chats.replaceChildren(...state.chats.map((chat) => {
    const item = document.createElement("li");
    const open = button(titleOf(chat), () => openChat(chat));
    open.setAttribute("aria-current", String(chat === state.current));
    const remove = button("×", () => removeChat(chat));
    remove.setAttribute("aria-label", `Delete chat: ${titleOf(chat)}`);
    item.append(open, remove);
    return item;
  }));
}

function notesOf(message) {
  const notes = [];
  if (message.seconds) {
    const decode = message.seconds - message.firstSeconds;
    const rate = message.tokens > 1 && decode > 0
      ? `, ${((message.tokens - 1) / decode).toFixed(1)} tokens/s` : "";
    const first = message.firstSeconds.toFixed(2);
    notes.push(`first token after ${first} s, ${message.tokens} tokens${rate}`);
  }
  if (message.finish === "length") {
    notes.push("cut at the limit");
  }
  if (message.finish === "stopped") {
    notes.push("stopped");
  }
  return notes.join(" · ");
}

function articleOf(message, index) {
  const article = document.createElement("article");
  article.className = message.role;
  const heading = document.createElement("h2");
  heading.textContent = message.role === "user" ? "You" : "Model";
  const text = document.createElement("div");
  text.className = "text";
  if (message.role === "user") {
    text.textContent = message.content;
  } else {
    text.replaceChildren(...render(message.content));
  }
  const notes = document.createElement("div");
  notes.className = "notes";
  if (message.error) {
    const wrong = document.createElement("span");
    wrong.className = "wrong";
    wrong.setAttribute("role", "alert");
    wrong.textContent = message.error;
    notes.append(wrong);
  }
  notes.append(notesOf(message));
  if (!state.running) {
    notes.append(message.role === "user"
      ? button("Edit", () => edit(index))
      : button("Retry", () => retry(index)));
  }
  article.append(heading, text, notes);
  return article;
}

function atBottom() {
  const { scrollTop, scrollHeight, clientHeight } = page.messages;
  return scrollHeight - scrollTop - clientHeight < 60;
}

function showMessages() {
  const follow = atBottom();
  page.messages.replaceChildren(...state.current.messages.map(articleOf));
  if (follow) {
    page.messages.scrollTop = page.messages.scrollHeight;
  }
}

// While an answer streams only its own article changes.
function showLast() {
  const follow = atBottom();
  const index = state.current.messages.length - 1;
  page.messages.lastElementChild.replaceWith(articleOf(state.current.messages[index], index));
  if (follow) {
    page.messages.scrollTop = page.messages.scrollHeight;
  }
}

function showRunning() {
  page.send.hidden = Boolean(state.running);
  page.stop.hidden = !state.running;
  page.messages.setAttribute("aria-busy", String(Boolean(state.running)));
}

function openChat(chat) {
  state.running?.abort();
  state.current = chat;
  showChats();
  showMessages();
  page.messages.scrollTop = page.messages.scrollHeight;
  page.input.focus();
}

function startChat() {
  if (state.current?.messages.length === 0) {
    page.input.focus();
    return;
  }
  const chat = newChat();
  state.chats.unshift(chat);
  openChat(chat);
}

function removeChat(chat) {
  state.chats = state.chats.filter((each) => each !== chat);
  keep();
  if (chat !== state.current) {
    showChats();
    return;
  }
  if (state.chats.length === 0) {
    state.chats.push(newChat());
  }
  openChat(state.chats[0]);
}

function requestMessages(chat) {
  const system = state.settings.system.trim();
  const messages = chat.messages.filter((message) => message.content || message.role === "user")
    .map(({ role, content }) => ({ role, content }));
  return system ? [{ role: "system", content: system }, ...messages] : messages;
}

async function run() {
  const chat = state.current;
  const messages = requestMessages(chat);
  const message = { role: "assistant", content: "" };
  chat.messages.push(message);
  const running = new AbortController();
  state.running = running;
  showRunning();
  showMessages();
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  let pieces = 0;
  let frame = 0;
  try {
    const result = await answer({
      model: state.model,
      messages,
      settings: state.settings,
      signal: running.signal,
      onText(piece) {
        message.firstSeconds ??= seconds();
        message.content += piece;
        pieces += 1;
        frame ||= requestAnimationFrame(() => {
          frame = 0;
          if (chat === state.current) {
            showLast();
          }
        });
      },
    });
    message.finish = result.finish;
    message.tokens = result.tokens;
  } catch (error) {
    if (running.signal.aborted) {
      message.finish = "stopped";
      message.tokens = pieces;
    } else {
      message.error = error.message;
    }
  }
  cancelAnimationFrame(frame);
  if (message.firstSeconds !== undefined) {
    message.seconds = seconds();
  }
  state.running = null;
  keep();
  showRunning();
  showChats();
  showMessages();
}

function send(text) {
  state.current.messages.push({ role: "user", content: text });
  keep();
  run();
}

function retry(index) {
  state.current.messages.length = index;
  run();
}

function edit(index) {
  page.input.value = state.current.messages[index].content;
  state.current.messages.length = index;
  keep();
  showMessages();
  page.input.focus();
}

function showSettings() {
  page.settings.replaceChildren(...kSettingFields.map((field) => {
    const label = document.createElement("label");
    label.className = field.type === "text" ? "wide" : "";
    label.append(field.label);
    const input = document.createElement("input");
    Object.assign(input, { type: field.type, name: field.key, value: state.settings[field.key] });
    for (const bound of ["min", "max", "step"]) {
      if (field[bound] !== undefined) {
        input[bound] = field[bound];
      }
    }
    input.addEventListener("change", () => {
      if (!input.reportValidity()) {
        return;
      }
      state.settings[field.key] = field.type === "number" ? Number(input.value) : input.value;
      saveSettings(state.settings);
      if (field.key === "apiKey") {
        connect();
      }
    });
    label.append(input);
    return label;
  }));
}

async function connect() {
  try {
    state.model = await modelName(state.settings);
    page.model.textContent = state.model;
  } catch (error) {
    page.model.textContent = `not connected: ${error.message}`;
  }
}

page.composer.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = page.input.value.trim();
  if (text && !state.running) {
    page.input.value = "";
    send(text);
  }
});
page.input.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    page.composer.requestSubmit();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    state.running?.abort();
  }
});
page.stop.addEventListener("click", () => state.running?.abort());
page["new-chat"].addEventListener("click", startChat);
page.settings.addEventListener("submit", (event) => event.preventDefault());
page["settings-toggle"].addEventListener("click", () => {
  page.settings.hidden = !page.settings.hidden;
  page["settings-toggle"].setAttribute("aria-expanded", String(!page.settings.hidden));
});

if (state.chats.length === 0) {
  state.chats.push(newChat());
}
showSettings();
openChat(state.chats[0]);
connect();
