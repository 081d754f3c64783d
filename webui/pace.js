// How often an answer that streams is drawn: once a frame at most, and so seldom that drawing takes
// no more than about a fifth of the time, however long the answer has become.

export class Pace {
  #draw;
  #timer = 0;
  #frame = 0;
  #cost = 0; // milliseconds of the last drawing

  constructor(draw) {
    this.#draw = draw;
  }

  // Draws soon, at the earliest `least` milliseconds from now.
  ask(least) {
    if (this.#timer || this.#frame) {
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        const begin = performance.now();
        this.#draw();
        this.#cost = performance.now() - begin;
      });
    }, Math.max(least, 4 * this.#cost));
  }

  // Forgets what was asked.
  cancel() {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#timer = 0;
    this.#frame = 0;
  }
}
