// Markdown to DOM nodes: headings, lists, quotes, code, tables, emphasis, links. Text only ever
// becomes text nodes, so nothing that a model writes can become markup of its own.

const kFence = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;
const kHeading = /^ {0,3}(#{1,6})\s/;
const kItem = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/s;
const kRule = /^ {0,3}([-*_])( *\1){2,}\s*$/;
const kTableLine = /^[\s:|-]+$/; // with at least one "-" and one "|"
const kNestingMax = 16;

// One by one: a call takes no hundred thousand arguments.
function append(node, children) {
  for (const child of children) {
    node.append(child);
  }
  return node;
}

function element(name, children) {
  return append(document.createElement(name), children);
}

// Every character that can begin a mark; the text between them is plain.
const kMark = /[`*~[]/g;
const kLinkTarget = /\((https?:\/\/[^\s)]+|mailto:[^\s)]+)\)/y;

// Finds what closes a mark. A text is searched once for each kind of mark, not once for each mark,
// so that marks which nothing closes take no longer than others.
class Closers {
  #text;
  #runs = null; // of backticks: length -> starts
  #strong = null; // places of "**" that can close
  #next = new Map(); // character -> its last place that was looked up
  #targets = new Map(); // place of "]" -> what follows it

  constructor(text) {
    this.#text = text;
  }

  // The first of ascending `places` from `begin` on; -1 if there is none.
  static #firstFrom(places, begin) {
    let low = 0;
    let high = places.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle] < begin) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < places.length ? places[low] : -1;
  }

  // The first run of just `length` backticks from `begin` on.
  backticks(length, begin) {
    if (!this.#runs) {
      this.#runs = new Map();
      for (const { 0: run, index } of this.#text.matchAll(/`+/g)) {
        if (!this.#runs.has(run.length)) {
          this.#runs.set(run.length, []);
        }
        this.#runs.get(run.length).push(index);
      }
    }
    return Closers.#firstFrom(this.#runs.get(length) ?? [], begin);
  }

  // The first "**" from `begin` on that ends a word.
  strong(begin) {
    this.#strong ??= [...this.#text.matchAll(/(?<=[^\s*])\*\*/g)].map(({ index }) => index);
    return Closers.#firstFrom(this.#strong, begin);
  }

  // The first `character` from `begin` on, where `begin` never falls.
  next(character, begin) {
    let place = this.#next.get(character) ?? -2;
    if (place !== -1 && place < begin) {
      place = this.#text.indexOf(character, begin);
      this.#next.set(character, place);
    }
    return place;
  }

  // The address that follows the "]" at `place`, and where it ends; null if none does.
  target(place) {
    if (!this.#targets.has(place)) {
      kLinkTarget.lastIndex = place + 1;
      const found = kLinkTarget.exec(this.#text);
      this.#targets.set(place, found && { address: found[1], end: kLinkTarget.lastIndex });
    }
    return this.#targets.get(place);
  }
}

function linkNode(label, address, depth) {
  const link = element("a", inline(label || address, depth + 1));
  link.href = address;
  link.rel = "noopener noreferrer";
  link.target = "_blank";
  return link;
}

const isSpace = (character) => character === undefined || /\s/.test(character);

// The node of the mark that begins at `at`, and where it ends; no node where it is plain text.
function codeMark(text, at, closers) {
  let begin = at;
  while (text[begin] === "`") {
    begin += 1;
  }
  const length = begin - at;
  const close = closers.backticks(length, begin);
  return close < 0 ? { end: begin }
    : { node: element("code", [text.slice(begin, close).trim()]), end: close + length };
}

function starMark(text, at, closers, depth) {
  const first = text[at + 1];
  if (first === "*" && !isSpace(text[at + 2]) && text[at + 2] !== "*") {
    const close = closers.strong(at + 3);
    if (close >= 0) {
      const inner = inline(text.slice(at + 2, close), depth + 1);
      return { node: element("strong", inner), end: close + 2 };
    }
  }
  const close = isSpace(first) || first === "*" ? -1 : closers.next("*", at + 1);
  return close < 0 || isSpace(text[close - 1]) ? { end: at + 1 }
    : { node: element("em", inline(text.slice(at + 1, close), depth + 1)), end: close + 1 };
}

function tildeMark(text, at, closers, depth) {
  const close = text[at + 1] === "~" ? closers.next("~", at + 2) : -1;
  return close <= at + 2 || text[close + 1] !== "~" ? { end: at + 1 }
    : { node: element("del", inline(text.slice(at + 2, close), depth + 1)), end: close + 2 };
}

function linkMark(text, at, closers, depth) {
  const close = closers.next("]", at + 1);
  const target = close < 0 ? null : closers.target(close);
  return target === null ? { end: at + 1 }
    : { node: linkNode(text.slice(at + 1, close), target.address, depth), end: target.end };
}

const kMarks = { "`": codeMark, "*": starMark, "~": tildeMark, "[": linkMark };

// Inline: code, strong, emphasis, deleted, links with a safe scheme.
function inline(text, depth = 0) {
  if (depth >= kNestingMax) {
    return [document.createTextNode(text)];
  }
  const nodes = [];
  const closers = new Closers(text);
  let plain = 0; // what has no node yet begins here
  kMark.lastIndex = 0;
  for (let at = text.search(kMark); at >= 0;) {
    const { node, end } = kMarks[text[at]](text, at, closers, depth);
    if (node) {
      if (plain < at) {
        nodes.push(document.createTextNode(text.slice(plain, at)));
      }
      nodes.push(node);
      plain = end;
    }
    kMark.lastIndex = end;
    at = kMark.exec(text)?.index ?? -1;
  }
  if (plain < text.length) {
    nodes.push(document.createTextNode(text.slice(plain)));
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

// A heading's text, without the signs that may close it.
function headingText(line) {
  const text = line.replace(/^ *#+/, "").trim();
  let end = text.length;
  while (text[end - 1] === "#") {
    end -= 1;
  }
  return text.slice(0, end).trim();
}

function isTableLine(line) {
  return kTableLine.test(line) && line.includes("-") && line.includes("|");
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
      nodes.push(element(`h${Math.min(6, heading[1].length + 2)}`, inline(headingText(line))));
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
    } else if (line.includes("|") && at + 1 < lines.length && isTableLine(lines[at + 1])) {
      const end = takeWhile(lines, at, (each) => each.includes("|"));
      nodes.push(tableNode(lines.slice(at, end)));
      at = end;
    } else {
      const end = Math.max(at + 1, takeWhile(lines, at + 1, (each) => !startsOther(each)));
      const children = inline(lines.slice(at, end).join("\n"));
      if (tight) {
        children.forEach((child) => nodes.push(child));
      } else {
        nodes.push(element("p", children));
      }
      at = end;
    }
  }
  return nodes;
}

// A fragment with a text's nodes; an unfinished code fence runs to its end, so that a stream can be
// shown early. Takes time in proportion to the text.
export function render(text) {
  return append(document.createDocumentFragment(), blocks(text.split("\n"), 0, false));
}
