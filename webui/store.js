// What the browser keeps: chats and settings, in localStorage. Nothing leaves the machine.

const kChats = "invar.chats";
const kSettings = "invar.settings";

export const kSettingFields = [
  { key: "system", label: "System message", type: "text", value: "" },
  { key: "temperature", label: "Temperature", type: "number", value: 0.2, min: 0, max: 2, step: 0.05 },
  { key: "topP", label: "Top-p", type: "number", value: 0.9, min: 0.01, max: 1, step: 0.01 },
  { key: "topK", label: "Top-k (0: off)", type: "number", value: 0, min: 0, max: 1000, step: 1 },
  { key: "minP", label: "Min-p", type: "number", value: 0, min: 0, max: 1, step: 0.01 },
  { key: "repetitionPenalty", label: "Repetition penalty", type: "number", value: 1.1, min: 0.5, max: 2, step: 0.05 },
  { key: "maxTokens", label: "Tokens at most", type: "number", value: 512, min: 1, max: 100000, step: 1 },
  { key: "seed", label: "Seed", type: "number", value: 0, min: 0, max: 4294967295, step: 1 },
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
  return Object.fromEntries(kSettingFields.map((field) => [field.key, kept[field.key] ?? field.value]));
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
