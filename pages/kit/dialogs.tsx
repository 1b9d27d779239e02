// Modal dialogs, in which the browser keeps the focus.

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
  /** Whether it is closed with the view that opened it. */
  readonly isOfView: boolean;
  readonly close: () => void;
}

const opened = signal<readonly Opened[]>([]);

/**
 * Opens a dialog. `inside` gets a function that closes it with an answer. Resolves with the answer, or with
 * `undefined` if the user closes the dialog in another way, leaves the view, or `signal` aborts. A dialog that `stays`
 * remains open in other views, because it shows something that cannot be shown again.
 */
export function openDialog<T>(
  title: string,
  inside: (close: (answer?: T) => void) => ComponentChildren,
  {
    isWide = false,
    stays = false,
    signal,
  }: { readonly isWide?: boolean; readonly stays?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const close = (answer?: T) => {
      opened.value = opened.value.filter((each) => each !== own);
      resolve(answer);
    };
    // The view that gave the signal closes the dialog itself.
    const isOfView = !stays && signal === undefined;
    const own: Opened = { title, isWide, inside: inside(close), isOfView, close: () => close() };
    if (signal?.aborted) return resolve(undefined);
    signal?.addEventListener("abort", own.close, { once: true });
    opened.value = [...opened.value, own];
  });
}

/** Closes the dialogs of the view, when the user leaves it or the session ends. */
export function closeDialogs(): void {
  for (const { isOfView, close } of opened.value) if (isOfView) close();
}

/**
 * Gives a dialog its own address: opens it while the query of the address has a value for `name`, and removes the
 * value when the dialog is closed. Waits until the view `isReady`.
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

/** An option that the user can choose. */
export interface Choice {
  readonly value: string;
  readonly text: string;
  readonly look?: "main" | "danger";
}

/** Asks the user to choose. Resolves with the chosen value; empty if none was chosen. */
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

/**
 * Asks for confirmation before a destructive action. Runs `work` if the user agrees, and shows an error if it fails.
 * Then runs `refresh`, also after a failure: the view may show what somebody else has deleted.
 */
export async function confirmed(
  { title, text = "", yes, no = t("kit.cancel") }: { title: string; text?: string; yes: string; no?: string },
  work: () => unknown,
  refresh?: () => Promise<void>,
): Promise<void> {
  const card = document.activeElement?.closest(".card");
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
  await refresh?.();
  // The view is rendered before the next task.
  setTimeout(() => keepFocus(card));
}

/** Focuses the heading of a card, or else of the view, if the control with the focus is gone. */
function keepFocus(card: Element | null | undefined): void {
  if (document.activeElement !== document.body) return;
  const heading =
    (card?.isConnected && card.querySelector<HTMLElement>("h2")) || document.getElementById("title");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus();
}

/** The container of dialogs; each page has one. */
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
