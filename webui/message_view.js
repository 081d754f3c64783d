// A message on the screen.
import { render } from "./markdown.js";

// A button with a key finds the focus again when it is drawn anew.
export function button(label, key, onClick) {
  const node = document.createElement("button");
  node.type = "button";
  node.textContent = label;
  node.dataset.key = key;
  node.addEventListener("click", onClick);
  return node;
}

function notesOf(message, isRunning) {
  const notes = [];
  if (message.seconds && message.firstSeconds !== undefined && message.tokens !== undefined) {
    const decode = message.seconds - message.firstSeconds;
    const rate = message.tokens > 1 && decode > 0
      ? `, ${((message.tokens - 1) / decode).toFixed(1)} tokens/s` : "";
    const first = message.firstSeconds.toFixed(2);
    notes.push(`first token after ${first} s, ${message.tokens} tokens${rate}`);
  }
  if (message.finish === "length") {
    notes.push("cut at the limit");
  } else if (message.finish === "stopped") {
    notes.push("stopped");
  } else if (message.role === "assistant" && !message.finish && !message.error && !isRunning) {
    notes.push("unfinished");
  }
  return notes.join(" · ");
}

// `actions` are the buttons below it; `isRunning` if it is the answer that is being written.
export function articleOf(message, { isRunning, isReplaced, actions }) {
  const article = document.createElement("article");
  article.className = message.role;
  article.classList.toggle("replaced", isReplaced);
  const heading = document.createElement("h2");
  heading.textContent = message.role === "user" ? "You" : "Model";
  const text = document.createElement("div");
  text.className = "text";
  if (message.role === "user") {
    text.textContent = message.content;
  } else {
    text.replaceChildren(render(message.content));
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
  notes.append(notesOf(message, isRunning), ...actions);
  article.append(heading, text, notes);
  return article;
}
