// Deleting something of the portal.

import { confirmed } from "../kit/dialogs.tsx";
import { say } from "../kit/toasts.tsx";
import { t } from "./messages.ts";

/** Asks whether what has that name is to be deleted, lets `work` do it, and says that it is done. */
export function confirmDeletion(name: string, text: string, work: () => Promise<unknown>): Promise<void> {
  return confirmed({ title: t("word.deleteNamed", { name }), text, yes: t("word.delete") }, async () => {
    await work();
    say(t("word.deleted"));
  });
}
