// Generates the table of inputs in docs/scaling.md: which of them a broker divides among replicas, from the
// descriptors. Run by `scripts/generate-reference.ts`; a test fails if the checked-in file differs from its output.

import { readsOwn } from "../compiler/model/leases.ts";
import { coreCatalogue } from "../schemas/catalogue.ts";
import { type Component, type KnownOptions, servesClients } from "../schemas/component.ts";

/** The page, relative to the root of the repository. */
export const scalingPath = "docs/scaling.md";

const nothingWritten: KnownOptions = {
  has: () => false,
  isSet: () => false,
  literal: () => undefined,
  texts: () => [],
  beginnings: () => [],
};

/** Inputs that divide messages if the inputs they contain do. */
const composites = new Set(["batched", "broker", "buffered", "read_until", "sequence"]);

/** Returns the page with a new table. */
export function withInputTable(page: string): string {
  const rows = coreCatalogue.components
    .filter(({ name }) => !composites.has(name))
    .flatMap((component) =>
      component.role === "input" ? [`| \`${component.name}\` | ${wayOf(component)} |`] : [],
    )
    .toSorted();
  const table = ["| input | divided among replicas |", "|---|---|", ...new Set(rows)].join("\n");
  const [before = "", rest = ""] = page.split("<!-- inputs -->\n");
  const after = rest.slice(rest.indexOf("\n<!-- /inputs -->"));
  return `${before}<!-- inputs -->\n${table}${after}`;
}

function wayOf(component: Component & { readonly role: "input" }): string {
  const { division, isChannel } = component;
  if (servesClients(component)) return "by the load balancer, request by request";
  if (isChannel === true) return "within a replica only";
  if (readsOwn(component)) return "each replica has its own";
  if (division === undefined) return "no: by a lease, where one is configured";
  const { hint } = division.otherwise ?? {};
  if (hint === undefined && division.isDivided(nothingWritten)) return "by the broker";
  return hint === undefined
    ? "by the broker, with a consumer group"
    : `by a lease, where one is configured. ${hint}`;
}
