// Questions to a person, in dialogs that the browser keeps the focus in.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "./messages.ts";
import { inQuery, setInQuery } from "./router.ts";
import { messageOf, orSay, say } from "./toasts.tsx";

interface Opened {
  readonly title: string;
  readonly isWide: boolean;
  readonly inside: ComponentChildren;
  readonly close: () => void;
}

const opened = signal<readonly Opened[]>([]);

/**
 * Opens a dialog; `inside` is given a function that closes it with an answer. Resolves to that, or to `undefined` where
 * the person closed it otherwise, or `signal` aborted.
 */
export function openDialog<T>(
  title: string,
  inside: (close: (answer?: T) => void) => ComponentChildren,
  { isWide = false, signal }: { readonly isWide?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const close = (answer?: T) => {
      opened.value = opened.value.filter((each) => each !== own);
      resolve(answer);
    };
    const own: Opened = { title, isWide, inside: inside(close), close: () => close() };
    if (signal?.aborted) return resolve(undefined);
    signal?.addEventListener("abort", own.close, { once: true });
    opened.value = [...opened.value, own];
  });
}

/**
 * Opens a dialog while the address names something by `name`, and takes that out of the address when the dialog is closed; so a
 * dialog has an address of its own. It waits until the view `isReady`.
 */
export function useLinkedDialog(
  name: string,
  open: (id: string, signal: AbortSignal) => unknown,
  isReady = true,
): (id: string) => void {
  const id = inQuery(name);
  const latest = useRef(open);
  latest.current = open;
  useEffect(() => {
    if (id === "" || !isReady) return undefined;
    const own = new AbortController();
    void orSay(() => latest.current(id, own.signal)).then(() => {
      if (!own.signal.aborted) setInQuery({ [name]: "" });
    });
    return () => own.abort();
  }, [name, id, isReady]);
  return (other) => setInQuery({ [name]: other });
}

/** Something a person may choose. */
export interface Choice {
  readonly value: string;
  readonly text: string;
  readonly look?: "main" | "danger";
}

/** Asks a person; gives the value of what was chosen, empty for none. */
export async function choose(title: string, text: string, choices: readonly Choice[]): Promise<string> {
  const answer = await openDialog<string>(title, (close) => (
    <div class="stack">
      {text !== "" && <p>{text}</p>}
      <div class="tools">
        {choices.map(({ value, text, look = "" }) => (
          <button
            key={value}
            type="button"
            class={look === "danger" ? "main danger" : look}
            onClick={() => close(value)}
          >
            {text}
          </button>
        ))}
      </div>
    </div>
  ));
  return answer ?? "";
}

/** Asks before something is destroyed; runs `work` where the person agrees, and shows why it failed. */
export async function confirmed(
  { title, text = "", yes, no = t("kit.cancel") }: { title: string; text?: string; yes: string; no?: string },
  work: () => unknown,
): Promise<void> {
  const answer = await choose(title, text, [
    { value: "", text: no },
    { value: "yes", text: yes, look: "danger" },
  ]);
  if (answer !== "yes") return;
  try {
    await work();
  } catch (error) {
    say(messageOf(error), true);
  }
}

/** Where dialogs appear; each page has one. */
export function Dialogs() {
  return opened.value.map((each) => <Modal key={each.title} {...each} />);
}

function Modal({ title, isWide, inside, close }: Opened) {
  const dialog = useRef<HTMLDialogElement>(null);
  const name = useId();
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={name} class={isWide ? "wide" : ""} onClose={close}>
      <div class="stack">
        <h2 id={name}>{title}</h2>
        {inside}
      </div>
    </dialog>
  );
}
