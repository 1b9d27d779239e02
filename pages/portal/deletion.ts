// Deletes records of the portal.

import { confirmed } from "../kit/dialogs.tsx";
import { say } from "../kit/toasts.tsx";
import type { askPortal } from "./interface.ts";
import { t } from "./messages.ts";

/**
 * Asks whether to delete the record with that name, calls `work` to delete it, and shows that it was deleted. Then calls
 * `refresh`, also after a failure.
 */
export function confirmDeletion(
  name: string,
  text: string,
  work: () => Promise<unknown>,
  refresh?: () => Promise<void>,
): Promise<void> {
  const question = { title: t("word.deleteNamed", { name }), text, yes: t("word.delete") };
  const remove = async () => {
    await work();
    say(t("word.deleted"));
  };
  return confirmed(question, remove, refresh);
}

/**
 * Deletes a record that a list shows. Rejects if somebody has changed it since the list was read; fields in `except` are
 * not compared.
 */
export async function deleteShown<T extends object>(
  ask: typeof askPortal,
  path: string,
  shown: T,
  except: readonly string[] = [],
): Promise<void> {
  const textOf = (record: T) =>
    JSON.stringify(Object.entries(record).filter(([name]) => !except.includes(name)));
  const newest = await ask<T>("GET", path);
  if (textOf(newest) !== textOf(shown)) throw new Error(t("word.changedInList"));
  await ask("DELETE", path, undefined, newest);
}
