// The operations at `/catalogue`, `/configuration`, `/branding` and `/texts`, of which an organisation has one each,
// and at `/documentation`.

import { refusal, written } from "../../rest/answers.ts";
import { pageParameters, readPage } from "../../rest/lists.ts";
import type { RecordSchema } from "../../rest/operation.ts";
import {
  createDocumentation,
  deleteDocumentation,
  getDocumentation,
  listDocumentation,
} from "../documentation/documentation.ts";
import { checkBranding } from "../documents/branding.ts";
import {
  checkTexts,
  createDocument,
  type DocumentKind,
  type Documents,
  getDocument,
  readCatalogue,
  replaceDocument,
} from "../documents/documents.ts";
import { problemsOfPlaceholders, refusePlaceholders } from "../documents/placeholders.ts";
import { brandingSchema } from "../generated/branding.ts";
import { type Catalogue, catalogueSchema } from "../generated/catalogue.ts";
import { configurationSchema } from "../generated/configuration.ts";
import { documentationSchema } from "../generated/documentation.ts";
import { textsSchema } from "../generated/texts.ts";
import { operation, type PortalOperation, type PortalServices, refuseForeignApis } from "../operation.ts";
import { problemsOfPolicies } from "../policies/known-policies.ts";

const tag = "Catalogue";

export const documentOperations: readonly PortalOperation[] = [
  ...operationsOf("catalogue", catalogueSchema, checkCatalogue),
  ...operationsOf("configuration", configurationSchema, async (_, __, configuration) =>
    refusePlaceholders("Configuration", problemsOfPlaceholders(configuration)),
  ),
  ...operationsOf("branding", brandingSchema, async (_, __, branding) => checkBranding(branding)),
  ...operationsOf("texts", textsSchema, async (_, __, texts) => checkTexts(texts)),
  operation({
    method: "GET",
    path: "/documentation",
    operationId: "listDocumentation",
    tag,
    summary: "Lists the documentation of the organisation, the oldest first.",
    parameters: pageParameters,
    answer: { kind: "list", record: documentationSchema },
    run: (request, { store }) => listDocumentation(store, request.organisation, readPage(request)),
  }),
  operation({
    method: "POST",
    path: "/documentation",
    operationId: "createDocumentation",
    tag,
    summary: "Creates documentation that entries of the catalogue can reference.",
    body: { record: documentationSchema, isLarge: true },
    answer: { kind: "written", message: "`Message` is its id." },
    async run({ organisation, body }, services) {
      const apis = body.api_id === undefined ? [] : [body.api_id];
      refuseForeignApis(services, organisation, { kind: "Documentation", field: "api_id", apis });
      return written(await createDocumentation(services.store, organisation, body));
    },
  }),
  operation({
    method: "GET",
    path: "/documentation/{id}",
    operationId: "readDocumentation",
    tag,
    summary: "Reads documentation.",
    answer: { kind: "record", record: documentationSchema },
    refusals: [404],
    run: ({ organisation, param }, { store }) => getDocumentation(store, organisation, param("id")),
  }),
  operation({
    method: "DELETE",
    path: "/documentation/{id}",
    operationId: "deleteDocumentation",
    tag,
    summary: "Deletes documentation. Entries of the catalogue may still reference it.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run({ organisation, param }, { store }) {
      await deleteDocumentation(store, organisation, param("id"));
      return written("Data deleted");
    },
  }),
];

/** Rejects with 422 if there are unknown placeholders, APIs of other organisations, or policies that do not exist. */
async function checkCatalogue(
  services: PortalServices,
  organisation: string,
  { apis: entries = [] }: Catalogue,
): Promise<void> {
  const placeholders = entries.flatMap(({ config = {} }, index) =>
    problemsOfPlaceholders(config, `apis.${index}.config.mail_options`),
  );
  refusePlaceholders("Catalogue", placeholders);
  const apis = entries.flatMap(({ api_id: api }) => (api === undefined ? [] : [api]));
  refuseForeignApis(services, organisation, { kind: "Catalogue", field: "apis", apis });
  const problems = await services.store.read(async (connection) => {
    // An entry stays when its policy is deleted, and must not prevent changes of other entries.
    const former = await readCatalogue(connection, organisation);
    const kept = new Set(["", ...former.map(({ policy_id: policy }) => policy)]);
    const named = entries.flatMap(({ policy_id: id = "" }, index) =>
      kept.has(id) ? [] : [{ field: `apis.${index}.policy_id`, id }],
    );
    return problemsOfPolicies(connection, services.policies, organisation, named);
  });
  if (problems.length > 0) throw refusal(422, "Catalogue object validation failed.", problems);
}

/** Returns the three operations on a kind of document. `check` rejects documents that are not valid. */
function operationsOf<K extends DocumentKind>(
  kind: K,
  record: RecordSchema<Documents[K]>,
  check: (services: PortalServices, organisation: string, document: Documents[K]) => Promise<void>,
): readonly PortalOperation[] {
  const path = `/${kind}`;
  // Pictures and texts exceed the size limit of records.
  const isLarge = kind === "branding" || kind === "texts";
  const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return [
    operation({
      method: "GET",
      path,
      operationId: `read${name}`,
      tag,
      summary: `Reads the ${kind}.`,
      answer: { kind: "record", record },
      refusals: [404],
      run: ({ organisation }, { store }) => getDocument(store, organisation, kind),
    }),
    operation({
      method: "POST",
      path,
      operationId: `create${name}`,
      tag,
      summary: `Creates the ${kind}. An organisation has only one.`,
      body: { record, isLarge },
      answer: { kind: "written", message: "`Message` is its id." },
      refusals: [409],
      async run({ organisation, body }, services) {
        await check(services, organisation, body);
        return written(await createDocument(services.store, organisation, kind, body));
      },
    }),
    operation({
      method: "PUT",
      path,
      operationId: `replace${name}`,
      tag,
      summary: `Replaces the ${kind} completely.`,
      body: { record, isLarge },
      answer: { kind: "written", message: "`Data updated`." },
      refusals: [404],
      async run({ organisation, body }, services) {
        await check(services, organisation, body);
        await replaceDocument(services.store, organisation, kind, body);
        return written("Data updated");
      },
    }),
  ];
}
