// The operations of a logged-in developer: a subset of the portal's operations, limited to the developer's own objects.

import { notFound, RestAnswer, refusal, written } from "../../rest/answers.ts";
import { pageParameters, readPage } from "../../rest/lists.ts";
import type { OperationRequest } from "../../rest/operation.ts";
import { deleteApp, listApps } from "../apps/apps.ts";
import { getApp } from "../apps/find-app.ts";
import { productOf } from "../apps/products.ts";
import { endSessionsOf } from "../developers/credentials-of.ts";
import { findDevelopers } from "../developers/developer-records.ts";
import { getDeveloper } from "../developers/developers.ts";
import { changePassword, verifyCredentials } from "../developers/log-in.ts";
import { findOwners } from "../developers/owner-records.ts";
import { getDocumentation } from "../documentation/documentation.ts";
import type { CatalogueEntry } from "../documents/catalogue-entries.ts";
import { findDocumentOf, readCatalogue, shownTexts } from "../documents/documents.ts";
import { type App, appSchema } from "../generated/app.ts";
import { documentationSchema } from "../generated/documentation.ts";
import type { KeyRequest } from "../generated/key-request.ts";
import { operation, type PortalOperation, type PortalServices } from "../operation.ts";
import { appOperations } from "../operations/apps.ts";
import { requestOperations } from "../operations/requests.ts";
import { webhookOperations } from "../operations/webhooks.ts";
import { findPolicies } from "../policies/known-policies.ts";
import { readCheckedRequest } from "../requests/checked-request.ts";
import { checkProof } from "../requests/give-credential.ts";
import { deleteRequest, getRequest, listRequests } from "../requests/requests.ts";
import { ownLanguageOperations } from "./languages.ts";
import { ownKeyOperations } from "./own-keys.ts";
import {
  askingSchema,
  developerNameSchema,
  newAppSchema,
  type Offer,
  offerSchema,
  ownPasswordSchema,
  ownRequestSchema,
} from "./own-records.ts";
import { developerOf, ofTeam, ownTeamOperations } from "./own-teams.ts";
import { beginSession } from "./sessions.ts";
import { ownTextSchema } from "./shown-records.ts";

/** The texts that logged-in developers read. */
const ownTextOperations: readonly PortalOperation[] = [
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

const tag = "Own";

/** Operations on the developer itself. `caller.developer` is the logged-in developer. */
const personalOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/me",
    operationId: "readMyself",
    tag,
    summary: "Returns the developer who has logged in.",
    answer: { kind: "record", record: developerNameSchema },
    async run(request, { store }) {
      const id = developerOf(request);
      const developers = await store.read((connection) =>
        findDevelopers(connection, request.organisation, [id]),
      );
      const { email = "", language = "" } = developers.get(id) ?? {};
      return { id, email, language };
    },
  }),
  operation({
    method: "POST",
    path: "/password",
    operationId: "replaceOwnPassword",
    tag,
    summary: "Changes the password of the developer. Other sessions end.",
    body: { record: ownPasswordSchema },
    answer: { kind: "written", message: "`Password changed`; a cookie continues this session." },
    refusals: [403, 409, 429],
    async run(request, services) {
      const { organisation, caller, body } = request;
      const id = developerOf(request);
      const { email } = await getDeveloper(services.store, organisation, "id", id);
      const login = await verifyCredentials(services, caller, { username: email, password: body.password });
      if (login.outcome === "refused") throw refusal(403, "This is not the current password.");
      await changePassword(services, organisation, id, body.new_password, async (connection) =>
        endSessionsOf(connection, organisation, id),
      );
      const developer = await getDeveloper(services.store, organisation, "id", id);
      const isSecure = caller.isSecure === true;
      const cookie = await beginSession(services.store, organisation, developer, isSecure);
      return new RestAnswer(written("Password changed"), { "set-cookie": cookie });
    },
  }),
  operation({
    method: "GET",
    path: "/catalogue/{policy}/documentation",
    operationId: "readOfferDocumentation",
    tag,
    summary: "Returns the documentation of a catalogue entry, in base64.",
    answer: { kind: "record", record: documentationSchema },
    refusals: [404],
    async run(request, services) {
      const { organisation, param } = request;
      const entries = (await shownEntries(request, services)).filter(
        ({ policy_id: policy }) => policy === param("policy"),
      );
      const id = entries.find(({ documentation = "" }) => documentation !== "")?.documentation;
      if (id === undefined) throw refusal(404, "Could not retrieve portal object.");
      return getDocumentation(services.store, organisation, id);
    },
  }),
  ...ownLanguageOperations,
  ...ownTextOperations,
  ...ownTeamOperations,
];

