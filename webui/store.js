// What the browser keeps: chats and settings, in localStorage. Nothing leaves the machine.
// Every chat is an entry of its own and a setting is changed alone, so that pages in several tabs
// do not write over each other. What an entry holds is checked: anything may stand there.

const kChat = "invar.chat."; // and the chat's id
const kChatList = "invar.chats"; // one list of all, as pages kept it before
const kSettings = "invar.settings";
const kRoles = ["user", "assistant"];

const number = (key, label, value, min, max, step) =>
  ({ key, label, type: "number", value, min, max, step });

// A number may also be null: then the server's default holds.
export const kSettingFields = [
  { key: "system", label: "System message", type: "text", value: "" },
  number("temperature", "Temperature", 0.2, 0, 2, 0.05),
  number("topP", "Top-p", 0.9, 0.01, 1, 0.01),
  number("topK", "Top-k (0: off)", 0, 0, 1000, 1),
  number("minP", "Min-p", 0, 0, 1, 0.01),
  number("repetitionPenalty", "Repetition penalty", 1.1, 0.5, 2, 0.05),
  number("maxTokens", "Tokens at most", 512, 1, 100000, 1),
  number("seed", "Seed", 0, 0, 4294967295, 1),
  { key: "apiKey", label: "API key", type: "password", value: "" },
];

// Null for what is no JSON, and where the storage is forbidden.
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function read(key) {
  try {
    return parsed(localStorage.getItem(key));
  } catch {
    return null;
  }
}

// False if the browser's storage is full or forbidden: the page goes on without keeping.
function write(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

function remove(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // Forbidden: then nothing is kept that could be removed.
  }
}

function allKeys() {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

function isSetting(field, value) {
  return field.type === "number"
    ? value === null || (Number.isFinite(value) && value >= field.min && value <= field.max)
    : typeof value === "string";
}

export function loadSettings() {
  const kept = Object(read(kSettings));
  return Object.fromEntries(kSettingFields.map(
    (field) => [field.key, isSetting(field, kept[field.key]) ? kept[field.key] : field.value]));
}

// False if it could not be kept.
export function saveSetting(key, value) {
  return write(kSettings, { ...loadSettings(), [key]: value });
}

const kMessageNotes = {
  finish: "string", error: "string", tokens: "number", firstSeconds: "number", seconds: "number",
};

function messageFrom(value) {
  if (typeof value?.content !== "string" || !kRoles.includes(value.role)) {
    return null;
  }
  const message = { role: value.role, content: value.content };
  for (const [field, type] of Object.entries(kMessageNotes)) {
    if (typeof value[field] === type) {
      message[field] = value[field];
    }
  }
  return message;
}

// Null if `value` holds no message.
function chatFrom(id, value) {
  const messages = Array.isArray(value?.messages)
    ? value.messages.map(messageFrom).filter((message) => message !== null) : [];
  return messages.length > 0 ? { id, messages } : null;
}

// What finds no room as a chat of its own stays in the list until the next time.
function divideChatList() {
  const list = read(kChatList);
  if (!Array.isArray(list)) {
    return;
  }
  const chats = list.filter((each) => typeof each?.id === "string")
    .map((each) => chatFrom(each.id, each)).filter((chat) => chat !== null);
  remove(kChatList);
  const left = chats.filter((chat) => !saveChat(chat));
  if (left.length > 0) {
    write(kChatList, left);
  }
}

// Ids begin with the time at which the chat was.
export function newestFirst(a, b) {
  return a.id < b.id ? 1 : -1;
}

// Newest first: [{id, messages: [{role, content, ...}]}].
export function loadChats() {
  divideChatList();
  return allKeys().filter((key) => key.startsWith(kChat))
    .map((key) => chatFrom(key.slice(kChat.length), read(key)))
    .filter((chat) => chat !== null).sort(newestFirst);
}

// False if it could not be kept.
export function saveChat(chat) {
  return write(kChat + chat.id, { messages: chat.messages });
}

export function deleteChat(chat) {
  remove(kChat + chat.id);
}

// What pages in other tabs do: `onChat(id, chat)` when one has saved a chat, with null when it has
// deleted it; `onSettings()` when it has changed a setting.
export function watchOtherTabs({ onChat, onSettings }) {
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key === kSettings) {
      onSettings();
    } else if (key?.startsWith(kChat)) {
      const id = key.slice(kChat.length);
      const chat = newValue === null ? null : chatFrom(id, parsed(newValue));
      if (chat !== null || newValue === null) {
        onChat(id, chat);
      }
    }
  });
}

export function newId() {
  return `${Date.now()}-${Math.floor(Math.random() * 1e6)}`;
}

export function newChat() {
  return { id: newId(), messages: [] };
}

export function titleOf(chat) {
  const first = chat.messages.find((message) => message.role === "user");
  return first ? first.content.trim().slice(0, 60) : "New chat";
}
