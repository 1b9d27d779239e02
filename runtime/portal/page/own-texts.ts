// Pages of text as developers read them.

import { findDocumentOf } from "../documents/documents.ts";
import { shownTexts } from "../documents/texts.ts";
import { operation, type PortalOperation } from "../operation.ts";
import { ownTextSchema } from "./shown-records.ts";

/** What developers who have logged in read. */
export const ownTextOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/texts",
    operationId: "listOwnTexts",
    tag: "Own",
    summary: "Lists the pages of text, in the order of the navigation.",
    answer: { kind: "list", record: ownTextSchema },
    async run({ organisation }, { store }) {
      const texts = await findDocumentOf(store, organisation, "texts");
      const Data = shownTexts(texts ?? {}).map(({ slug, title, text }) => ({ slug, title, text }));
      return { Data, Pages: 1 };
    },
  }),
];
