// What the browser keeps: chats and settings, in localStorage. Nothing leaves the machine.

const kChats = "invar.chats";
const kSettings = "invar.settings";

const number = (key, label, value, min, max, step) =>
  ({ key, label, type: "number", value, min, max, step });

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

function read(key, fallback) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? fallback;
  } catch {
    return fallback;
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

export function loadSettings() {
  const kept = read(kSettings, {});
  return Object.fromEntries(
    kSettingFields.map((field) => [field.key, kept[field.key] ?? field.value]));
}

export function saveSettings(settings) {
  return write(kSettings, settings);
}

// Newest first: [{id, messages: [{role, content, ...}]}].
export function loadChats() {
  const chats = read(kChats, []);
  return Array.isArray(chats) ? chats.filter((chat) => Array.isArray(chat.messages)) : [];
}

export function saveChats(chats) {
  return write(kChats, chats);
}

export function newChat() {
  return { id: `${Date.now()}-${Math.floor(Math.random() * 1e6)}`, messages: [] };
}

export function titleOf(chat) {
  const first = chat.messages.find((message) => message.role === "user");
  return first ? first.content.slice(0, 60) : "New chat";
}
