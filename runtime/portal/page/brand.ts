// How the page looks before log-in: its name, its logo, and its style.

import { logoAddress } from "../documents/branding.ts";
import { findDocumentOf } from "../documents/documents.ts";
import { operation, type PortalOperation } from "../operation.ts";
import { pageBrandSchema } from "./shown-records.ts";

/** Operations without authentication. */
export const brandOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/brand",
    operationId: "readBrand",
    tag: "Entrance",
    summary: "Says what the page calls itself.",
    answer: { kind: "record", record: pageBrandSchema },
    async run({ organisation }, { store }) {
      const branding = (await findDocumentOf(store, organisation, "branding")) ?? {};
      const { name = "", product = "" } = branding;
      return { name, product, logo: logoAddress(branding) };
    },
  }),
];
