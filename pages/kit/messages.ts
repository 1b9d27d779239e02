// What a page tells a person about what they did, in its `#message`.

import { byId, element } from "./elements.ts";

/** Shows a message; an empty one clears the last. */
export function say(text: string, isBad = false): void {
  const message = byId("message");
  message.textContent = text;
  message.className = isBad ? "bad" : "";
}

/** Runs what a person started, and shows why it failed. */
export function attempt(work: () => unknown): Promise<void> {
  say("");
  return orSay(work);
}

/** The same for work that a person did not start: the last message stays. */
export async function orSay(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error), true);
  }
}

/** A button that runs `work`; `about` tells it from others of the same text. */
export function button(text: string, about: string, work: () => unknown): HTMLButtonElement {
  const made = element("button", text);
  made.type = "button";
  if (about !== "") made.setAttribute("aria-label", `${text}: ${about}`);
  made.addEventListener("click", () => attempt(work));
  return made;
}

/** Runs `work` instead of sending a form. */
export function onSubmit(form: HTMLFormElement, work: () => unknown): void {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(work);
  });
}
