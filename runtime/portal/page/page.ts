// The page for people, at `/portal/`, on which administrators and developers use the portal.

import type { IncomingMessage } from "node:http";
import { GatewayError } from "../../errors.ts";
import type { Call, ChainStep, StepResult } from "../../http/call.ts";
import { type PageFile, packedFile, sendPageFile, textFile } from "../../http/page-file.ts";
import { isOtherSite } from "../../rest/access.ts";
import { RestAnswer, refusal, written } from "../../rest/answers.ts";
import { withEntityTags } from "../../rest/conditional.ts";
import type { RestCaller } from "../../rest/operation.ts";
import { createRouter, type RestRouter, type RouterOptions } from "../../rest/router.ts";
import type { Tables } from "../../store/tables.ts";
import type { AccountsSource } from "../accounts/accounts.ts";
import { audited, noteOwnChange } from "../audit.ts";
import { changePassword, verifyCredentials } from "../developers/log-in.ts";
import { brandStyle, logoAddress } from "../documents/branding.ts";
import { findDocumentOf, readConfiguration } from "../documents/documents.ts";
import { pageScript, pageStyle } from "../generated/page-files.ts";
import { operation, type PortalOperation, type PortalServices, servicesFor } from "../operation.ts";
import { languageOperations, messageFiles, pageDocuments } from "./languages.ts";
import { ownOperations } from "./own-operations.ts";
import { abilitiesSchema, changingSchema, loggingInSchema } from "./own-records.ts";
import { beginSession, endSession, findSession, sessionScheme } from "./sessions.ts";
import { pageBrandSchema } from "./shown-records.ts";

/** Operations without authentication. */
const brandOperations: readonly PortalOperation[] = [
  operation({
    method: "GET",
    path: "/brand",
    operationId: "readBrand",
    tag: "Entrance",
    summary: "Returns the name and logo of the page.",
    answer: { kind: "record", record: pageBrandSchema },
    async run({ organisation }, { store }) {
      const branding = (await findDocumentOf(store, organisation, "branding")) ?? {};
      const { name = "", product = "" } = branding;
      return { name, product, logo: logoAddress(branding) };
    },
  }),
];

/** The dependencies of the page, available when the gateway starts. */
export interface PageContext extends Pick<RouterOptions<PortalServices>, "services" | "maxBodyBytes"> {
  /** The organisation of the developers who log in. */
  readonly organisation: string;
  /** The account features for developers. */
  readonly accounts?: AccountsSource;
  /** Whether the portal has a listener of its own, which serves no API. */
  readonly isApart: boolean;
}

/** Creates the step that serves the page. The step passes on requests for other paths than `/portal`. */
export type PortalPage = (context: PageContext) => ChainStep;

const files: ReadonlyMap<string, PageFile> = /* @__PURE__ */ new Map([
  ["page.css", /* @__PURE__ */ packedFile("text/css; charset=utf-8", pageStyle)],
  ["page.js", /* @__PURE__ */ packedFile("text/javascript; charset=utf-8", pageScript)],
]);

/**
 * Serves the page. Administrators use the portal's API with their token, which the page keeps in memory only.
 * Developers log in and get a session cookie for `/portal`, where their operations are.
 */
export const portalPage: PortalPage = ({ organisation, services, maxBodyBytes, accounts, isApart }) => {
  const callers = new WeakMap<IncomingMessage, Pick<RestCaller, "isSecure" | "address"> & { host: string }>();
  const callerOf = (request: IncomingMessage) => {
    const { host, ...caller } = callers.get(request) ?? {};
    if (isOtherSite(request, host)) throw refusal(403, "This is not allowed.");
    return { organisation, ...caller };
  };
  const common = { services, servicesFor: servicesFor(services), maxBodyBytes };
  const documentFor = pageDocuments(services.languages);
  const messages = messageFiles(services.languages, services.log);
  const entrance = createRouter({
    ...common,
    operations: [
      ...entranceOperations,
      ...brandOperations,
      ...languageOperations,
      abilities(accounts, isApart),
      ...(accounts?.operations ?? []),
    ],
    path: "/portal/entrance",
    description: {
      title: "Entrance",
      description: "Logging in at the portal's page.",
      credential: undefined,
      refusals: [403],
    },
    authorise: callerOf,
  });
  const own = createRouter({
    ...common,
    operations: withEntityTags<Tables, PortalServices>(ownOperations).map(audited),
    path: "/portal/own",
    description: {
      title: "Own",
      description: "What a developer who has logged in can do.",
      credential: sessionScheme,
      refusals: [403],
    },
    async authorise(request) {
      const caller = callerOf(request);
      const session = await findSession(services.store, request.headers.cookie ?? "");
      if (session === undefined) throw refusal(401, "Not authorised");
      return { ...caller, organisation: session.organisation, developer: session.developer.id };
    },
  });
  return (call) => {
    const [first, second, ...rest] = call.path.segments;
    if (first !== "portal") return "next";
    const { protocol, host } = call.url;
    callers.set(call.request, { isSecure: protocol === "https:", address: call.remoteAddress, host });
    if (second === "entrance" || second === "own") return serveBy(second === "own" ? own : entrance, call);
    if (second === "brand.css" && rest.length === 0) return sendBrandStyle(call, services, organisation);
    if (second === undefined || rest.length > 0) return sendOn(call);
    if (second === "") return sendFile(call, documentFor(call.request.headers));
    return sendFile(call, files.get(second) ?? messages.get(second));
  };
};

