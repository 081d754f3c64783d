"""Drives the chat page in a real browser against a scripted server: what must not be lost with
several tabs, when connections break, storage is full or the page is left; the keyboard; long texts.
Exit status 77 (skipped) where playwright or /usr/bin/chromium is missing."""

import contextlib
import json
import sys
import threading

from browser import CHROMIUM, expect, sync_playwright
from scripted_server import Cut, ScriptedServer

STORED_CHATS = """() => Object.entries(localStorage)
  .filter(([key]) => key.startsWith("invar.chat."))
  .map(([, text]) => JSON.parse(text).messages.map((message) => message.content))"""


def open_page(context, server):
    page = context.new_page()
    page.on("pageerror", lambda error: page_errors.append(str(error)))
    page.goto(server.address)
    return page


page_errors = []


def ask(page, text):
    page.locator("#input").fill(text)
    page.locator("#input").press("Enter")


def asked(page, text):
    ask(page, text)
    idle(page)


def idle(page):
    expect(page.locator("#send")).to_be_visible()


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def texts(page):
    return page.locator("article .text").all_inner_texts()


def expect_in_input(page):
    expect(page.locator("#input")).to_be_focused()


def has_titles(page, titles):
    expect(page.locator("#chats li button:first-child")).to_have_text(titles)


def check_tabs_keep_each_others_chats(context, server):
    one, other = open_page(context, server), open_page(context, server)
    asked(one, "from one")
    asked(other, "from other")
    for page in (one, other):
        expect(page.locator("#chats")).to_contain_text("from one")
        expect(page.locator("#chats")).to_contain_text("from other")
        page.reload()
        has_titles(page, ["from other", "from one"])
    one.get_by_role("button", name="Delete chat: from other").click()
    expect(other.locator("#chats li")).to_have_count(1)
    for page, label, value in ((one, "Seed", "7"), (other, "Top-p", "0.5")):
        button(page, "Settings").click()
        page.get_by_label(label).fill(value)
        page.get_by_label(label).press("Tab")
    one.reload()
    kept = one.evaluate("JSON.parse(localStorage['invar.settings'])")
    assert (kept["seed"], kept["topP"]) == (7, 0.5), kept


def check_tabs_in_the_same_chat(context, server):
    one = open_page(context, server)
    asked(one, "together")
    other = open_page(context, server)
    go_on = threading.Event()
    server.script = ["slow", go_on, " answer"]
    ask(one, "and one")
    expect(other.locator("article")).to_have_count(3)  # while one waits for its answer
    server.script = ["quick answer"]
    asked(other, "and other")
    go_on.set()
    idle(one)
    chats = one.evaluate(STORED_CHATS)
    both = sorted(chat[-1] for chat in chats)
    assert both == ["quick answer", "slow answer"], chats


def check_an_edit_can_be_cancelled(context, server):
    page = open_page(context, server)
    asked(page, "first")
    asked(page, "second")
    stored = page.evaluate(STORED_CHATS)
    page.locator("#input").fill("a draft")
    for cancel in (lambda: page.keyboard.press("Escape"), button(page, "Cancel edit").click):
        button(page, "Edit").first.click()
        expect(page.locator("#input")).to_have_value("first")
        expect(page.locator("article.replaced")).to_have_count(4)
        assert page.evaluate(STORED_CHATS) == stored
        cancel()
        expect(page.locator("#input")).to_have_value("a draft")
        expect(page.locator("article.replaced")).to_have_count(0)
        expect_in_input(page)
    button(page, "Edit").first.click()
    ask(page, "changed")
    expect(page.locator("#input")).to_have_value("a draft")
    idle(page)
    assert texts(page) == ["changed", "An answer."], texts(page)
    button(page, "Edit").first.click()
    page.reload()
    assert texts(page) == ["changed", "An answer."], texts(page)


def check_a_failed_retry_keeps_the_answer(context, server):
    page = open_page(context, server)
    asked(page, "question")
    server.script = [Cut]
    button(page, "Retry").click()
    expect(page.locator("article .wrong")).not_to_be_empty()
    page.reload()
    assert texts(page) == ["question", "An answer."], texts(page)


def check_full_storage_is_told(context, server):
    page = open_page(context, server)
    notice = page.locator("#notice[role=status]")
    expect(notice).to_be_empty()
    page.evaluate("""() => {
      let size = 1 << 22;
      for (let i = 0; size >= 1; i += 1) {
        try { localStorage.setItem(`fill${i}`, "x".repeat(size)); } catch { size >>= 1; }
      }
    }""")
    asked(page, "not kept")
    expect(notice).to_contain_text("chats are lost")
    asked(page, "goes on")
    assert texts(page)[-2:] == ["goes on", "An answer."]
    page.evaluate("localStorage.removeItem('fill0')")
    asked(page, "kept again")
    expect(notice).to_be_empty()
    page.reload()
    assert len(texts(page)) == 6


