// The chat page: what is on the screen, and what happens on a click. Talking to the server is in
// api.js and connection.js, keeping in store.js, one message in message_view.js.
import { answer } from "./api.js";
import { Connection } from "./connection.js";
import { articleOf, button } from "./message_view.js";
import { Pace } from "./pace.js";
import { showSettings } from "./settings_form.js";
import {
  deleteChat, loadChats, loadSettings, newChat, newestFirst, newId, saveChat, saveSetting, titleOf,
  watchOtherTabs,
} from "./store.js";

const kKeepEvery = 1000; // milliseconds, while an answer streams
const kLongAnswer = 8000; // characters, from which on it is drawn at most each kLongPause
const kLongPause = 100; // milliseconds

const page = Object.fromEntries([
  "model", "chats", "messages", "settings", "settings-toggle", "notice", "editing", "cancel-edit",
  "composer", "input", "send", "stop", "new-chat",
].map((id) => [id, document.getElementById(id)]));

const state = {
  settings: loadSettings(),
  chats: loadChats(),
  current: null,
  running: null, // {chat, message, controller} of the answer that is being written
  editing: null, // {message, draft}: what Send will replace, and what stood in the box before
  unkept: new Set(), // chats that the browser could not keep
  settingsUnkept: false,
  isLeft: false, // the page is going away: answers break off, which nobody is to read later
};

const connection = new Connection(state.settings, (text) => {
  page.model.textContent = text;
});

// Changes what is on the screen. If that takes the focused element away, the focus goes to the one
// that stands for the same thing, else to the input.
function redraw(change) {
  const focused = document.activeElement ?? document.body;
  change();
  if (focused === document.body || (focused.isConnected && focused.checkVisibility())) {
    return;
  }
  const key = focused.dataset.key;
  const same = key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  (same || page.input).focus({ preventScroll: Boolean(same) });
}

function showNotice() {
  const what = [
    ...(state.unkept.size > 0 ? ["chats"] : []), ...(state.settingsUnkept ? ["settings"] : []),
  ].join(" and ");
  page.notice.textContent = what
    ? `The browser's storage is full or forbidden: new ${what} are lost when this page closes.`
    : "";
}

// Keeps what could not be kept before, too: a chat that was deleted may have made room.
function keepAll() {
  for (const chat of state.unkept) {
    if (saveChat(chat)) {
      state.unkept.delete(chat);
    }
  }
  showNotice();
}

function keep(chat) {
  if (state.chats.includes(chat) && chat.messages.length > 0 && !state.isLeft) {
    state.unkept.add(chat);
    keepAll();
  }
}

function showChats() {
  redraw(() => page.chats.replaceChildren(...state.chats.map((chat) => {
    const item = document.createElement("li");
    const open = button(titleOf(chat), `open ${chat.id}`, () => openChat(chat));
    open.setAttribute("aria-current", String(chat === state.current));
    const remove = button("×", `delete ${chat.id}`, () => removeChat(chat));
    remove.setAttribute("aria-label", `Delete chat: ${titleOf(chat)}`);
    item.append(open, remove);
    return item;
  })));
}

function actionsOf(message, index) {
  if (state.running) {
    return [];
  }
  const isLast = index === state.current.messages.length - 1;
  return [
    ...(message.role === "user" ? [button("Edit", `edit ${index}`, () => edit(message))] : []),
    ...(isLast ? [button("Retry", `retry ${index}`, retry)] : []),
  ];
}

function viewOf(message, index) {
  const edited = state.current.messages.indexOf(state.editing?.message);
  return articleOf(message, {
    isRunning: message === state.running?.message,
    isReplaced: edited >= 0 && index >= edited,
    actions: actionsOf(message, index),
  });
}

// Draws; who reads the end goes on reading the end.
function following(draw) {
  const { scrollTop, scrollHeight, clientHeight } = page.messages;
  redraw(draw);
  if (scrollHeight - scrollTop - clientHeight < 60) {
    page.messages.scrollTop = page.messages.scrollHeight;
  }
}

function showMessages() {
  following(() => page.messages.replaceChildren(...state.current.messages.map(viewOf)));
}

// While an answer streams only its own article changes.
function showLast() {
  const index = state.current.messages.length - 1;
  following(() => page.messages.lastElementChild.replaceWith(
    viewOf(state.current.messages[index], index)));
}

function showRunning() {
  redraw(() => {
    page.send.hidden = Boolean(state.running);
    page.stop.hidden = !state.running;
  });
  page.messages.setAttribute("aria-busy", String(Boolean(state.running)));
}

