// Finding the server, and finding it again after it was away.
import { modelName } from "./api.js";

const kFirstWait = 1000; // milliseconds; doubled at each failure
const kLongestWait = 30000;

export class Connection {
  model = ""; // the name of the model that is served; empty while there is no server
  #settings;
  #show;
  #attempts = 0;
  #wait = kFirstWait;
  #timer = 0;

  // `show(text)` gets the model's name, or what is wrong.
  constructor(settings, show) {
    this.#settings = settings;
    this.#show = show;
  }

  // Asks for the model; after a failure asks again, by itself, until it succeeds.
  async connect() {
    clearTimeout(this.#timer);
    this.#attempts += 1;
    const attempt = this.#attempts;
    let model = "";
    let wrong = "";
    try {
      model = await modelName(this.#settings);
    } catch (error) {
      wrong = error.message;
    }
    if (attempt !== this.#attempts) {
      return; // a later one knows better
    }
    this.model = model;
    if (model) {
      this.#wait = kFirstWait;
      this.#show(model);
      return;
    }
    this.#show(`not connected: ${wrong}`);
    this.#timer = setTimeout(() => this.connect(), this.#wait);
    this.#wait = Math.min(2 * this.#wait, kLongestWait);
  }
}