function serveBy(router: RestRouter, { request, transport }: Call): StepResult | Promise<StepResult> {
  if (transport.kind !== "http") return new GatewayError(404, "not found");
  return router(request, transport.response).then(() => "done");
}

/** Redirects to the path with a trailing slash, which the relative URLs of the page require. */
function sendOn({ transport, path }: Call): StepResult {
  if (transport.kind !== "http" || path.segments.length > 1) return new GatewayError(404, "not found");
  transport.response.writeHead(308, { location: "/portal/", "cache-control": "no-store" }).end();
  return "done";
}

/** Sends the current style sheet of the organisation. */
async function sendBrandStyle(
  call: Call,
  { store }: PortalServices,
  organisation: string,
): Promise<StepResult> {
  const branding = await findDocumentOf(store, organisation, "branding");
  return sendFile(call, textFile("text/css; charset=utf-8", brandStyle(branding ?? {})));
}

async function sendFile({ transport, verb, request }: Call, file: PageFile | undefined): Promise<StepResult> {
  if (transport.kind !== "http" || file === undefined) return new GatewayError(404, "not found");
  if (verb !== "GET" && verb !== "HEAD") {
    return new GatewayError(405, "Method not allowed", { headers: { allow: "GET, HEAD" } });
  }
  await sendPageFile(file, request, transport.response);
  return "done";
}

const tag = "Entrance";

/** Returns the operation that lists the actions available without logging in. */
function abilities(accounts: AccountsSource | undefined, isApart: boolean): PortalOperation {
  return operation({
    method: "GET",
    path: "/abilities",
    operationId: "readAbilities",
    tag,
    summary: "Returns what people can do without logging in.",
    answer: { kind: "record", record: abilitiesSchema },
    async run({ organisation }, { store }) {
      const configuration = await store.read((connection) => readConfiguration(connection, organisation));
      const canSignUp = accounts?.canSignUp === true && configuration.disable_signup !== true;
      const fields = canSignUp ? accounts.signUpFieldsOf(configuration) : [];
      return {
        sign_up: canSignUp,
        password_reset: accounts?.canResetPassword === true,
        ...(fields.length > 0 && { sign_up_fields: fields }),
        ...(isApart && { apis_elsewhere: true }),
      };
    },
  });
}

/** Operations without authentication. The number of attempts is limited per user name. */
const entranceOperations: readonly PortalOperation[] = [
  operation({
    method: "POST",
    path: "/login",
    operationId: "logIn",
    tag,
    summary: "Logs a developer in. The response sets a cookie.",
    body: { record: loggingInSchema },
    answer: { kind: "written", message: "The developer's e-mail address." },
    refusals: [403, 429],
    async run({ organisation, caller, body }, services) {
      const login = await verifyCredentials(services, caller, body);
      if (login.outcome === "refused") throw refusal(401, "Not authorised");
      if (login.outcome === "expired") throw refusal(403, "The password has expired; change it first.");
      const { developer } = login;
      const isSecure = caller.isSecure === true;
      const cookie = await beginSession(services.store, organisation, developer, isSecure);
      return new RestAnswer(written(developer.email), { "set-cookie": cookie });
    },
  }),
  operation({
    method: "DELETE",
    path: "/login",
    operationId: "logOut",
    tag,
    summary: "Ends the session if there is one.",
    answer: { kind: "written", message: "`Logged out`." },
    async run({ caller, header }, { store }) {
      const cookie = await endSession(store, header("cookie") ?? "", caller.isSecure === true);
      return new RestAnswer(written("Logged out"), { "set-cookie": cookie });
    },
  }),
  operation({
    method: "POST",
    path: "/password",
    operationId: "changeOwnPassword",
    tag,
    summary: "Changes a password, including one that is too old to log in with. Sessions end.",
    body: { record: changingSchema },
    answer: { kind: "written", message: "`Password changed`." },
    refusals: [429],
    async run({ organisation, caller, body }, services) {
      const login = await verifyCredentials(services, caller, body);
      if (login.outcome === "refused") throw refusal(401, "Not authorised");
      const { id = "" } = login.developer;
      await changePassword(services, organisation, id, body.new_password, (connection) =>
        noteOwnChange(connection, organisation, id, "changeOwnPassword"),
      );
      return written("Password changed");
    },
  }),
];
