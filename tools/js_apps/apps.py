"""The npm package as users meet it: packed, checked, installed, built into applications, opened in Chromium.

The gateway's page is opened, too, and axe-core looks for what people with a screen reader or a keyboard lack.

    python tools/js_apps/apps.py [FOLDER]

Everything happens in FOLDER (default: build/js_apps), whose node_modules are kept for the next run. Needs
npm with its registry, Node and Chromium.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

import sizes

from stage import chromium, gateway

if TYPE_CHECKING:
    from collections.abc import Iterator

TSCONFIG = {
    "compilerOptions": {
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "noUncheckedIndexedAccess": True,
        "module": "nodenext",
        "target": "es2022",
        "lib": ["es2023", "dom", "dom.iterable"],
        "noEmit": True,
        "skipLibCheck": False,
        "types": [],
    },
    "files": ["typing.ts"],
}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a command; stop with its output if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd, capture_output=True, text=True, check=False, env=os.environ | environment,
    )  # fmt: skip
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def pack(folder: Path) -> Path:
    """Pack the package as npm would publish it."""
    for old in folder.glob("*.tgz"):
        old.unlink()
    run("npm", "pack", "--pack-destination", folder, cwd=ROOT / "js")
    (tarball,) = folder.glob("*.tgz")
    return tarball


def install(folder: Path, tarball: Path) -> None:
    """Install the tools, then the package from its tarball."""
    shutil.copy(HERE / "package.json", folder)
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
    run("npm", "install", *quiet, cwd=folder)
    shutil.rmtree(folder / "node_modules" / "midstream-json", ignore_errors=True)
    run("npm", "install", "--no-save", *quiet, tarball, cwd=folder)


def check(folder: Path, tarball: Path) -> None:
    """Lint the package, and compile the typing test against it."""
    tools = folder / "node_modules" / ".bin"
    print(run(tools / "publint", "run", "--strict", tarball, cwd=folder).strip().splitlines()[-1])
    run(tools / "attw", "--profile", "esm-only", tarball, cwd=folder)
    print("attw: no problems")
    shutil.copy(ROOT / "tests" / "js" / "typing.ts", folder)
    (folder / "tsconfig.json").write_text(json.dumps(TSCONFIG))
    run(tools / "tsc", "--project", folder, cwd=folder)
    broken = (folder / "typing.ts").read_text().replace("// @ts-expect-error", "// expected:")
    expected = (folder / "typing.ts").read_text().count("// @ts-expect-error")
    (folder / "typing.ts").write_text(broken)
    failed = subprocess.run(
        [tools / "tsc", "--project", folder], cwd=folder, capture_output=True, text=True, check=False
    )
    found = len(re.findall(r"error TS", failed.stdout))
    if found != expected:
        sys.exit(f"the typing test expects {expected} errors, and tsc found {found}:\n{failed.stdout}")
    print(f"tsc --strict: the typing test compiles, and its {expected} errors are errors")


@contextlib.contextmanager
def preview(application: Path, folder: Path, url: str) -> Iterator[str]:
    """Build an application with Vite, and serve it with requests to /api passed on to the gateway."""
    vite = folder / "node_modules" / ".bin" / "vite"
    run(vite, "build", cwd=application)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [str(vite), "preview", "--host", "127.0.0.1", "--port", str(port), "--strictPort"]
    process = subprocess.Popen(
        command, cwd=application, env=os.environ | {"GATEWAY": url}, stdout=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    sys.exit("vite preview did not start")
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(10)


def applications(folder: Path) -> Iterator[tuple[str, Path]]:
    """Copy the example applications."""
    apps = folder / "apps"
    shutil.rmtree(apps, ignore_errors=True)
    for name in SHOWN:
        ignored = shutil.ignore_patterns("dist", "node_modules")
        shutil.copytree(ROOT / "examples" / name, apps / name, ignore=ignored)
        yield name, apps / name


# what each application must show when its stream is over
SHOWN: dict[str, Any] = {
    "vite_app": ("#calls", ["plan_weekend", "Restaurant", "89.5", "complete"]),
    "svelte_app": ("main", ["complete", "Zürich in May", "Lindenhof", "11 km", "Tram 4"]),
    "react_app": ("#app", ["complete", "Zürich in May"]),
}


def watch(page: Any, complaints: list[str]) -> None:
    """Collect what the console and exceptions say, but for the icon that the smallest page has not."""

    def note(message: Any) -> None:
        if message.type == "error" and "favicon" not in message.location.get("url", ""):
            complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))


def open_applications(folder: Path) -> None:
    """Build every application, open it, and wait for what it must show."""
    with gateway() as stage, chromium() as browser:
        for name, application in applications(folder):
            with preview(application, folder, stage.url.rstrip("/")) as url:
                page = browser.new_page(viewport={"width": 800, "height": 900})
                complaints: list[str] = []
                watch(page, complaints)
                page.goto(url)
                selector, parts = SHOWN[name]
                page.wait_for_function(
                    "([selector, text]) => document.querySelector(selector)?.textContent.includes(text)",
                    arg=[selector, "complete"],
                )
                text = page.locator(selector).inner_text()
                missing = [part for part in parts if part not in text]
                page.screenshot(path=folder / f"{name}.png")
                page.close()
            if missing or complaints:
                sys.exit(f"{name}: {missing} is missing, {complaints} was complained about:\n{text}")
            print(f"{name}: built, opened, complete")


# how the gateway's page is opened, and where it shows something: before, in the middle of and after a stream
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1200, "height": 900}},
    "dark": {"viewport": {"width": 1200, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
PLACES = {
    "#start=no": "idle", "#recording=trip&pace=20": "streaming", "#recording=cut&pace=0": "ended",
    "#recording=invalid&pace=0": "ended", "#recording=report&pace=0": "ended", "web/docs.html": "",
}  # fmt: skip
# the name of an item in a tree is that of its row, without the items in it
AXE = "axe.run({ rules: { 'label-content-name-mismatch': { enabled: false } } })"


def check_accessibility(folder: Path) -> None:
    """Check the gateway's page with axe-core, on every screen."""
    axe = (folder / "node_modules" / "axe-core" / "axe.min.js").read_text()
    found = []
    with gateway() as stage, chromium() as browser:
        for screen, options in SCREENS.items():
            for place, state in PLACES.items():
                context = browser.new_context(**options, bypass_csp=True)
                page = context.new_page()
                page.goto(stage.url + place)
                if state:
                    page.locator(f"#status[data-state={state}]").wait_for()
                page.evaluate(axe)
                problems = page.evaluate(AXE)["violations"]
                found += [f"{screen} {place}: {each['id']}: {each['nodes'][0]['html']}" for each in problems]
                context.close()
    if found:
        sys.exit("\n".join(["axe-core found problems:", *found]))
    print(f"axe-core: no problems on {len(SCREENS)} screens in {len(PLACES)} states")


def main() -> None:
    """Do everything, and stop at the first problem."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "js_apps").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing")
    tarball = pack(folder)
    install(folder, tarball)
    check(folder, tarball)
    sizes.main(folder, docs=False)
    open_applications(folder)
    check_accessibility(folder)


if __name__ == "__main__":
    main()
