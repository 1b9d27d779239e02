// Short messages about actions of the user, at the edge of the page.

import { signal } from "@preact/signals";
import { Icon } from "./icons.tsx";
import { t } from "./messages.ts";

interface Toast {
  readonly text: string;
  readonly isBad: boolean;
}

const toast = signal<Toast | undefined>(undefined);

/** Milliseconds for which a success message is shown. An error stays until the next message or view. */
const shownFor = 10_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message, replacing the previous one. An empty text removes it. */
export function say(text: string, isBad = false): void {
  clearTimeout(timer);
  toast.value = text === "" ? undefined : { text, isBad };
  if (text !== "" && !isBad) timer = setTimeout(() => say(""), shownFor);
}

/** Removes the message of a failure, which belongs to the view in which it happened. */
export function sayNoFailure(): void {
  if (toast.value?.isBad) say("");
}

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Runs an action of the user and shows an error if it fails. */
export function attempt(work: () => unknown): Promise<void> {
  say("");
  return orSay(work);
}

/** Like `attempt`, for work that the user did not start: the previous message stays. */
export async function orSay(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(messageOf(error), true);
  }
}

/** The container of messages; each page has one. */
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
