/** Following the growing edge of the output, until the user scrolls away from it. */

// how much of the window stays free below the edge
const MARGIN = 0.15;
// how long after a key, a touch or a button a scroll counts as the user's, in milliseconds
const ACTION = 1000;

export class Follower {
  #output;
  #button;
  #isOn = false;
  #isRunning = false;
  // where the page was scrolled to last, by us or the user
  #top = 0;
  // when the user last touched something
  #acted = -Infinity;

  constructor(output, button) {
    this.#output = output;
    this.#button = button;
    button.addEventListener("click", () => this.resume());
    addEventListener("scroll", () => this.#onScroll(), { passive: true });
    addEventListener("wheel", (event) => event.deltaY < 0 && scrollY > 0 && this.#leave(), { passive: true });
    for (const kind of ["keydown", "mousedown", "touchstart", "touchmove"]) {
      addEventListener(kind, () => (this.#acted = performance.now()), { passive: true });
    }
    output.addEventListener("focusin", (event) => {
      // reading with the keyboard
      if (event.target.matches("[role=treeitem]")) this.#leave();
    });
  }

  begin() {
    this.#isRunning = true;
    this.#isOn = true;
    // what began the stream scrolls nothing
    this.#acted = -Infinity;
    this.clear();
    this.#show();
  }

  /** Note that the output was emptied: the page may scroll up by itself, which does not end the following. */
  clear() {
    this.#top = 0;
  }

  end() {
    this.follow();
    this.#isRunning = false;
    this.#show();
  }

  /** Follow again. */
  resume() {
    this.#isOn = true;
    this.#show();
    this.follow();
  }

  /** Scroll to the lowest value that is growing, if it is below the window. */
  follow() {
    if (!this.#isOn || !this.#isRunning) return;
    let edges = [...this.#output.querySelectorAll(".here > .row, .text.busy")];
    // nothing grows any more: what came last
    if (edges.length === 0) edges = [...this.#output.querySelectorAll(".row, .text")].slice(-1);
    const bottom = Math.max(...edges.map((edge) => edge.getBoundingClientRect().bottom));
    const limit = innerHeight * (1 - MARGIN);
    if (bottom > limit) scrollBy({ top: bottom - limit, behavior: "instant" });
    this.#top = scrollY;
  }

  #onScroll() {
    // without the user, the page scrolls up when the sizes of values become known and it is shorter for a moment
    const isByUser = performance.now() - this.#acted < ACTION;
    if (scrollY < this.#top - 2 && isByUser) this.#leave();
    this.#top = scrollY;
  }

  #leave() {
    this.#isOn = false;
    this.#show();
  }

  #show() {
    this.#button.hidden = this.#isOn || !this.#isRunning;
    // the browser would scroll, too, when the sizes of values above become known
    document.documentElement.style.overflowAnchor = this.#isOn && this.#isRunning ? "none" : "";
  }
}
