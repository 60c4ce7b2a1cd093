/** Following the growing edge of the output, until the user scrolls away from it. */

// how much of the window stays free below the edge
const MARGIN = 0.15;

export class Follower {
  #output;
  #button;
  #isOn = false;
  #isRunning = false;
  // where the page was scrolled to last, by us or the user
  #top = 0;

  constructor(output, button) {
    this.#output = output;
    this.#button = button;
    button.addEventListener("click", () => this.resume());
    addEventListener("scroll", () => this.#onScroll(), { passive: true });
    addEventListener("wheel", (event) => event.deltaY < 0 && scrollY > 0 && this.#leave(), { passive: true });
    output.addEventListener("focusin", (event) => {
      // reading with the keyboard
      if (event.target.matches("[role=treeitem]")) this.#leave();
    });
  }

  begin() {
    this.#isRunning = true;
    this.#isOn = true;
    this.#show();
  }

  end() {
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
    let bottom = -Infinity;
    for (const edge of this.#output.querySelectorAll(".here > .row, .text.busy")) {
      bottom = Math.max(bottom, edge.getBoundingClientRect().bottom);
    }
    const limit = innerHeight * (1 - MARGIN);
    if (bottom > limit) scrollBy({ top: bottom - limit, behavior: "instant" });
    this.#top = scrollY;
  }

  #onScroll() {
    if (scrollY < this.#top - 2) this.#leave();
    this.#top = scrollY;
  }

  #leave() {
    this.#isOn = false;
    this.#show();
  }

  #show() {
    this.#button.hidden = this.#isOn || !this.#isRunning;
  }
}