def check_it_connects_again(context, server):
    server.has_models = False
    page = open_page(context, server)
    expect(page.locator("#model")).to_contain_text("not connected: not yet")
    asked(page, "without a model")  # the one that is served answers
    assert "model" not in server.requests[-1], server.requests[-1]
    server.has_models = True
    expect(page.locator("#model")).to_have_text("scripted", timeout=20_000)
    asked(page, "with it")
    assert server.requests[-1]["model"] == "scripted"


def check_the_focus_stays(context, server):
    page = open_page(context, server)
    server.script = ["begun", threading.Event()]
    ask(page, "stop by keyboard")
    expect(page.locator("article.assistant .text")).to_have_text("begun")
    page.locator("#stop").focus()
    page.keyboard.press("Enter")
    idle(page)
    expect_in_input(page)
    server.script = ["An ", "answer."]
    button(page, "Retry").focus()
    page.keyboard.press("Enter")
    idle(page)
    expect_in_input(page)
    page.locator("#input").fill("by click")
    page.locator("#send").focus()
    page.keyboard.press("Enter")
    idle(page)
    expect_in_input(page)
    button(page, "New chat").first.click()
    page.get_by_role("button", name="Delete chat: stop by keyboard").focus()
    page.keyboard.press("Enter")
    expect_in_input(page)


def check_a_reload_keeps_what_came(context, server):
    page = open_page(context, server)
    server.script = [threading.Event()]
    ask(page, "unanswered")
    expect(page.locator("#stop")).to_be_visible()
    page.reload()
    assert texts(page) == ["unanswered"]
    server.script = ["half", threading.Event()]
    button(page, "Retry").click()
    expect(page.locator("article.assistant .text")).to_have_text("half")
    page.reload()
    assert texts(page) == ["unanswered", "half"]
    expect(page.locator("article.assistant .notes")).to_contain_text("unfinished")
    server.script = ["whole"]
    button(page, "Retry").click()
    idle(page)
    assert texts(page) == ["unanswered", "whole"]
    # What a page that ends without notice has kept: at most a second is missing.
    server.script = ["stored while it streams", threading.Event()]
    button(page, "Retry").click()
    page.wait_for_function(
        "Object.values(localStorage).some((text) => text.includes('stored while'))"
    )


def check_a_broken_connection(context, server):
    page = open_page(context, server)
    server.script = ["some ", "text", 0.1, Cut]
    asked(page, "cut")
    notes = page.locator("article.assistant .notes")
    expect(notes).to_contain_text("2 tokens")
    expect(notes.locator(".wrong")).not_to_be_empty()
    assert "undefined" not in notes.inner_text()
    page.reload()
    assert texts(page) == ["cut", "some text"]


def check_an_empty_number_is_the_default(context, server):
    page = open_page(context, server)
    button(page, "Settings").click()
    for label in ("Temperature", "Tokens at most", "Seed"):
        page.get_by_label(label).fill("")
        page.get_by_label(label).press("Tab")
    for _ in range(2):
        asked(page, "question")
        request = server.requests[-1]
        assert request["top_p"] == 0.9, request
        assert not {"temperature", "max_tokens", "seed"} & set(request), request
        page.reload()


def check_bad_entries_do_no_harm(context, server):
    page = open_page(context, server)
    good = {"role": "user", "content": "good"}
    note = {"role": "assistant", "content": "answer", "seconds": 2, "firstSeconds": "x"}
    entries = {
        "invar.chats": [None, 7, {"id": 3}, {"id": "1-old", "messages": [good]}],
        "invar.chat.1-a": [None],
        "invar.chat.1-b": {"messages": [None, {"role": "user", "content": 7}]},
        "invar.chat.1-c": {"messages": [good, {"role": "robot", "content": ""}, note]},
        "invar.settings": {"temperature": "hot", "seed": -1, "system": 5, "topP": 0.5},
    }
    page.evaluate("(all) => { for (const key in all) localStorage[key] = all[key]; }",
                  {key: json.dumps(value) for key, value in entries.items()} |
                  {"invar.chat.1-d": "{"})
    page.reload()
    has_titles(page, ["good", "good"])
    assert page.evaluate("localStorage['invar.chats']") is None
    asked(page, "goes on")
    request = server.requests[-1]
    assert (request["temperature"], request["seed"], request["top_p"]) == (0.2, 0, 0.5), request
    page.evaluate("localStorage['invar.settings'] = 'null'")
    page.reload()
    has_titles(page, ["good", "good"])


def check_text_is_sent_as_it_is(context, server):
    page = open_page(context, server)
    ask(page, " \n ")
    assert server.requests == []
    button(page, "Settings").click()
    for system in (" ", " - be kind"):
        page.get_by_label("System message").fill(system)
        page.get_by_label("System message").press("Tab")
        asked(page, "  indented:\n    code\n")
    before, after = (request["messages"] for request in server.requests)
    assert [message["role"] for message in before] == ["user"]
    assert after[0] == {"role": "system", "content": " - be kind"}
    assert after[-1] == {"role": "user", "content": "  indented:\n    code\n"}


