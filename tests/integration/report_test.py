"""The page of `kernel-gen report` in a real browser: sorted by a click, filtered by typing, two packages side by side."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TOOL = sys.argv[1]
SHOT = sys.argv[2] if len(sys.argv) > 2 else ""
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
if not BROWSER or not DRIVER:
    print("chromium and chromium-driver are not installed")
    sys.exit(77)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """A session of chromedriver, by the protocol of https://www.w3.org/TR/webdriver2/."""

    def __init__(self, profile, dark):
        self.driver = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(line.rsplit(" ", 1)[1].rstrip(".\n") for line in self.driver.stdout if "successfully on port" in line)
        self.address = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     f"--user-data-dir={profile}", "--window-size=1300,1500"]
        options = {"binary": BROWSER, "args": arguments}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.address += "/" + self.ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": [scheme]}})

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path} {body}: {json.load(error)['value']['message']}") from error

    def open(self, page):
        self.ask("POST", "/url", {"url": "file://" + page})

    def find(self, css):
        return "/element/" + self.ask("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        self.ask("POST", self.find(css) + "/click", {})

    def type(self, css, text):
        self.ask("POST", self.find(css) + "/clear", {})
        self.ask("POST", self.find(css) + "/value", {"text": text})

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def column(self, name):
        """The cells of a column as they stand on the page."""
        return self.run(f"""const i = [...document.querySelectorAll('th')].findIndex(h => h.textContent === '{name}');
                            return [...document.querySelectorAll('#rows tr')].map(r => r.children[i].textContent)""")

    def head(self):
        return self.run("return [...document.querySelectorAll('th')].map(h => h.textContent)")

    def complaints(self):
        return self.ask("POST", "/se/log", {"type": "browser"})

    def shot(self, name):
        if SHOT:
            with open(os.path.join(SHOT, name), "wb") as file:
                file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        try:
            self.ask("DELETE", "")
        except urllib.error.URLError:
            pass
        self.driver.terminate()
        self.driver.wait()


def header(name):
    """The button in the head of a column."""
    names = ["kernel", "module", "target", "size"]
    return f"th:nth-child({names.index(name) + 1}) button"


def numbers(cells):
    return [int(cell.replace("\u2009", "").replace(" ", "").replace("\u202f", "")) for cell in cells]


def check(browser, one, both, grown):
    browser.open(one)
    kernels, sizes = browser.column("kernel"), numbers(browser.column("size"))
    assert len(kernels) > 20 and sizes == sorted(sizes, reverse=True), sizes
    browser.click(header("size"))
    assert numbers(browser.column("size")) == sorted(sizes)
    assert browser.run("return document.querySelector('[aria-sort]').ariaSort") == "ascending"
    titles = browser.run("return [...document.querySelectorAll('th button')].map(b => b.title)")
    assert len(titles) == len(browser.head()) and all(titles), titles
    browser.click(header("kernel"))
    assert browser.column("kernel") == sorted(kernels)
    browser.click(header("kernel"))
    assert browser.column("kernel") == sorted(kernels, reverse=True)

    browser.type("#filter", "EXP gfx942 f32")
    assert set(browser.column("kernel")) == {"kg_exp_f32", "kg_exp_f32_strided"}, browser.column("kernel")
    assert set(browser.column("target")) == {"gfx942"}
    assert browser.run("return document.getElementById('count').textContent").startswith("2 of ")
    browser.type("#filter", "nothing of that name")
    assert browser.column("kernel") == []
    browser.type("#filter", "")
    browser.click("#bars g")
    assert set(browser.column("module")) == {"unary"}
    bars = browser.run("return [...document.querySelectorAll('#bars rect title')].map(t => t.textContent)")
    assert any(bar.startswith("unary, gfx942: ") for bar in bars), bars
    # The compiles were made a moment ago, so that it is known how long they took.
    seconds = browser.run("return [...document.querySelectorAll('#rows tr')].map(r => r.lastChild.textContent)")
    assert browser.head()[-1] == "seconds" and all(float(cell) > 0 for cell in seconds), seconds
    browser.click("#measures button:last-child")
    bars = browser.run("return [...document.querySelectorAll('#bars rect title')].map(t => t.textContent)")
    assert all(bar.endswith(" s") for bar in bars), bars
    browser.shot("one.png")

    browser.open(both)
    everything = browser.run("return document.querySelectorAll('#rows tr').length")
    browser.click("#changed")
    left = browser.column("kernel")
    assert 0 < len(left) < everything and not any("exp" in kernel for kernel in left), left
    # A kernel that only the second package has is crossed out: the first does not.
    gone = browser.run("return [...document.querySelectorAll('tr.gone td:first-child')].map(c => c.textContent)")
    assert gone and all(kernel.startswith("kg_neg_") for kernel in gone), gone
    new = browser.run("return [...document.querySelectorAll('tr.new td:first-child')].map(c => c.textContent)")
    assert new and all(kernel.startswith("kg_sqrt_") for kernel in new), new
    browser.shot("both.png")

    browser.open(grown)
    browser.type("#filter", "kg_exp_f32_strided gfx942")
    cells = browser.run("return [...document.querySelectorAll('#rows td')].map(c => [c.className, c.textContent])")
    size, waves, spills = (cells[browser.head().index(name)] for name in ("size", "waves", "spills"))
    assert size[0] == "better" and numbers([size[1]])[0] > 10_000, size  # its own figure, then the larger one
    assert waves == ["worse", "89"] and spills == ["", "0"], (waves, spills)

    # Several modules of a library may have a kernel of the same name.
    browser.type("#filter", "kg_sqrt_f32_strided gfx942")
    assert sorted(browser.column("module")) == ["twin", "unary"], browser.column("module")

    # A phone: the page itself does not scroll sideways.
    browser.ask("POST", "/window/rect", {"width": 500, "height": 900})
    browser.open(both)
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    browser.shot("phone.png")
    wrong = [line for line in browser.complaints() if line["level"] != "INFO"]
    assert not wrong, wrong


def grow(page, other):
    """The page as if the second package's exp were longer and ran in more waves, and the first had each kernel of sqrt twice."""
    text = open(page, encoding="utf-8").read()
    start = text.index('type="application/json">') + len('type="application/json">')
    end = text.index("</script>", start)
    data = json.loads(text[start:end])
    module, size, waves = (data["columns"].index(name) for name in ("module", "size", "waves"))
    first = data["packages"][0]["rows"]
    first += [row[:module] + ["twin"] + row[module + 1:] for row in first if row[0].startswith("kg_sqrt")]
    for row in data["packages"][1]["rows"]:
        if row[0].startswith("kg_exp_f32"):
            row[size] += 5000
            row[waves] += 1
    with open(other, "w", encoding="utf-8") as file:
        file.write(text[:start] + json.dumps(data) + text[end:])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["KERNELGEN_CACHE"] = f"{folder}/cache"
        for name, operations, targets in (("a", "exp,sqrt", "gfx942,gfx1100"), ("b", "exp,neg", "gfx942,gfx1100")):
            subprocess.run([TOOL, "build", "--target", targets, "--only", "op=" + operations, "--out", f"{folder}/{name}"],
                           check=True, stdout=subprocess.DEVNULL)
        subprocess.run([TOOL, "report", f"{folder}/a", "--out", f"{folder}/one.html"], check=True)
        subprocess.run([TOOL, "report", f"{folder}/a", f"{folder}/b", "--out", f"{folder}/both.html"], check=True)
        page = open(f"{folder}/one.html", encoding="utf-8").read()
        assert "http:" not in page.replace("http://www.w3.org/2000/svg", "") and "https:" not in page, "the page asks the network"
        grow(f"{folder}/both.html", f"{folder}/grown.html")
        for dark in (False, True):
            browser = Browser(f"{folder}/profile{dark}", dark)
            try:
                check(browser, f"{folder}/one.html", f"{folder}/both.html", f"{folder}/grown.html")
                back = browser.run("return getComputedStyle(document.body).backgroundColor")
                assert dark == (back == "rgb(17, 17, 19)"), back
            finally:
                browser.close()


main()
