// Products are entries of the catalogue. An app uses some of them, and they determine the events it may subscribe to.

import { refusal } from "../../rest/answers.ts";
import type { CatalogueEntry } from "../documents/catalogue-entries.ts";

/** Returns the name by which apps refer to a product; `undefined` for an entry with neither policy nor API. */
export function productOf({ policy_id: policy = "", api_id: api = "" }: CatalogueEntry): string | undefined {
  return policy || api || undefined;
}

/** Returns the events that the products offer for webhooks; `undefined` if no product has webhooks enabled. */
export function offeredEvents(
  catalogue: readonly CatalogueEntry[],
  products: readonly string[],
): ReadonlySet<string> | undefined {
  const offering = catalogue.filter((entry) => {
    const product = productOf(entry);
    return product !== undefined && products.includes(product) && entry.webhooks?.enabled === true;
  });
  return offering.length === 0
    ? undefined
    : new Set(offering.flatMap(({ webhooks }) => webhooks?.events ?? []));
}

/** Throws a 400 that names each product missing from the catalogue. */
export function checkProducts(catalogue: readonly CatalogueEntry[], products: readonly string[]): void {
  const known = new Set(catalogue.map(productOf));
  const missing = products.filter((product) => !known.has(product));
  if (missing.length === 0) return;
  throw refusal(
    400,
    "No product found!",
    missing.map((product) => `products: ${product} is not in the catalogue`),
  );
}

/** Throws a 403 unless the products offer all of these events. */
export function checkEvents(
  catalogue: readonly CatalogueEntry[],
  products: readonly string[],
  events: readonly string[],
): void {
  const offered = offeredEvents(catalogue, products);
  if (offered === undefined) throw refusal(403, "No product of the app has webhooks enabled.");
  const missing = events.filter((event) => !offered.has(event));
  if (missing.length === 0) return;
  throw refusal(
    403,
    "The products of the app do not offer these events.",
    missing.map((event) => `events: ${event} is not offered`),
  );
}
