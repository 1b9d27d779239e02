// Reads what a document says about its API to people: `info`, `tags`, `externalDocs`, and the dialect of
// its schemas.

import type { ApiDocument, References } from "../trees/api.ts";
import { type DocumentNode, findNode, findText } from "../trees/document.ts";
import { itemsOf } from "./written.ts";

/** The description of an API. Values are nodes, so that rules can report at them. */
export interface ApiDescription {
  readonly title: DocumentNode | undefined;
  readonly version: DocumentNode | undefined;
  readonly description: DocumentNode | undefined;
  readonly termsOfService: DocumentNode | undefined;
  readonly contact: Readonly<Record<"name" | "url" | "email", DocumentNode | undefined>>;
  readonly license: Readonly<Record<"name" | "identifier" | "url", DocumentNode | undefined>>;
  readonly tags: readonly DescribedTag[];
  readonly externalDocs: DescribedLink;
  /** `jsonSchemaDialect`: the dialect of its schemas. */
  readonly dialect: DocumentNode | undefined;
}

/** An entry of `tags`. */
export interface DescribedTag {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly externalDocs: DescribedLink;
}

/** Further documentation. */
export type DescribedLink = Readonly<Record<"description" | "url", DocumentNode | undefined>>;

/** Reads the description of a document. */
export function readDescription({ root, references }: ApiDocument): ApiDescription {
  const info = (...path: readonly string[]) => references.find(root, "info", ...path);
  return {
    title: info("title"),
    version: info("version"),
    description: info("description"),
    termsOfService: info("termsOfService"),
    contact: { name: info("contact", "name"), url: info("contact", "url"), email: info("contact", "email") },
    license: {
      name: info("license", "name"),
      identifier: info("license", "identifier"),
      url: info("license", "url"),
    },
    tags: itemsOf(references.find(root, "tags")).map((node) => ({
      name: findText(node, "name"),
      description: findText(node, "description"),
      externalDocs: linkOf(node, references),
    })),
    externalDocs: linkOf(root, references),
    dialect: findNode(root, "jsonSchemaDialect"),
  };
}

function linkOf(holder: DocumentNode, references: References): DescribedLink {
  return {
    description: references.find(holder, "externalDocs", "description"),
    url: references.find(holder, "externalDocs", "url"),
  };
}
