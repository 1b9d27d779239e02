// Deletes records of the portal.

import { confirmed } from "../kit/dialogs.tsx";
import { say } from "../kit/toasts.tsx";
import { t } from "./messages.ts";

/** Asks whether to delete the record with that name, calls `work` to delete it, and shows that it was deleted. */
export function confirmDeletion(name: string, text: string, work: () => Promise<unknown>): Promise<void> {
  return confirmed({ title: t("word.deleteNamed", { name }), text, yes: t("word.delete") }, async () => {
    await work();
    say(t("word.deleted"));
  });
}