/** Operations on objects of the developer, or of the team that the request is for. */
const heldOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/catalogue",
    operationId: "listOffers",
    tag,
    summary: "Lists the catalogue entries that the developer can request access to.",
    answer: { kind: "list", record: offerSchema },
    async run(request, services) {
      const offers = await shownEntries(request, services);
      const known = await productsOf(request, services);
      const open = await openRequestsOf(request, services);
      return { Data: offers.map((entry) => describeOffer(entry, known, open)), Pages: 1 };
    },
  }),
  operation({
    method: "GET",
    path: "/requests",
    operationId: "listOwnRequests",
    tag,
    summary: "Lists the developer's requests, the oldest first.",
    parameters: pageParameters,
    answer: { kind: "list", record: ownRequestSchema },
    async run(request, { store }) {
      const own = { owner: developerOf(request) };
      const { Data, Pages } = await listRequests(store, request.organisation, readPage(request), own);
      return { Data: Data.map(describeRequest), Pages };
    },
  }),
  operation({
    method: "GET",
    path: "/requests/{id}",
    operationId: "readOwnRequest",
    tag,
    summary: "Reads a request of the developer.",
    answer: { kind: "record", record: ownRequestSchema },
    refusals: [404],
    run: async (request, services) => describeRequest(await getOwnRequest(request, services)),
  }),
  operation({
    method: "POST",
    path: "/requests",
    operationId: "askForAccess",
    tag,
    summary: "Requests access to a catalogue entry.",
    body: { record: askingSchema },
    answer: createdRequest().answer,
    refusals: createdRequest().refusals ?? [],
    async run(request, services) {
      const { policy, redirect_uri: redirect, ...given } = request.body;
      const entry = (await shownEntries(request, services)).find(({ policy_id: id }) => id === policy);
      if (entry === undefined) throw refusal(400, "No policy found!");
      const body = {
        by_user: developerOf(request),
        apply_policies: [policy],
        version: entry.version ?? "",
        ...given,
        ...(redirect !== undefined && { oauth_info: { redirect_uri: redirect } }),
      };
      const { organisation } = request;
      const checked = await services.store.read((connection) =>
        readCheckedRequest(connection, organisation, body),
      );
      await checkProof(services, organisation, checked);
      return createdRequest().run({ ...request, body }, services);
    },
  }),
  operation({
    method: "DELETE",
    path: "/requests/{id}",
    operationId: "withdrawRequest",
    tag,
    summary: "Withdraws a request that is not approved yet.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [400, 404],
    async run(request, services) {
      const { approved } = await getOwnRequest(request, services);
      if (approved === true) throw refusal(400, "Key request has already been processed.");
      await deleteRequest(services.store, request.organisation, request.param("id"));
      return written("Data deleted");
    },
  }),
  operation({
    method: "GET",
    path: "/apps",
    operationId: "listOwnApps",
    tag,
    summary: "Lists the developer's apps, the oldest first.",
    parameters: pageParameters,
    answer: { kind: "list", record: appSchema },
    run: (request, { store }) =>
      listApps(store, request.organisation, readPage(request), developerOf(request)),
  }),
  operation({
    method: "POST",
    path: "/apps",
    operationId: "createOwnApp",
    tag,
    summary: "Creates an app of the developer, for products that the developer has access to.",
    body: { record: newAppSchema },
    answer: { kind: "written", message: "`Message` is its id." },
    refusals: [403],
    async run(request, services) {
      const known = await productsOf(request, services);
      const { products = [] } = request.body;
      const missing = products.filter((product) => !known.has(product));
      if (missing.length > 0) {
        const errors = missing.map((product) => `products: there is no access to ${product}`);
        throw refusal(403, "The developer has no access to these products.", errors);
      }
      return createdApp().run(
        { ...request, body: { ...request.body, by_user: developerOf(request) } },
        services,
      );
    },
  }),
  operation({
    method: "GET",
    path: "/apps/{id}",
    operationId: "readOwnApp",
    tag,
    summary: "Reads an app of the developer.",
    answer: { kind: "record", record: appSchema },
    refusals: [404],
    run: getOwnApp,
  }),
  operation({
    method: "DELETE",
    path: "/apps/{id}",
    operationId: "deleteOwnApp",
    tag,
    summary: "Deletes an app of the developer's, with its webhooks.",
    answer: { kind: "written", message: "`Data deleted`." },
    refusals: [404],
    async run(request, services) {
      await getOwnApp(request, services);
      await deleteApp(services.store, request.organisation, request.param("id"));
      return written("Data deleted");
    },
  }),
  ...ownKeyOperations,
  ...webhookOperations.filter(({ path }) => path.startsWith("/apps/{id}/")).map(ofOwnApp),
];

