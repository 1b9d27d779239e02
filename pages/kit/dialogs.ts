// Questions to a person, in the page's `#sure`.

import { byId, element } from "./elements.ts";

/** Asks a person; gives the value of the answer that was chosen, empty for none. */
export function choose(
  title: string,
  text: string,
  answers: readonly (readonly [value: string, text: string])[],
): Promise<string> {
  byId("sure-title").textContent = title;
  byId("sure-text").textContent = text;
  byId("sure-text").hidden = text === "";
  const buttons = answers.map(([value, words]) => {
    const made = element("button", words);
    made.value = value;
    return made;
  });
  byId("answers").replaceChildren(...buttons);
  return shown(byId<HTMLDialogElement>("sure"));
}

/** Shows a dialog until it is closed; gives the value of the button that closed it. */
export function shown(dialog: HTMLDialogElement): Promise<string> {
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true });
  });
}
