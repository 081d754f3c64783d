// Markdown to DOM nodes: headings, lists, quotes, code, tables, emphasis, links. Text only ever
// becomes text nodes, so nothing that a model writes can become markup of its own.

const kFence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const kHeading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/;
const kItem = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const kRule = /^ {0,3}([-*_])( *\1){2,}\s*$/;
const kTableLine = /^\s*\|?[\s:|-]*-[\s:|-]*\|[\s:|-]*$/;
const kNestingMax = 16;

function element(name, children) {
  const node = document.createElement(name);
  node.append(...children);
  return node;
}

// Inline: code, strong, emphasis, deleted, links with a safe scheme.
const kInline = new RegExp([
  /(`+)([\s\S]*?[^`])\1(?!`)/,
  /\*\*([^\s*](?:[\s\S]*?[^\s*])?)\*\*/,
  /\*([^\s*](?:[^*]*?[^\s*])?)\*/,
  /~~([^~]+)~~/,
  /\[([^\]]*)\]\((https?:\/\/[^\s)]+|mailto:[^\s)]+)\)/,
].map((part) => part.source).join("|"));

export function inline(text, depth = 0) {
  const nodes = [];
  while (text) {
    const found = depth < kNestingMax ? kInline.exec(text) : null;
    if (!found) {
      nodes.push(document.createTextNode(text));
      break;
    }
    if (found.index > 0) {
      nodes.push(document.createTextNode(text.slice(0, found.index)));
    }
    const [all, ticks, code, strong, emphasis, deleted, label, address] = found;
    if (ticks) {
      nodes.push(element("code", [code.trim()]));
    } else if (strong) {
      nodes.push(element("strong", inline(strong, depth + 1)));
    } else if (emphasis) {
      nodes.push(element("em", inline(emphasis, depth + 1)));
    } else if (deleted) {
      nodes.push(element("del", inline(deleted, depth + 1)));
    } else {
      const link = element("a", inline(label || address, depth + 1));
      link.href = address;
      link.rel = "noopener noreferrer";
      link.target = "_blank";
      nodes.push(link);
    }
    text = text.slice(found.index + all.length);
  }
  return nodes;
}

function codeNode(lines, language) {
  const code = element("code", [lines.join("\n")]);
  if (language) {
    code.dataset.language = language;
  }
  return element("pre", [code]);
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

function tableNode(lines) {
  const row = (line, name) =>
    element("tr", cells(line).map((cell) => element(name, inline(cell))));
  return element("table", [
    element("thead", [row(lines[0], "th")]),
    element("tbody", lines.slice(2).map((line) => row(line, "td"))),
  ]);
}

// A list from its lines; deeper lines belong to the item above.
function listNode(lines, depth) {
  const first = kItem.exec(lines[0]);
  const ordered = /\d/.test(first[2]);
  const list = document.createElement(ordered ? "ol" : "ul");
  if (ordered) {
    list.start = parseInt(first[2], 10);
  }
  const indent = first[1].length;
  let body = [];
  const flush = () => {
    if (body.length) {
      list.append(element("li", blocks(body, depth + 1, true)));
    }
    body = [];
  };
  for (const line of lines) {
    const item = kItem.exec(line);
    if (item && item[1].length <= indent) {
      flush();
      body.push(item[3]);
    } else {
      body.push(line.replace(new RegExp(`^\\s{0,${indent + 4}}`), ""));
    }
  }
  flush();
  return list;
}

function takeWhile(lines, begin, keep) {
  let end = begin;
  while (end < lines.length && keep(lines[end], end)) {
    end += 1;
  }
  return end;
}

function startsOther(line) {
  return kFence.test(line) || kHeading.test(line) || kItem.test(line) || kRule.test(line) ||
    /^\s*>/.test(line) || line.trim() === "";
}

function blocks(lines, depth, tight) {
  const nodes = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const fence = kFence.exec(line);
    const heading = kHeading.exec(line);
    if (line.trim() === "") {
      at += 1;
    } else if (fence) {
      const end = takeWhile(lines, at + 1, (each) => !each.trim().startsWith(fence[1]));
      nodes.push(codeNode(lines.slice(at + 1, end), fence[2]));
      at = end + 1;
    } else if (heading) {
      // The page itself holds the first two levels.
      nodes.push(element(`h${Math.min(6, heading[1].length + 2)}`, inline(heading[2])));
      at += 1;
    } else if (kRule.test(line)) {
      nodes.push(document.createElement("hr"));
      at += 1;
    } else if (/^\s*>/.test(line) && depth < kNestingMax) {
      const end = takeWhile(lines, at, (each) => /^\s*>/.test(each));
      const inner = lines.slice(at, end).map((each) => each.replace(/^\s*> ?/, ""));
      nodes.push(element("blockquote", blocks(inner, depth + 1, false)));
      at = end;
    } else if (kItem.test(line) && depth < kNestingMax) {
      const end = takeWhile(lines, at, (each, index) =>
        kItem.test(each) || /^\s{2,}\S/.test(each) ||
        (each.trim() === "" && index + 1 < lines.length && /^\s{2,}\S/.test(lines[index + 1])));
      nodes.push(listNode(lines.slice(at, end), depth));
      at = end;
    } else if (line.includes("|") && at + 1 < lines.length && kTableLine.test(lines[at + 1])) {
      const end = takeWhile(lines, at, (each) => each.includes("|"));
      nodes.push(tableNode(lines.slice(at, end)));
      at = end;
    } else {
      const end = Math.max(at + 1, takeWhile(lines, at + 1, (each) => !startsOther(each)));
      const children = inline(lines.slice(at, end).join("\n"));
      nodes.push(...(tight ? children : [element("p", children)]));
      at = end;
    }
  }
  return nodes;
}

// The nodes of a text; an unfinished code fence runs to its end, so a stream can be shown early.
export function render(text) {
  return blocks(text.split("\n"), 0, false);
}