def check_narrow_list_shows_whole_chats(context, server):
    page = open_page(context, server)
    page.set_viewport_size({"width": 360, "height": 640})
    for number in range(6):
        asked(page, f"chat {number}, whose title is rather long for a narrow page")
        button(page, "New chat").first.click()
    for scroll in (0, 50, 1000):
        page.evaluate(
            """(by) => document.querySelectorAll("nav, #chats").forEach((each) => {
              each.scrollTop = by;
            })""",
            scroll,
        )
        page.wait_for_timeout(100)
        cut = page.evaluate("""() => {
          const rectangle = (node) => node.getBoundingClientRect();
          const around = ["nav", "#chats"].map((each) => rectangle(document.querySelector(each)));
          const begin = Math.max(...around.map(({ top }) => top));
          const end = Math.min(...around.map(({ bottom }) => bottom));
          return [...document.querySelectorAll("#chats li")].map(rectangle).filter((item) =>
            Math.min(item.bottom, end) - Math.max(item.top, begin) > 1 &&
            (item.top < begin - 1 || item.bottom > end + 1)).length;
        }""")
        assert cut == 0, f"{cut} chats are cut, scrolled by {scroll}"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


# Where time grows with the square of the text, each takes many seconds; the last has too many
# nodes for one call.
LONG_TEXTS = """() => ({
  backticks: Array.from({length: 600}, (_, i) => "`".repeat(i + 1)).join(" "),
  strong: "**a ".repeat(100000),
  brackets: "[".repeat(200000) + "](https://" + "a".repeat(100000),
  heading: "# x" + " ".repeat(200000) + "x",
  table: "a|b\\n" + "-".repeat(200000) + "x",
  paragraphs: "a\\n\\n".repeat(150000),
})"""


def check_markdown_takes_linear_time(context, server):
    page = open_page(context, server)
    for name, milliseconds in page.evaluate(
        """async () => {
          const { render } = await import("/markdown.js");
          return Object.entries((%s)()).map(([name, text]) => {
            const begin = performance.now();
            render(text);
            return [name, performance.now() - begin];
          });
        }""" % LONG_TEXTS
    ):
        assert milliseconds < 5000, f"{name}: {milliseconds:.0f} ms"


def check_a_long_answer_is_drawn_seldom(context, server):
    page = open_page(context, server)
    page.evaluate("""() => {
      window.drawn = [];
      new MutationObserver(() => window.drawn.push(performance.now()))
        .observe(document.querySelector("#messages"), {childList: true});
    }""")
    server.script = ["word " * 4000] + ["more ", 0.01] * 200
    asked(page, "long")
    assert texts(page)[1].endswith("more")
    drawn = page.evaluate("window.drawn")
    assert len(drawn) > 5, drawn
    early = [after - before for before, after in zip(drawn, drawn[1:]) if after - before < 90]
    assert len(early) <= 2, f"at the begin and the end alone, found {early}"


def check_inline_marks(context, server):
    page = open_page(context, server)
    cases = {
        "a `` b ` c `` d": "a <code>b ` c</code> d",
        "```` open `x`": "```` open <code>x</code>",
        "***both***": "*<strong>both</strong>*",
        "** a ** and *b * c*": "** a ** and *b * c*",
        "**a *b* c** ~~d~~ ~e~ ~~~": "<strong>a <em>b</em> c</strong> <del>d</del> ~e~ ~~~",
        "[a *b*](https://c.d) [e](f:g) [h": '<a href="https://c.d" rel="noopener noreferrer" '
        'target="_blank">a <em>b</em></a> [e](f:g) [h',
        "`*a*` * b": "<code>*a*</code> * b",
    }
    for text, html in cases.items():
        found = page.evaluate("""async (text) => {
          const { render } = await import("/markdown.js");
          const div = document.createElement("div");
          div.append(render(text));
          return div.innerHTML;
        }""", "x " + text)
        assert found == f"<p>x {html}</p>", f"{text}: {found}"
    heading = page.evaluate("""async () => {
      const { render } = await import("/markdown.js");
      return render("## A # b ##\\n\\na|b\\n-|-\\n1|2").textContent;
    }""")
    assert heading == "A # bab12", heading


CHECKS = [check for name, check in list(globals().items()) if name.startswith("check_")]


def run(names):
    chosen = [check for check in CHECKS if not names or check.__name__ in names]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for check in chosen:
            with contextlib.closing(browser.new_context()) as context:
                context.set_default_timeout(20_000)
                check(context, ScriptedServer())
            assert page_errors == [], page_errors
            print(f"{check.__name__}: ok", flush=True)
        browser.close()
    print(f"{len(chosen)} passed, 0 failed")


if __name__ == "__main__":
    expect.set_options(timeout=20_000)
    run(sys.argv[1:])