/** All operations of a logged-in developer. */
export const ownOperations: readonly PortalOperation[] = [
  ...personalOperations,
  ...heldOperations,
  ...heldOperations.map(ofTeam),
];

/** Limits an operation to the owner of the app. */
function ofOwnApp(whole: PortalOperation): PortalOperation {
  return {
    ...whole,
    tag,
    refusals: [...new Set([...(whole.refusals ?? []), 404])],
    async run(request, services) {
      await getOwnApp(request, services);
      return whole.run(request, services);
    },
  };
}

async function getOwnApp(request: OperationRequest, { store }: PortalServices): Promise<App> {
  const { organisation, param } = request;
  const app = await store.read((connection) => getApp(connection, organisation, param("id")));
  if (app.by_user !== developerOf(request)) throw notFound();
  return app;
}

async function getOwnRequest(request: OperationRequest, { store }: PortalServices): Promise<KeyRequest> {
  const found = await getRequest(store, request.organisation, request.param("id"));
  if (found.by_user !== developerOf(request)) throw notFound();
  return found;
}

function describeRequest(request: KeyRequest) {
  const { id, approved, date_created: created, apply_policies, catalogue_entry: entry } = request;
  return { id, approved, date_created: created, apply_policies, name: entry?.name ?? "" };
}

/** Returns the visible catalogue entries with an existing policy: access to a deleted policy could not be granted. */
async function shownEntries(
  { organisation }: Pick<OperationRequest, "organisation">,
  { store, policies }: PortalServices,
): Promise<readonly CatalogueEntry[]> {
  return store.read(async (connection) => {
    const entries = (await readCatalogue(connection, organisation)).filter(
      ({ show, is_keyless: isOpen }) => show === true && isOpen !== true,
    );
    const ids = entries.flatMap(({ policy_id: policy = "" }) => (policy === "" ? [] : [policy]));
    const known = await findPolicies(connection, policies, organisation, ids);
    return entries.filter(({ policy_id: policy = "" }) => known.has(policy));
  });
}

/** Returns the products that the developer has access to. */
async function productsOf(
  request: Pick<OperationRequest, "organisation" | "caller">,
  { store }: PortalServices,
): Promise<ReadonlySet<string>> {
  const id = developerOf(request);
  const owners = await store.read((connection) => findOwners(connection, request.organisation, [id]));
  const { subscriptions = {}, oauth_clients: clients = {} } = owners.get(id) ?? {};
  return new Set([...Object.keys(subscriptions), ...Object.keys(clients)]);
}

/** Returns the ids of the developer's open requests, by the name of the requested offer. */
async function openRequestsOf(
  request: Pick<OperationRequest, "organisation" | "caller">,
  { store }: PortalServices,
): Promise<ReadonlyMap<string, string>> {
  const wanted = { owner: developerOf(request), approved: false };
  const { Data } = await listRequests(store, request.organisation, undefined, wanted);
  return new Map(
    Data.map(({ id = "", apply_policies: policies = [], version = "" }) => [
      requestName(policies, version),
      id,
    ]),
  );
}

function requestName(policies: readonly string[], version: string): string {
  return JSON.stringify([policies, version]);
}

function describeOffer(
  entry: CatalogueEntry,
  known: ReadonlySet<string>,
  open: ReadonlyMap<string, string>,
): Offer {
  const { name = "", short_description: short = "", long_description: long = "", version = "" } = entry;
  const product = productOf(entry) ?? "";
  return {
    ...{ name, version, policy: entry.policy_id ?? "" },
    description: long || short,
    auth_type: entry.auth_type ?? "",
    events: entry.webhooks?.enabled === true ? (entry.webhooks.events ?? []) : [],
    has_access: known.has(product),
    request: open.get(requestName([entry.policy_id ?? ""], version)) ?? "",
    has_documentation: (entry.documentation ?? "") !== "",
  };
}

/** Returns the operation with which administrators create a request for a developer. */
function createdRequest(): PortalOperation {
  return named(requestOperations, "createRequest");
}

function createdApp(): PortalOperation {
  return named(appOperations, "createApp");
}

function named(operations: readonly PortalOperation[], id: string): PortalOperation {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new TypeError(`there is no operation ${id}`);
  return found;
}
