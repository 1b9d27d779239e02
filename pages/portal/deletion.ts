// Deletes records of the portal.

import { confirmed } from "../kit/dialogs.tsx";
import { say } from "../kit/toasts.tsx";
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
