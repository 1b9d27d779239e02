// Short messages about what a person did, at the edge of the page.

import { signal } from "@preact/signals";
import { Icon } from "./icons.tsx";
import { t } from "./messages.ts";

interface Toast {
  readonly text: string;
  readonly isBad: boolean;
}

const toast = signal<Toast | undefined>(undefined);

/** Milliseconds that a message stays of something that went well; a failure stays until something else is said. */
const shownFor = 10_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message in place of the last one; an empty text removes it. */
export function say(text: string, isBad = false): void {
  clearTimeout(timer);
  toast.value = text === "" ? undefined : { text, isBad };
  if (text !== "" && !isBad) timer = setTimeout(() => say(""), shownFor);
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
    say(messageOf(error), true);
  }
}

/** Where messages appear; each page has one. */
export function Toasts() {
  const { text = "", isBad = false } = toast.value ?? {};
  return (
    <div class="toasts">
      <div class={text === "" ? "" : isBad ? "toast bad" : "toast"}>
        <span id="message" role="status">
          {text}
        </span>
        {text !== "" && (
          <button type="button" class="bare" aria-label={t("kit.closeMessage")} onClick={() => say("")}>
            <Icon name="close" />
          </button>
        )}
      </div>
    </div>
  );
}
