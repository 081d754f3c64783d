"""Drives the chat page in a real browser: streaming, stop, retry, edit, several chats, markdown,
settings, keyboard, light and dark. usage: chat_page.py INVAR MODEL [SCREENSHOT_FOLDER]
Exit status 77 (skipped) where playwright, /usr/bin/chromium or MODEL is missing."""

import os
import re
import subprocess
import sys

from browser import CHROMIUM, expect, sync_playwright

if len(sys.argv) > 2 and not os.path.exists(sys.argv[2]):
    print(f"skipped: {sys.argv[2]} is missing (tools/get_model.sh fetches the default model)")
    sys.exit(77)


def wait_idle(page):
    expect(page.locator("#send")).to_be_visible(timeout=120_000)


def ask(page, text):
    page.locator("#input").fill(text)
    page.keyboard.press("Enter")


# Notes each length that the answer has had, and whether the stop button was seen: looking from
# outside would be too slow for a quick model.
WATCH_ANSWER = """() => {
  window.lengths = new Set();
  window.stopSeen = false;
  new MutationObserver(() => {
    const texts = document.querySelectorAll("article.assistant .text");
    if (texts.length) window.lengths.add(texts[texts.length - 1].innerText.length);
    window.stopSeen ||= document.querySelector("#stop").offsetParent !== null;
  }).observe(document.body, {subtree: true, childList: true, characterData: true,
                             attributes: true});
}"""


def check_streaming(page):
    page.evaluate(WATCH_ANSWER)
    ask(page, "Why is the sky blue?")
    answer = page.locator("article.assistant .text")
    expect(answer).not_to_be_empty(timeout=60_000)
    wait_idle(page)
    assert page.evaluate("window.lengths.size") > 3, "the answer did not grow while it streamed"
    assert page.evaluate("window.stopSeen"), "no stop button while it streamed"
    assert re.search(
        r"first token after \d+\.\d\d s, \d+ tokens",
        page.locator("article.assistant .notes").inner_text(),
    )


def check_same_seed_same_answer(page):
    first = page.locator("article.assistant .text").inner_text()
    page.get_by_role("button", name="Retry").click()
    wait_idle(page)
    assert (
        page.locator("article.assistant .text").inner_text() == first
    ), "retry with the same seed gave another answer"


def check_stop(page):
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Tokens at most").fill("2000")
    page.get_by_label("Tokens at most").press("Tab")
    page.get_by_role("button", name="Settings").click()
    ask(page, "Write a very long story about a ship.")
    expect(page.locator("article.assistant .text").last).not_to_be_empty(timeout=60_000)
    page.locator("#stop").click()
    wait_idle(page)
    assert "stopped" in page.locator("article.assistant .notes").last.inner_text()


def check_edit(page):
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("Tokens at most").fill("16")
    page.get_by_label("Tokens at most").press("Tab")
    page.get_by_role("button", name="Edit", exact=True).first.click()
    assert page.locator("#input").input_value() == "Why is the sky blue?"
    assert page.locator("article").count() == 4
    ask(page, "Why is grass green?")
    wait_idle(page)
    assert page.locator("article.user .text").all_inner_texts() == ["Why is grass green?"]


def check_chats(page):
    page.get_by_role("button", name="New chat", exact=True).first.click()
    ask(page, "Hello")
    wait_idle(page)
    page.reload()
    expect(page.locator("#chats li").first).to_contain_text("Hello")
    expect(page.locator("article.user .text")).to_have_text("Hello")


def check_markdown(page):
    html = page.evaluate("""async () => {
      const { render } = await import('/markdown.js');
      const div = document.createElement('div');
      div.append(render([
        '# Title\\n\\nA **bold** *word*, `code` and [link](https://example.org).\\n',
        '- one\\n- two\\n\\n```cpp\\nint x = 1 < 2;\\n```\\n',
        '| a | b |\\n|---|---|\\n| 1 | 2 |\\n',
        '<img src=x onerror=alert(1)> [bad](javascript:alert(1))'].join('\\n')));
      return div.innerHTML;
    }""")
    for part in (
        "<h3>Title</h3>",
        "<strong>bold</strong>",
        "<em>word</em>",
        "<code>code</code>",
        'href="https://example.org"',
        "<li>one</li>",
        "int x = 1 &lt; 2;",
        "<td>2</td>",
        "&lt;img src=x",
    ):
        assert part in html, f"{part} is not in {html}"
    assert "<img" not in html and 'href="javascript' not in html, html


def check_accessible_names(page):
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('button, input, textarea')].filter((node) =>
      !(node.textContent.trim() || node.getAttribute('aria-label') ||
        node.labels?.length)).map((node) => node.outerHTML)"""
    )
    assert unnamed == [], unnamed


def run(invar, model, folder):
    server = subprocess.Popen(
        [invar, "serve", model, "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    try:
        address = server.stdout.readline().split()[-1]
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1100, "height": 760})
            wrong = []
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on(
                "console",
                lambda message: wrong.append(message.text) if message.type == "error" else None,
            )
            page.goto(address)
            expect(page.locator("#model")).not_to_contain_text("connect", timeout=30_000)
            page.evaluate(
                "localStorage.setItem('invar.settings', JSON.stringify({ maxTokens: 96 }))"
            )
            page.reload()
            for check in (
                check_streaming,
                check_same_seed_same_answer,
                check_markdown,
                check_accessible_names,
            ):
                check(page)
                print(f"{check.__name__}: ok", flush=True)
            if folder:
                page.screenshot(path=f"{folder}/light.png")
                page.emulate_media(color_scheme="dark")
                page.screenshot(path=f"{folder}/dark.png")
                page.set_viewport_size({"width": 400, "height": 760})
                page.screenshot(path=f"{folder}/narrow.png")
                page.set_viewport_size({"width": 1100, "height": 760})
            for check in (check_stop, check_edit, check_chats):
                check(page)
                print(f"{check.__name__}: ok", flush=True)
            assert wrong == [], wrong
            browser.close()
    finally:
        server.terminate()
        assert server.wait(timeout=30) == 0, "the server did not end well"


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    print("7 passed, 0 failed")