function openChat(chat) {
  stop();
  endEdit();
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

// Takes a chat off the page.
function forget(chat) {
  state.chats = state.chats.filter((each) => each !== chat);
  state.unkept.delete(chat);
  if (chat !== state.current) {
    showChats();
    return;
  }
  if (state.chats.length === 0) {
    state.chats.push(newChat());
  }
  openChat(state.chats[0]);
}

function removeChat(chat) {
  deleteChat(chat);
  forget(chat);
  keepAll();
}

// Another tab has saved a chat, or deleted it (null).
function takeChat(id, theirs) {
  const ours = state.chats.find((chat) => chat.id === id);
  const isRunning = Boolean(ours) && ours === state.running?.chat;
  if (theirs === null) {
    if (ours && !isRunning) {
      forget(ours);
    }
    return;
  }
  if (ours && !isRunning) {
    moveEdit(ours.messages, theirs.messages);
    ours.messages = theirs.messages;
  } else {
    state.chats = [...state.chats, theirs].sort(newestFirst);
  }
  if (isRunning) { // both go on with it: ours becomes a chat of its own
    ours.id = newId();
    state.chats.sort(newestFirst);
    keep(ours);
  }
  showChats();
  if (ours === state.current && !isRunning) {
    showMessages();
  }
}

function requestMessages(chat) {
  const { system } = state.settings;
  const messages = chat.messages.filter((message) => message.content || message.role === "user")
    .map(({ role, content }) => ({ role, content }));
  return system.trim() ? [{ role: "system", content: system }, ...messages] : messages;
}

// Streams the answer into `message`; resolves when it has ended, however it did.
async function fill(message, messages, signal, onText) {
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  let pieces = 0;
  try {
    const result = await answer({
      model: connection.model,
      messages,
      settings: state.settings,
      signal,
      onText(piece) {
        message.firstSeconds ??= seconds();
        message.content += piece;
        pieces += 1;
        onText();
      },
    });
    message.finish = result.finish;
    message.tokens = result.tokens;
  } catch (error) {
    message.tokens = pieces;
    if (signal.aborted) {
      message.finish = "stopped";
    } else {
      message.error = error.message;
      connection.connect(); // the server may have gone, or have come back with another model
    }
  }
  if (message.firstSeconds !== undefined) {
    message.seconds = seconds();
  }
}

// Answers the last message. `before` is the answer that this one replaces once there is some of it.
async function run(before = null) {
  const chat = state.current;
  const messages = requestMessages(chat);
  const message = { role: "assistant", content: "" };
  chat.messages.push(message);
  const controller = new AbortController();
  state.running = { chat, message, controller };
  showRunning();
  showMessages();
  const pace = new Pace(() => {
    if (chat === state.current) {
      showLast();
    }
  });
  let keepTimer = 0;
  await fill(message, messages, controller.signal, () => {
    pace.ask(message.content.length > kLongAnswer ? kLongPause : 0);
    keepTimer ||= setTimeout(() => {
      keepTimer = 0;
      keep(chat);
    }, kKeepEvery);
  });
  pace.cancel();
  clearTimeout(keepTimer);
  if (before?.content && !message.content) {
    before.error = message.error ?? before.error;
    chat.messages[chat.messages.length - 1] = before;
  }
  state.running = null;
  keep(chat);
  showRunning();
  showChats();
  showMessages();
}

function stop() {
  state.running?.controller.abort();
}

function send(text) {
  const chat = state.current;
  const edited = chat.messages.indexOf(state.editing?.message);
  if (edited >= 0) {
    chat.messages.length = edited;
  }
  page.input.value = "";
  endEdit();
  chat.messages.push({ role: "user", content: text });
  keep(chat);
  showChats();
  if (!connection.model) {
    connection.connect();
  }
  run();
}

function retry() {
  endEdit();
  const isAnswer = state.current.messages.at(-1).role === "assistant";
  run(isAnswer ? state.current.messages.pop() : null);
}

// Nothing of the chat changes before the edited message is sent.
function edit(message) {
  const draft = state.editing ? state.editing.draft : page.input.value;
  state.editing = { message, draft };
  page.input.value = message.content;
  page.editing.hidden = false;
  showMessages();
  page.input.focus();
}

// The box shows again what it showed before the edit.
function endEdit() {
  if (!state.editing) {
    return;
  }
  page.input.value = state.editing.draft;
  state.editing = null;
  redraw(() => {
    page.editing.hidden = true;
  });
}

// The messages `from` become `to`. If the edited one is not among them, what was written stays in
// the box, after what stood there before.
function moveEdit(from, to) {
  const index = from.indexOf(state.editing?.message);
  if (index < 0) {
    return;
  }
  if (to[index]?.role === "user" && to[index].content === from[index].content) {
    state.editing.message = to[index];
    return;
  }
  const written = page.input.value;
  endEdit();
  page.input.value = [page.input.value, written].filter(Boolean).join("\n");
}

function cancelEdit() {
  if (state.editing) {
    endEdit();
    showMessages();
    page.input.focus();
  }
}

function changeSetting(key, value) {
  state.settings[key] = value;
  state.settingsUnkept = !saveSetting(key, value);
  showNotice();
  if (key === "apiKey") {
    connection.connect();
  }
}

// Another tab has changed a setting. Who is writing into the form goes on undisturbed.
function takeSettings() {
  const { apiKey } = state.settings;
  Object.assign(state.settings, loadSettings());
  if (!page.settings.contains(document.activeElement)) {
    showSettings(page.settings, state.settings, changeSetting);
  }
  if (state.settings.apiKey !== apiKey) {
    connection.connect();
  }
}

page.composer.addEventListener("submit", (event) => {
  event.preventDefault();
  if (page.input.value.trim() && !state.running) {
    send(page.input.value);
  }
});
page.input.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    page.composer.requestSubmit();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isComposing) {
    stop();
    cancelEdit();
  }
});
page.stop.addEventListener("click", stop);
page["cancel-edit"].addEventListener("click", cancelEdit);
page["new-chat"].addEventListener("click", startChat);
page.settings.addEventListener("submit", (event) => event.preventDefault());
page["settings-toggle"].addEventListener("click", () => {
  page.settings.hidden = !page.settings.hidden;
  page["settings-toggle"].setAttribute("aria-expanded", String(!page.settings.hidden));
});
window.addEventListener("pagehide", () => {
  if (state.running?.message.content) {
    keep(state.running.chat);
  }
  state.isLeft = true;
});
window.addEventListener("pageshow", () => {
  state.isLeft = false;
});
watchOtherTabs({ onChat: takeChat, onSettings: takeSettings });

if (state.chats.length === 0) {
  state.chats.push(newChat());
}
showSettings(page.settings, state.settings, changeSetting);
openChat(state.chats[0]);
connection.connect();
